"""The surroundings of panels: the frame of a figure with its heading, and one legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from particlegvi.contracts import Facts
from particlegvi.plotting import style
from particlegvi.plotting.heading import heading
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import FunctionRun, Results, Runs
from particlegvi.plotting.style import Slide
from particlegvi.plotting.swept import Swept

WIDE: Facts = {"columnspacing": 1.5, "handlelength": 1.9, "handletextpad": 0.6}  # spaces of a legend
NARROW: Facts = {
    "columnspacing": 0.9,
    "handlelength": 1.4,
    "handletextpad": 0.4,
    "borderpad": 0.1,
    "borderaxespad": 0.2,
    "labelspacing": 0.2,
}
BELOW = 0.2  # room below a panel without a legend there, in sizes of the smallest letters
MARKERS = ("o", "s", "^", "D", "v")


def legend_outside(figure: Figure) -> None:
    """Make one legend of all labels, each once (`_neutral`): below the panels in as few rows as fit.

    On a slide it stands beside a single panel with equal axes, which needs the height and not the width.
    """
    found: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, _neutral(handle, label))
    if say("particles") in found:
        found = {say("particles"): found[say("particles")], **found}
    if look().is_slide and len(figure.axes) == 1 and figure.axes[0].get_aspect() == 1.0:
        figure.legend(list(found.values()), list(found), loc="outside right center", **NARROW)
        low = BELOW * look().small / 72.0 / figure.get_figheight()
        engine = figure.get_layout_engine()
        assert isinstance(engine, ConstrainedLayoutEngine)
        engine.set(rect=(0.0, low, 1.0, 1.0 - low))
        return
    spaces, orders = WIDE, [list(found)]
    if look().is_slide:  # long labels above each other need less room
        spaces, orders = NARROW, [*orders, sorted(found, key=len, reverse=True)]
    for rows in range(1, len(found) + 1):
        columns = -(-len(found) // rows)
        for labels in orders:
            legend = figure.legend([found[label] for label in labels], labels, loc="outside lower center",
                                   ncols=columns, **spaces)  # fmt: skip
            if columns == 1 or legend.get_window_extent().width < 0.985 * figure.bbox.width:
                return
            legend.remove()


def _neutral(handle: Artist, label: str) -> Artist:
    """The handle as the legend shows it: dots of one size, and particles in grey for all colours."""
    neutral = palette().particles
    if isinstance(handle, Collection):
        face, edge = np.reshape(handle.get_facecolor(), (-1, 4)), np.reshape(handle.get_edgecolor(), (-1, 4))
        own: tuple[Any, Any, float] = (face[0] if len(face) else "none", edge[0] if len(edge) else "none", 9.0)
        grey = {say("particles"): (neutral, neutral, 7.0), say("starting_points"): (neutral, neutral, 4.0)}
        inside, around, size = grey.get(label, own)
        dot: Facts = {"marker": "o", "markersize": size, "markerfacecolor": inside, "markeredgecolor": around}
        return Line2D([], [], linestyle="none", markeredgewidth=1.6, **dot)
    if label != say("particles"):
        return handle
    return Line2D([], [], color=neutral) if isinstance(handle, Line2D) else Patch(color=neutral, alpha=0.62)


@contextmanager
def frame(
    results: Results,
    panels: int = 1,
    breadth: float = 20.0,
    runs: Runs | None = None,
    note: str = "",
    facts: Sequence[str] = (),
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure and its panels to draw in; it has its legend and heading (`slide`) when the context ends.

    The panels stand side by side where each has this least ``breadth``, in sizes of the smallest letters.
    """
    rows, columns = panel_row(panels, breadth) if panels > 1 else (1, 1)
    with slide(results, rows, runs, note, facts=facts) as figure:
        yield figure, grid_of(figure, (rows, columns), panels)


@contextmanager
def slide(
    results: Results | Swept,
    rows: float = 1,
    runs: Runs | None = None,
    note: str = "",
    clock: str = "",
    tall: float = 1.0,
    *,
    facts: Sequence[str] = (),
) -> Iterator[Slide]:
    """An empty figure to draw in; it has its legend and heading when the context ends.

    The heading shows title and source of the results, the ``note``, which explains the figure, the ``facts``,
    particles, steps and seed of the ``runs``, and the time of the ``clock``, whose text is `Slide.clock`. Many rows of
    panels make the figure taller, and two do so where ``tall`` is above 1.
    """
    with style.slide_style():
        figure = style.new_slide(rows, tall=tall)
        yield figure
        legend_outside(figure)
        figure.clock = heading(figure, results.scenario, runs or {}, note, clock, facts)


def series(place: int, label: str, colour: str) -> dict[str, Any]:
    """The marker, dashes, colour and label of the line at this place."""
    return {"marker": MARKERS[place % len(MARKERS)], "linestyle": style.DASHES[place % 4], "color": colour,
            "label": style.shown_name(label)}  # fmt: skip


def observations(runs: Mapping[str, FunctionRun], functions: bool = False) -> list[str]:
    """The number of observations, with ``functions`` that of the sampled functions, and the seed, in words."""
    run = next(iter(runs.values()))
    counts = {"number_of_observations": len(run.problem.y), "number_of_functions": len(run.final)}
    told = [say(key, count=localised(f"{count:,}")) for key, count in list(counts.items())[: 1 + functions]]
    return [*told, say("seed", seed=run.seed)]
