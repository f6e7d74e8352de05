"""Particles on the line over time, and the axis of the time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from particlegvi.contracts import Array, Target
from particlegvi.diagnostics import spread_records
from particlegvi.integrators.schedules import Schedule
from particlegvi.plotting import atoms, reading, rules, style
from particlegvi.plotting.axis_numbers import parameter_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import Interval, ParticleRun, Results, Runs, is_atoms, is_density

FEW = 12  # paths that are drawn wide
PLAIN = 1e-3, 1e4  # times between these are no powers of ten
SCALE = rules.choice("linear", "log")  # the check of an option that is the scale of the time


@figure_kind("trajectories", runs=reading.chosen_runs, dim=1, particles=rules.whole(1, 10_000), time=SCALE)
def trajectories(
    results: Results,
    runs: Runs,
    *,
    particles: int = 40,
    time: str = "log",
    truth: bool = True,
) -> Figure:
    """One panel per method: paths of particles against time.

    Dashed lines are the minima of the loss and dotted ones the tops between them, and at the right of every panel
    stands the histogram of all final particles with the truth.

    Parameters
    ----------
    particles : int
        Number of particles to draw, at equal distances in the order of their starting points.
    time : {"log", "linear"}
        Scale of the time axis; the logarithmic one is linear up to the first record.
    truth : bool
        Whether the histogram with the truth is drawn next to the paths.
    """
    most = max(run.positions.shape[1] for run in runs.values())
    colours, loss = style.colours(results), next(iter(runs.values())).loss
    samples = [evenly_chosen(run, particles) for run in runs.values()]
    samples += [reading.final_particles(run) for run in runs.values()]
    limits = reading.fitting_range(samples, reading.prior_bounds(next(iter(runs.values()))))
    grid = np.linspace(*limits, 8001)
    minima, tops = reading.turning_points(grid, reading.loss_values(loss, grid[:, None]))
    rows, columns = panel_row(len(runs), 14.5 if truth else 11.0)
    every, ratios = (2, [4.2, 1.0] * columns) if truth else (1, [1.0] * columns)
    with slide(results, rows, runs, facts=[say("paths", count=min(particles, most))]) as figure:
        panels = grid_of(figure, (rows, len(ratios)), every * len(runs), sharey=True, widths=ratios)
        mains = panels[::every]
        for position, (label, run) in enumerate(runs.items()):
            axes, colour = mains[position], colours[label]
            draw_against_time(axes, run, colour, particles)
            draw_levels(axes, minima, tops)
            scale_time(axes, runs.values(), time)
            axes.set_xlabel(time_label([run]))
            style.panel_title(axes, label, run, colour)
            style.note_metastable(axes, reading.facts_of(results, label), run)
            if truth:
                draw_side(panels[2 * position + 1], run, results.targets.get(label), colour, limits)
        if rows == 1:
            style.level_titles(mains)
        for axes in mains[::columns]:
            axes.set_ylabel(parameter_of(loss)[0])
        mains[0].set_ylim(*limits)
    return figure


def evenly_chosen(run: ParticleRun, particles: int) -> Array:
    """Paths (records, at most ``particles``, 1) of particles evenly spread over the order of the first coordinate."""
    positions = np.asarray(run.positions)
    order = np.argsort(positions[0, :, 0], kind="stable")
    return positions[:, order[spread_records(len(order), particles)]]


def draw_against_time(axes: Axes, run: ParticleRun, colour: str, particles: int) -> None:
    """Paths of some particles against time."""
    paths = evenly_chosen(run, particles)[:, :, 0].T
    points = np.stack([np.broadcast_to(run.times, paths.shape), paths], axis=-1)
    # One artist for all paths: a line for each takes several times as long. Its limits are part of those of the axes,
    # because a logarithmic axis asks for the smallest positive time.
    width, alpha = (2.2, 0.85) if len(paths) <= FEW else (1.2, 0.65)
    axes.add_collection(LineCollection(list(points), colors=colour, linewidths=width, alpha=alpha, zorder=2))
    axes.add_line(Line2D([], [], color=colour, linewidth=width, label=say("particles")))


def draw_levels(axes: Axes, minima: Array, tops: Array) -> None:
    """Horizontal lines at the minima of the loss and at the tops between their basins, unless there are too many."""
    if len(minima) > 12:
        return
    for heights, pattern, label in ((minima, (0, (4, 1.5)), say("minima")), (tops, ":", say("tops"))):
        for position, height in enumerate(heights):
            axes.axhline(height, color=palette().ink, linestyle=pattern, linewidth=1.0, zorder=1.5,
                         label=label if position == 0 else None)  # fmt: skip


def draw_side(axes: Axes, run: ParticleRun, target: Target | None, colour: str, limits: Interval) -> None:
    """Draw a histogram of all final particles that lies on its side, with the target."""
    last = reading.final_particles(run)[:, 0]
    edges = np.linspace(*limits, 41)
    if is_atoms(target) and len(target.weights) <= atoms.MANY_ATOMS:
        places, weights = np.asarray(target.atoms)[:, 0], np.asarray(target.weights)
        bins = atoms.bins_around(places, edges)
        heights = np.histogram(last, bins)[0] / max(len(last), 1)
        axes.stairs(heights, bins, orientation="horizontal", fill=True, color=colour, alpha=0.62)
        axes.plot(weights, places, "o", color=palette().ink, markersize=7)
        top = float(max(heights.max(), weights.max()))
    else:
        width = float(edges[1] - edges[0])
        heights = np.histogram(last, edges)[0] / (max(len(last), 1) * width)
        axes.stairs(heights, edges, orientation="horizontal", fill=True, color=colour, alpha=0.62)
        top = float(heights.max())
        if is_density(target):
            grid = np.linspace(*limits, 801)
            density = np.asarray(target.pdf(grid)).ravel()
            axes.plot(density, grid, color=palette().ink, linewidth=1.8)
            top = max(top, float(np.max(density)))
    if target is not None:
        axes.add_line(Line2D([], [], color=palette().ink, linewidth=1.8, label=say("truth_beside")))
    axes.set_xlim(0.0, 1.12 * top or 1.0)
    axes.set_xticks([])
    axes.tick_params(labelleft=False, left=False)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel(say("final"), labelpad=1.2 * look().small)


def time_label(runs: Iterable[ParticleRun] = ()) -> str:
    """Time is dimensionless: the number of steps times the step size, or on a schedule the sum of the step sizes."""
    on_schedule = any(isinstance(run.step_size, Schedule) for run in runs)
    return say("time_of_schedule" if on_schedule else "time_of_steps")


def scale_time(axes: Axes, runs: Iterable[ParticleRun], scale: str) -> None:
    """Set the limits and the scale of a time axis that all of ``runs`` share.

    A logarithmic axis is linear up to the first record after the start, so that the start, at time 0, stays visible.
    """
    runs = list(runs)
    end = max(float(run.times[-1]) for run in runs)
    later = [float(run.times[1]) for run in runs if len(run.times) > 1]
    first = min(later, default=end)
    if scale == "log" and 0.0 < first < end:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
        axes.set_xlim(0.0, end)
        powers = np.arange(np.ceil(np.log10(first) - 1e-9), np.floor(np.log10(end) + 1e-9) + 1)
        axes.set_xticks([0.0, *(10.0**powers)])
        if first >= PLAIN[0] and end <= PLAIN[1]:
            axes.xaxis.set_major_formatter(lambda t, _: style.localised(f"{t:g}"))
        axes.xaxis.set_minor_locator(LogLocator(subs=[2, 3, 4, 5, 6, 7, 8, 9], numticks=50))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(0.0, end if end > 0 else 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
