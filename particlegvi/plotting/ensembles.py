"""Figures of ensembles of networks: over a line, over a plane, and the displacement by the weight of the repulsion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, slide
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.moving import MovingFigure, Show, clock_of
from particlegvi.plotting.plane import Window, grid_of, panel_row
from particlegvi.plotting.protocols import Interval, NetworkRun, Results, Runs

GRID = 401  # inputs on a line
MEMBERS = 50  # most networks that are drawn
BEYOND = 1.0 / 6.0  # part of the data's width that is drawn beyond them
WIDE = 1.645  # standard deviations of a 90% band
SIDE = 121  # inputs along a side of the plane
MARKS = (("o", "DLE"), ("^", "DRE"), ("s", "DRLE"), ("D", "DE"))  # for classes, in the colours of these methods
MOST = 4  # panels side by side
WIDER = {1: 4.0, 2: 2.2, 3: 1.5, 4: 1.1}  # width of a panel to its height, by their number
CURVES = (
    ("gradient", "moved_by_gradient", "DLE", "o"),  # in the colours of these methods
    ("noise", "moved_by_noise", "", "s"),
    ("interaction", "moved_by_interaction", "DE", "D"),
)


@figure_kind("ensemble-line", of=("networks",), runs=partial(reading.of_networks, inputs=1), moves=True)
def ensemble_line(results: Results, runs: Mapping[str, NetworkRun]) -> MovingFigure:
    """One panel per method: the functions of at most 50 networks, the data and the gaps between them.

    The true function, and the band of the process that it was drawn from, are drawn where they are known.
    """
    if any(run.classifies for run in runs.values()):
        raise ValueError("this kind of figure draws regressions, but these networks classify")
    colours = style.colours(results)
    first = next(iter(runs.values()))
    x = first.data.X[:, 0]
    margin = BEYOND * (x.max() - x.min() or 1.0)
    grid = np.linspace(x.min() - margin, x.max() + margin, GRID)
    drawn = {label: means(run, grid)[:MEMBERS] for label, run in runs.items()}
    limits = _limits(first, grid, list(drawn.values()))
    rows, columns = panel_row(len(runs), 11.0)
    count = say("number_of_observations", count=localised(f"{len(first.data.y):,}"))
    shows: dict[str, Show] = {}
    with slide(results, rows, runs, count, clock_of(runs).at(-1)) as figure:
        panels = grid_of(figure, (rows, columns), len(runs), columns, sharey=True)
        for axes, (label, run) in zip(panels, runs.items(), strict=True):
            shows[label] = following(run, grid, _draw(axes, run, grid, drawn[label], colours[label]))
            style.panel_title(axes, label, run, colours[label])
            axes.set_xlim(grid[0], grid[-1])
            axes.set_xlabel(say("input"))
            axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        panels[0].set_ylim(*limits)
        for axes in panels[::columns]:
            axes.set_ylabel(say("function"))
    return MovingFigure(figure, runs, shows, figure.clock)


def following(run: NetworkRun, grid: Array, curves: Sequence[Line2D]) -> Show:
    """Move the functions of networks to a record."""

    def show(record: int) -> None:
        for curve, values in zip(curves, means(run.at(record), grid), strict=False):
            curve.set_ydata(values)

    return show


def means(run: NetworkRun, grid: Array) -> Array:
    """The output of each network at the inputs (n,): (particles, n), of two outputs the first."""
    found = run.predict(grid[:, None])
    return found if found.ndim == 2 else found[:, :, 0]


def _draw(axes: Axes, run: NetworkRun, grid: Array, members: Array, colour: str) -> list[Line2D]:
    """Draw one panel; returns the curves of the networks."""
    for low, high in run.data.gaps:
        axes.axvspan(low, high, color=palette().gap, linewidth=0.0, zorder=0, label=say("no_data"))
    known = run.process(grid[:, None])
    if known is not None:
        mean, sd = known
        axes.fill_between(
            grid, mean - WIDE * sd, mean + WIDE * sd, color=palette().faint, alpha=0.35, linewidth=0.0, zorder=1
        )
        for edge in (mean - WIDE * sd, mean + WIDE * sd):  # on top of the networks, which hide the band
            style.outlined(axes.plot(grid, edge, color=palette().words, linewidth=1.0, zorder=2.5)[0])
        axes.fill([], [], facecolor=palette().faint, edgecolor=palette().words, alpha=0.5, label=say("true_process"))
    curves = axes.plot(grid, members.T, color=colour, linewidth=0.9, alpha=0.55, zorder=2)
    axes.plot([], [], color=palette().words, linewidth=1.2, label=say("networks"))
    if run.data.truth is not None:
        line = axes.plot(grid, run.data.truth(grid), color=palette().ink, linestyle="--", linewidth=1.8, zorder=3,
                         label=say("truth"))[0]  # fmt: skip
        style.outlined(line)
    axes.scatter(
        run.data.X[:, 0],
        run.data.y,
        s=24.0,
        color=palette().words,
        edgecolors=palette().ground,
        linewidths=0.4,
        label=say("data"),
        zorder=4,
    )
    return curves


def _limits(run: NetworkRun, grid: Array, members: list[Array]) -> Interval:
    samples = [np.ravel(each) for each in members]
    if run.data.truth is not None:
        samples.append(run.data.truth(grid))
    low, high = reading.fitting_range(samples)
    seen = np.clip(np.concatenate(samples), 1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low)  # all, unless one ran away
    low, high = min(low, float(seen.min())), max(high, float(seen.max()))
    margin = 0.05 * (high - low)
    return min(low, float(run.data.y.min()) - margin), max(high, float(run.data.y.max()) + margin)


@figure_kind("ensemble-plane", of=("networks",), runs=partial(reading.of_networks, inputs=2))
def ensemble_plane(results: Results, runs: Mapping[str, NetworkRun]) -> Figure:
    """Above the probability of the likelier class, below the disagreement of the members; a column for each of at
    most four methods.

    The box is where context inputs are looked for, where a method has some. The picture shows the box and half its
    width on every side.
    """
    if not all(run.classifies for run in runs.values()):
        raise ValueError("this kind of figure draws classifications, but these networks have numbers as outputs")
    if len(runs) > MOST:
        raise ValueError(f"methods must be at most {MOST} for this kind of figure, not {len(runs)}")
    boxes = {label: _box(results, label) for label in runs}
    first = next(iter(runs.values()))
    around = [box for box in boxes.values() if box]
    shown = _window(first, around, len(runs))
    across, up, points = reading.grid_points(*shown, SIDE)
    colours = style.colours(results)
    tones = {"dark": ("Greys_r", "Greys_r"), "grey": ("Greys", "Greys")}.get(look().palette, ("Greys", "Purples"))
    number = say("number_of_points", count=localised(f"{len(first.data.y):,}"))
    is_slide = look().is_slide  # a bar as low as its panels has no room for words beside it
    with slide(results, 1, runs, say("rows_of_surfaces") if is_slide else number) as figure:
        panels = figure.subplots(2, len(runs), sharex=True, sharey=True, squeeze=False)
        for column, (label, run) in enumerate(runs.items()):
            probability = run.probabilities(points).mean(axis=0).max(axis=1)
            classes = run.probabilities(points[:1]).shape[2]
            surfaces = (
                (probability, tones[0], 1.0 / classes, 1.0),
                (run.disagreement(points), tones[1], 0.0, np.log(classes)),
            )
            images = [
                panels[row, column].pcolormesh(across, up, values.reshape(SIDE, SIDE), cmap=name, vmin=low, vmax=high,
                                               shading="nearest", rasterized=True)
                for row, (values, name, low, high) in enumerate(surfaces)
            ]  # fmt: skip
            for axes in panels[:, column]:
                _decorate(axes, run, shown, boxes[label])
            style.panel_title(panels[0, column], label, run, colours[label])
            panels[1, column].set_xlabel("$x_1$")
        for row, words in enumerate((say("likelier_class"), say("disagreement"))):
            panels[row, 0].set_ylabel("$x_2$", rotation=0, labelpad=10)
            figure.colorbar(images[row], ax=list(panels[row]), label="" if is_slide else words, pad=0.01)
    return figure


def _box(results: Results, label: str) -> tuple[float, float] | None:
    """Ends of the box of context inputs of a method, the same in both coordinates."""
    kernel = results.scenario.get("methods", {}).get(label, {}).get("kernel")
    return (kernel["low"], kernel["high"]) if isinstance(kernel, dict) and "low" in kernel else None


def _window(run: NetworkRun, boxes: list[tuple[float, float]], columns: int) -> Window:
    """The data and the boxes with a margin, as wide as the panels have room for."""
    low, high = run.data.X.min(axis=0), run.data.X.max(axis=0)
    for left, right in boxes:
        low, high = np.minimum(low, left), np.maximum(high, right)
    middle, half = 0.5 * (low + high), 0.625 * (high - low)
    narrow = min(1.0, look().breadth / 60.0)  # a page in two columns is too narrow for panels of full width
    tall = look().tallness(columns)
    half[0] = max(half[0], (1.7 / tall if tall else narrow**1.5 * WIDER[columns]) * half[1])
    (left, bottom), (right, top) = middle - half, middle + half
    return (float(left), float(right)), (float(bottom), float(top))


def _decorate(axes: Axes, run: NetworkRun, window: Window, box: tuple[float, float] | None) -> None:
    for label in np.unique(run.data.y):
        mark, method = MARKS[int(label) % len(MARKS)]
        rows = run.data.X[run.data.y == label]
        axes.plot(
            rows[:, 0],
            rows[:, 1],
            mark,
            color=palette().methods[method],
            markersize=3.5,
            markeredgewidth=0.3,
            markeredgecolor=palette().ground,
            label=say("class", label=f"{label:.0f}"),
        )
    if box is not None:
        low, high = box
        axes.add_patch(
            Rectangle(
                (low, low),
                high - low,
                high - low,
                fill=False,
                edgecolor=palette().ink,
                linestyle="--",
                linewidth=1.3,
                label=say("box"),
            )
        )
    axes.set_xlim(*window[0])
    axes.set_ylim(*window[1])
    axes.set_aspect("equal", adjustable="box")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))


@figure_kind("displacement", of=("networks",), runs=reading.named_runs, mark=rules.number(above=0.0))
def displacement(results: Results, runs: Runs, *, mark: float | None = None) -> Figure:
    """Three curves over mmd_weight, one point for each method with repulsion, on two logarithmic axes.

    Parameters
    ----------
    mark : float, optional
        A weight that is marked with a line: the thesis's.
    """
    facts = {label: reading.facts_of(results, label) for label in runs}
    found = {label: each["displacement"] for label, each in facts.items() if "displacement" in each}
    weights = {label: float(facts[label]["weights"]["mmd_weight"]) for label in found}
    labels = sorted((label for label in found if weights[label] > 0.0), key=weights.__getitem__)
    if not labels:
        raise ValueError("this kind of figure draws networks with repulsion, of which there are none")
    at = np.array([weights[label] for label in labels])
    with frame(results, runs={label: runs[label] for label in labels}) as (figure, [axes]):
        for key, words, method, marker in CURVES:
            values = np.array([found[label][key] for label in labels])
            if np.any(values > 0.0):
                axes.loglog(
                    at,
                    np.where(values > 0.0, values, np.nan),
                    marker=marker,
                    label=say(words),
                    color=palette().methods.get(method, palette().faint),
                )
        size = float(np.mean([found[label]["size"] for label in labels]))
        axes.axhline(size, color=palette().words, linestyle="--", linewidth=1.5, label=say("length_of_parameters"))
        if mark is not None:
            axes.axvline(mark, color=palette().words, linestyle=":", linewidth=1.8, label=say("weight_of_thesis"))
        axes.set_xlabel(say("weight_of_repulsion"))
        axes.set_ylabel(say("moved"))
    return figure
