"""Figure 5.2: a histogram of the final particles of every method, with the truth drawn over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Target
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.atoms import HEADROOM, MANY_ATOMS, draw_atoms
from particlegvi.plotting.bars import draw_histogram
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import heading, legend_below
from particlegvi.plotting.plane import panel_grid
from particlegvi.plotting.results import Interval, ParticleRun, Results, Runs, Targets, is_atoms, is_density


@figure_kind("histograms", methods=rules.labels, bins=rules.whole(1, 1000), range=rules.interval)
def histograms(
    results: Results,
    *,
    methods: Sequence[str] | None = None,
    bins: int = 36,
    range: Interval | None = None,
    loss: bool = True,
) -> Figure:
    """One panel per method: histogram of the final particles, the truth, and the loss in grey.

    Where the truth is a density the area of the bars is one (less what lies outside the panel). Where it is atomic
    (DE) the bars are fractions of the particles, and the truth is a stem with its weight at every atom.

    Parameters
    ----------
    results : Results
        Runs in one dimension.
    methods : sequence of str, optional
        Which methods, in which order; all by default.
    bins : int
        Number of bins across the panel, the same in every panel.
    range : (low, high), optional
        What part of the axis is shown; chosen from the particles and the truth by default.
    loss : bool
        Whether the loss is drawn.
    """
    runs = reading.chosen_runs(results, methods, dim=1)
    colours = style.colours(results)
    limits = common_range(runs, results.targets) if range is None else range
    with style.slide_style():
        rows, columns = panel_grid(len(runs))
        figure = style.new_slide(rows if rows == 1 else 1.8 * rows)  # room for words in every panel
        panels = list(figure.subplots(rows, columns, sharex=True, squeeze=False).ravel())
        for spare in panels[len(runs) :]:
            spare.set_visible(False)
        panels = panels[: len(runs)]
        headroom = HEADROOM
        for axes, (label, run) in zip(panels, runs.items(), strict=True):
            needed = draw_panel(axes, run, results.targets.get(label), colours[label], limits, bins)
            headroom = max(headroom, needed)
            style.panel_title(axes, label, run, colours[label])
            note_distance(axes, reading.facts_of(results, label))
        share_heights(panels, headroom, columns)
        if loss:
            for axes in panels:
                draw_loss(axes, list(runs.values()), limits, axes is panels[-1], headroom)
        legend_below(figure)
        heading(figure, results.scenario, runs)
    return figure


def common_range(runs: Runs, targets: Targets) -> Interval:
    """An interval that fits the particles of every method and all but 0.2% of every truth, inside the prior's box."""
    samples = [reading.final_particles(run) for run in runs.values()]
    for label in runs:
        target = targets.get(label)
        if is_density(target):
            samples.append(np.asarray(target.quantile(np.array([0.001, 0.999]))))
        elif is_atoms(target):
            samples.append(np.asarray(target.atoms))
    return reading.fitting_range(samples, reading.prior_bounds(next(iter(runs.values()))))


def draw_panel(
    axes: Axes, run: ParticleRun, target: Target | None, colour: str, limits: Interval, bins: int
) -> float:
    """Bars, truth and axis labels of one method; the truth may be None. Returns the headroom its words need."""
    particles = reading.final_particles(run)[:, 0]
    edges = np.linspace(*limits, bins + 1)
    headroom = HEADROOM
    axes.set_xlim(*limits)
    axes.set_xlabel(r"parameter $\theta$")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    if is_atoms(target):
        axes.set_ylabel("fraction of particles")
        headroom = draw_atoms(axes, particles, target, colour, edges)
    else:
        axes.set_ylabel("density")
        share = 1.0 / (max(len(particles), 1) * (edges[1] - edges[0]))
        draw_histogram(axes, particles, edges, share, colour, label="particles")
        draw_density(axes, run, target, limits)
    outside = np.mean((particles < limits[0]) | (particles > limits[1])) if len(particles) else 0.0
    if outside > 0:
        text = f"{outside:.1%} of the particles lie outside"
        axes.text(0.5, 0.80, text, transform=axes.transAxes, ha="center", color=style.TEXT_GREY)
    return headroom


