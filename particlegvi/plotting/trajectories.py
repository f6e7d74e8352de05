"""Particles over time: positions against time in one dimension, paths over the contours of the loss in two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array, Target
from particlegvi.plotting import atoms, reading, rules, style, symbols
from particlegvi.plotting import plane as planes
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.loss import SCALE, scale_time, time_label
from particlegvi.plotting.protocols import Interval, ParticleRun, Results, Runs, is_atoms, is_density


def on_the_line_or_in_the_plane(results: Results, methods: Sequence[str] | None) -> Runs:
    """`reading.chosen_runs` in one or two dimensions, all in those of the first."""
    first = next(iter(reading.chosen_runs(results, methods).values()))
    return reading.chosen_runs(results, methods, dim=1 if first.positions.shape[2] == 1 else 2)


@figure_kind("trajectories", runs=on_the_line_or_in_the_plane, particles=rules.whole(1, 10_000), time=SCALE)
def trajectories(
    results: Results,
    runs: Runs,
    *,
    particles: int = 40,
    time: str = "log",
    truth: bool = True,
) -> Figure:
    """One panel per method: paths of particles, against time in 1-D and over the contours of the loss in 2-D.

    In 1-D dashed lines are the minima of the loss and dotted ones the tops between them, and at the right of every
    panel stands the histogram of all final particles with the truth.

    Parameters
    ----------
    particles : int
        Number of particles to draw, at equal distances in the order of their starting points.
    time : {"log", "linear"}
        Scale of the time axis in 1-D; the logarithmic one is linear up to the first record.
    truth : bool
        Whether the histogram with the truth is drawn next to the paths (1-D).
    """
    dim = next(iter(runs.values())).positions.shape[2]
    rows, _ = planes.panel_row(len(runs), 14.5 if truth else 11.0) if dim == 1 else planes.panel_grid(len(runs))
    most = max(run.positions.shape[1] for run in runs.values())
    with slide(results, rows, runs, facts=[say("paths", count=min(particles, most))]) as figure:
        if dim == 1:
            _against_time(figure, results, runs, particles, time, truth)
        else:
            _over_the_plane(figure, results, runs, particles)
    return figure


def evenly_chosen(run: ParticleRun, particles: int) -> Array:
    """Paths (records, at most ``particles``, dim) of particles evenly spread over the order of the first coordinate."""
    positions = np.asarray(run.positions)
    count = positions.shape[1]
    order = np.argsort(positions[0, :, 0], kind="stable")
    ranks = np.unique(np.linspace(0, count - 1, min(particles, count)).round().astype(int))
    return positions[:, order[ranks]]


def _against_time(figure: Figure, results: Results, runs: Runs, particles: int, time: str, truth: bool) -> None:
    colours = style.colours(results)
    samples = [evenly_chosen(run, particles) for run in runs.values()]
    samples += [reading.final_particles(run) for run in runs.values()]
    limits = reading.fitting_range(samples, reading.prior_bounds(next(iter(runs.values()))))
    grid = np.linspace(*limits, 8001)
    minima, tops = reading.turning_points(grid, reading.loss_values(next(iter(runs.values())).loss, grid[:, None]))
    rows, columns = planes.panel_row(len(runs), 14.5 if truth else 11.0)
    every = 2 if truth else 1
    ratios = [4.2, 1.0] * columns if truth else [1.0] * columns
    panels = planes.grid_of(figure, (rows, len(ratios)), every * len(runs), sharey=True, widths=ratios)
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
    for axes in mains[::columns]:
        axes.set_ylabel(say("parameter", name=symbols.coordinates(next(iter(runs.values())).loss, 1)[0]))
    mains[0].set_ylim(*limits)


def draw_against_time(axes: Axes, run: ParticleRun, colour: str, particles: int) -> None:
    """Paths of some particles in one dimension against time."""
    paths = evenly_chosen(run, particles)[:, :, 0].T
    points = np.stack([np.broadcast_to(run.times, paths.shape), paths], axis=-1)
    # One artist for all paths: a line for each takes several times as long. Its limits are part of those of the axes,
    # because a logarithmic axis asks for the smallest positive time.
    axes.add_collection(LineCollection(list(points), colors=colour, linewidths=0.9, alpha=0.6, zorder=2))
    axes.add_line(Line2D([], [], color=colour, linewidth=0.9, label=say("particles")))


def draw_levels(axes: Axes, minima: Array, tops: Array) -> None:
    """Horizontal lines at the minima of the loss and at the tops between their basins, unless there are too many."""
    if len(minima) > 12:
        return
    for heights, pattern, label in ((minima, (0, (4, 1.5)), say("minima")), (tops, ":", say("tops"))):
        for position, height in enumerate(heights):
            axes.axhline(
                height,
                color=palette().ink,
                linestyle=pattern,
                linewidth=1.0,
                zorder=1.5,
                label=label if position == 0 else None,
            )


def draw_side(axes: Axes, run: ParticleRun, target: Target | None, colour: str, limits: Interval) -> None:
    """Draw a histogram of all final particles that lies on its side, with the target."""
    last = reading.final_particles(run)[:, 0]
    edges = np.linspace(*limits, 41)
    if is_atoms(target) and len(target.weights) <= atoms.MANY_ATOMS:
        places, weights = np.asarray(target.atoms)[:, 0], np.asarray(target.weights)
        width = atoms.bar_width(places, edges)
        heights, _ = atoms.at_atoms(last, places, width / 2)
        axes.barh(places, heights, width, color=colour, alpha=0.62)
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


def _over_the_plane(figure: Figure, results: Results, runs: Runs, particles: int) -> None:
    colours = style.colours(results)
    plane = planes.plane_of(runs, results.targets, results.scenario.get("modes"))
    rows, columns = planes.panel_grid(len(runs))
    panels = planes.grid_of(figure, (rows, columns), len(runs))
    for position, (label, run) in enumerate(runs.items()):
        draw_paths(panels[position], run, colours[label], plane, particles, position % columns == 0)
        style.panel_title(panels[position], label, run, colours[label])
        style.note_metastable(panels[position], reading.facts_of(results, label), run)


def draw_paths(axes: Axes, run: ParticleRun, colour: str, plane: planes.Plane, particles: int, labelled: bool) -> None:
    """Draw paths of some particles in two dimensions, with a hollow dot at the start and a full one at the end."""
    planes.draw_plane(axes, plane, labelled)
    paths = evenly_chosen(run, particles)
    segments = [path[np.isfinite(path).all(axis=1)] for path in np.moveaxis(paths, 1, 0)]
    segments = [path for path in segments if len(path)]
    size = float(np.clip(1200.0 / max(len(segments), 1), 14.0, 70.0))
    axes.add_collection(LineCollection(segments, colors=colour, linewidths=0.8, alpha=0.55, zorder=2), autolim=False)
    axes.add_line(Line2D([], [], color=colour, linewidth=0.9, label=say("particles")))
    for place, face, label in ((0, palette().ground, say("start")), (-1, palette().ink, say("end"))):
        points = np.array([path[place] for path in segments]).reshape(-1, 2)
        axes.scatter(
            points[:, 0],
            points[:, 1],
            s=size,
            facecolors=face,
            edgecolors=palette().ink,
            linewidths=1.0,
            zorder=3,
            label=label,
        )
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 3, 5, 10]))
