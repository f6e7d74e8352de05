"""Figure 5.4: particles in very many local minima, and the difference that the methods make inside a minimum.

The line is divided into buckets, one for each local minimum. The figure has two panels: the whole domain, and all
buckets laid on one another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from particlegvi.contracts import Array, Loss, Target
from particlegvi.plotting import reading, style
from particlegvi.plotting.axis_numbers import one_notation, parameter_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import localised, palette, say
from particlegvi.plotting.protocols import Results, Runs, is_density

WIDTH = math.pi  # of a bucket: number i is [i WIDTH, (i + 1) WIDTH)


def buckets_of(places: Array) -> NDArray[np.int64]:
    """The bucket of every place."""
    return np.floor(places / WIDTH).astype(np.int64)


def lowest(loss: Loss, buckets: NDArray[np.int64]) -> Array:
    """The point of the lowest loss in each of the given buckets."""
    known, back = np.unique(buckets, return_inverse=True)
    fractions = np.linspace(0.0, 1.0, 401)
    bottoms = np.empty(len(known))
    for position, bucket in enumerate(known):
        grid = int(bucket) * WIDTH + fractions * WIDTH
        values = reading.loss_values(loss, grid[:, None])
        inner, _ = reading.turning_points(grid, values)
        at_inner = reading.loss_values(loss, inner[:, None])
        bottoms[position] = inner[np.argmin(at_inner)] if len(inner) else grid[np.argmin(values)]
    return bottoms[back]


@figure_kind("buckets", runs=reading.chosen_runs, dim=1)
def buckets(results: Results, runs: Runs) -> Figure:
    """A row of ticks per method over the whole domain, and below it all buckets laid on one another.

    The buckets are pi wide, as those of the loss abs-sine, whose tops lie at the multiples of pi.
    """
    colours = style.colours(results)
    with slide(results, 2, runs) as figure:
        above, below = figure.subplots(2, 1, height_ratios=[1.0, 1.2])
        draw_domain(above, runs, colours)
        draw_laid(below, results, runs, colours)
    return figure


def draw_domain(axes: Axes, runs: Runs, colours: Mapping[str, str]) -> None:
    """Draw all particles as ticks, one row per method, with the number of those alone in their bucket at the right."""
    run = next(iter(runs.values()))
    ends = [reading.final_particles(each)[:, 0] for each in runs.values()]
    low, high = reading.prior_bounds(run)
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = reading.fitting_range(ends)
    for row, (label, places) in enumerate(zip(runs, ends, strict=True)):
        single = alone(places)
        axes.plot(
            places,
            np.full(len(places), row),
            "|",
            color=colours[label],
            markersize=24,
            markeredgewidth=2.4,
            clip_on=False,
            gid=f"particles of {label}",
        )
        if not single.all():
            axes.plot(
                places[~single],
                np.full(int((~single).sum()), row),
                "o",
                markerfacecolor="none",
                markersize=13,
                markeredgecolor=palette().ink,
                label=say("shares_bucket"),
            )
        write_beside(axes, row, say("alone", count=single.sum(), all=len(places)), colours[label])
    axes.vlines(ends[0], -0.5, len(runs) - 0.5, color=palette().faint, linewidth=0.6, alpha=0.6, zorder=0)
    axes.set_xlim(low, high)
    axes.set_ylim(len(runs) - 0.4, -0.6)
    name_rows(axes, runs)
    total = round((high - low) / WIDTH)
    axes.set_title(say("among_buckets", count=localised(f"{total:,}")))
    axes.set_xlabel(parameter_of(run.loss)[0])
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))


def alone(places: Array) -> NDArray[np.bool_]:
    """For each particle, whether it is alone in its bucket."""
    _, back, counts = np.unique(buckets_of(places), return_inverse=True, return_counts=True)
    return np.asarray(counts[back] == 1)


def draw_laid(axes: Axes, results: Results, runs: Runs, colours: Mapping[str, str]) -> None:
    """Draw the distance of every particle to the minimum of its bucket, one row per method, and the target there.

    Behind them is the loss of the bucket of the first particle.
    """
    offsets = {}
    for label, run in runs.items():
        places = reading.final_particles(run)[:, 0]
        offsets[label] = places - lowest(run.loss, buckets_of(places))
    low, high = reading.fitting_range(list(offsets.values()))
    reach = 1.15 * max(-low, high, 1e-3 * WIDTH)
    inside = np.linspace(-reach, reach, 801)
    first = next(iter(runs.values()))
    bottom = float(lowest(first.loss, buckets_of(reading.final_particles(first)[:1, 0]))[0])
    loss = reading.loss_values(first.loss, bottom + inside[:, None])
    axes.plot(inside, (loss - loss.min()) / (np.ptp(loss) or 1.0), color=palette().faint, linewidth=1.8, alpha=0.7,
              transform=axes.get_xaxis_transform(), zorder=0, label=say("loss", function=style.FUNCTION))  # fmt: skip
    sds = one_notation([float(np.std(each)) for each in offsets.values()], digits=3)
    for row, label in enumerate(runs):
        axes.plot(offsets[label], np.full(len(offsets[label]), row), "|", color=colours[label], markersize=14,
                  markeredgewidth=1.8)  # fmt: skip
        density = _truth_inside(results.targets.get(label), bottom + inside)
        if density is not None:
            height = row - 0.27 - 0.42 * density / np.max(density)
            axes.plot(inside, height, color=palette().ink, linewidth=1.6, label=say("truth_in_bucket"))
        write_beside(axes, row, say("sd", sd=f"${sds[row]}$"), colours[label])
    axes.axvline(0.0, color=palette().faint, linewidth=1.0, linestyle=":", zorder=0)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(runs) - 0.55, -0.85)
    name_rows(axes, runs)
    axes.set_xlabel(say("all_buckets"))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))


def _truth_inside(target: Target | None, places: Array) -> Array | None:
    if not is_density(target):
        return None
    density = np.asarray(target.pdf(places)).ravel()
    return density if np.all(np.isfinite(density)) and np.max(density) > 0 else None


def write_beside(axes: Axes, row: int, text: str, colour: str) -> None:
    """Write words at the right end of a row."""
    axes.text(1.01, row, text, transform=axes.get_yaxis_transform(), va="center", color=style.lettering(colour))


def name_rows(axes: Axes, runs: Runs) -> None:
    """Write the names of the methods at the left of their rows."""
    axes.set_yticks(range(len(runs)), [style.shown_name(label) for label in runs])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