def draw_density(axes: Axes, run: ParticleRun, target: Target | None, limits: Interval) -> None:
    """The truth as a dashed curve: Q*'s density, and for FD-GVI the Gaussian that was fitted."""
    grid = np.linspace(*limits, 1201)
    if is_density(target):
        axes.plot(grid, np.asarray(target.pdf(grid)).ravel(), color=style.BLACK, linestyle=(0, (4, 1.5)), linewidth=2.2,
                  label=r"truth: minimiser $Q^*$", gid="truth")
    fitted = reading.fitted_gaussian(run)
    if fitted is not None:
        mean, sd = float(fitted[0][0]), float(fitted[1][0])
        height = np.exp(-0.5 * ((grid - mean) / sd) ** 2) / (sd * np.sqrt(2.0 * np.pi))
        axes.plot(grid, height, color=style.BLACK, linestyle=":", linewidth=2.2, label="fitted Gaussian")


def note_distance(axes: Axes, facts: Mapping[str, Any], between: str = "\n") -> bool:
    """Write the distance to the truth, and the range of 90% of as many exact draws. Returns whether it is known."""
    distance, floor = facts.get("w1"), facts.get("w1_floor")
    if distance is None:
        return False
    lines = [f"$W_1$ to the truth: {distance:.3f}"]
    if floor is not None:
        lines.append(f"exact draws: {floor[0]:.3f} to {floor[1]:.3f}")
    axes.text(0.5, 0.985, between.join(lines), transform=axes.transAxes, ha="center", va="top", linespacing=1.35)
    return True


def share_heights(panels: Sequence[Axes], headroom: float, columns: int = 1) -> None:
    """The same height for all panels that show the same quantity, with room for words above the data."""
    for quantity in {axes.get_ylabel() for axes in panels}:
        same = [axes for axes in panels if axes.get_ylabel() == quantity]
        top = max(axes.dataLim.y1 for axes in same) * headroom
        for axes in same:
            position = list(panels).index(axes)
            axes.set_ylim(0.0, top if top > 0 else 1.0)
            axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
            if position % columns > 0 and panels[position - 1] in same:
                axes.set_ylabel("")
                axes.tick_params(labelleft=False)


def draw_loss(axes: Axes, runs: Sequence[ParticleRun], limits: Interval, named: bool, headroom: float) -> None:
    """The loss behind everything else, on an axis of its own at the right of the last panel."""
    grid = np.linspace(*limits, 2001)
    values = reading.loss_values(runs[0].loss, grid[:, None])
    ends = [reading.finite_particles(np.asarray(run.positions[record])) for run in runs for record in (0, -1)]
    places = np.concatenate(ends)
    places = places[(places[:, 0] >= limits[0]) & (places[:, 0] <= limits[1])]
    top = reading.loss_ceiling(values, reading.loss_values(runs[0].loss, places))
    bottom = float(np.min(values[np.isfinite(values)], initial=top))
    height = (top - bottom) or 1.0
    twin = axes.twinx()
    twin.plot(grid, np.where(values <= top, values, np.nan), color=style.LOSS_GREY, linewidth=1.8, alpha=0.8,
              label=r"loss $\ell(\theta)$")
    # The curve ends below the words: it fills the same part of the panel as the data.
    twin.set_ylim(bottom - 0.06 * height, bottom + height * headroom * 1.02)
    minimisers = reading.global_minimisers(runs[0].loss, limits)
    if 1 <= len(minimisers) <= MANY_ATOMS:
        axes.plot(minimisers, np.zeros(len(minimisers)), "D", color=style.ORANGE, markeredgecolor=style.BLACK,
                  markersize=8, label=r"$\mathrm{arg\,min}\ \ell$", clip_on=False, zorder=5, gid="minimisers")
    twin.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    twin.spines["right"].set_visible(named)
    twin.tick_params(axis="y", right=named, labelright=named, colors=style.TEXT_GREY)
    twin.yaxis.set_major_locator(MaxNLocator(nbins=5))
    if named:
        twin.set_ylabel(r"loss $\ell(\theta)$", color=style.TEXT_GREY)
