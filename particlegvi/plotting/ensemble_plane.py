"""Ensembles of networks over a plane: how sure they are together, and how much their members disagree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.plane import Window
from particlegvi.plotting.protocols import NetworkRun, Results

GRID = 121
MARKS = (("o", "DLE"), ("^", "DRE"), ("s", "DRLE"), ("D", "DE"))  # for classes, in the colours of these methods
MOST = 4  # panels side by side
WIDER = {1: 4.0, 2: 2.2, 3: 1.5, 4: 1.1}  # width of a panel to its height, by their number


@figure_kind("ensemble-plane", of=("networks",), runs=partial(reading.of_networks, inputs=2), window=rules.window)
def ensemble_plane(results: Results, runs: Mapping[str, NetworkRun], *, window: Window | None = None) -> Figure:
    """Above the probability of the likelier class, below the disagreement of the members; a column for each of at
    most four methods.

    The box is where context inputs are looked for, where a method has some.

    Parameters
    ----------
    window : ((left, right), (bottom, top)), optional
        The part of the plane to show; by default the box of the context inputs and half its width on every side.
    """
    if not all(run.classifies for run in runs.values()):
        raise ValueError("this kind of figure draws classifications, but these networks have numbers as outputs")
    if len(runs) > MOST:
        raise ValueError(f"methods must be at most {MOST} for this kind of figure, not {len(runs)}")
    boxes = {label: _box(results, label) for label in runs}
    first = next(iter(runs.values()))
    around = [box for box in boxes.values() if box]
    shown = _window(first, around, len(runs)) if window is None else window
    across, up, points = reading.grid_points(*shown, GRID)
    colours = style.colours(results)
    tones = {"dark": ("Greys_r", "Greys_r"), "grey": ("Greys", "Greys")}.get(look().palette, ("Greys", "Purples"))
    with slide(results, 1, runs, say("number_of_points", count=number(f"{len(first.data.y):,}"))) as figure:
        panels = figure.subplots(2, len(runs), sharex=True, sharey=True, squeeze=False)
        for column, (label, run) in enumerate(runs.items()):
            probability = run.probabilities(points).mean(axis=0).max(axis=1)
            classes = run.probabilities(points[:1]).shape[2]
            surfaces = (
                (probability, tones[0], 1.0 / classes, 1.0), (run.disagreement(points), tones[1], 0.0, np.log(classes))
            )
            images = [
                panels[row, column].pcolormesh(across, up, values.reshape(GRID, GRID), cmap=name, vmin=low, vmax=high,
                                               shading="nearest", rasterized=True)
                for row, (values, name, low, high) in enumerate(surfaces)
            ]  # fmt: skip
            for axes in panels[:, column]:
                _decorate(axes, run, shown, boxes[label])
            style.panel_title(panels[0, column], label, run, colours[label])
            panels[1, column].set_xlabel("$x_1$")
        for row, words in enumerate((say("likelier_class"), say("disagreement"))):
            panels[row, 0].set_ylabel("$x_2$", rotation=0, labelpad=10)
            figure.colorbar(images[row], ax=list(panels[row]), label=words, pad=0.01)
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
        axes.plot(rows[:, 0], rows[:, 1], mark, color=palette().methods[method], markersize=3.5, markeredgewidth=0.3,
                  markeredgecolor=palette().ground, label=say("class", label=f"{label:.0f}"))
    if box is not None:
        low, high = box
        axes.add_patch(Rectangle((low, low), high - low, high - low, fill=False, edgecolor=palette().ink,
                                 linestyle="--", linewidth=1.3, label=say("box")))
    axes.set_xlim(*window[0])
    axes.set_ylim(*window[1])
    axes.set_aspect("equal", adjustable="box")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
