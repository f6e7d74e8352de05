"""The frame that figures of panels share: an empty slide with its panels, the legend below and the heading above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from particlegvi.plotting import style
from particlegvi.plotting.layout import SEPARATOR, heading, legend_below
from particlegvi.plotting.look import number, say
from particlegvi.plotting.plane import panel_row
from particlegvi.plotting.protocols import FunctionRun, Results, Runs

MARKERS = ("o", "s", "^", "D", "v")


@contextmanager
def frame(
    results: Results, panels: int = 1, breadth: float = 20.0, runs: Runs | None = None, note: str = ""
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure and its panels to draw in; it has its legend and heading when the context ends.

    Parameters
    ----------
    results : Results
        The heading shows their title and source.
    panels : int
        Number of panels; they stand side by side where they fit.
    breadth : float
        Least width of a panel, in sizes of the smallest letters.
    runs : mapping, optional
        The heading shows their particles, steps and seed.
    note : str
        Further text of the heading.
    """
    with style.slide_style():
        rows, columns = panel_row(panels, breadth) if panels > 1 else (1, 1)
        figure = style.new_slide(rows)
        grid = list(figure.subplots(rows, columns, squeeze=False).ravel())
        yield figure, grid[:panels]
        for spare in grid[panels:]:
            spare.set_visible(False)
        legend_below(figure)
        heading(figure, results.scenario, runs or {}, note)


def series(place: int, label: str, colour: str) -> dict[str, Any]:
    """The marker, dashes, colour and label of the line at this place."""
    return {"marker": MARKERS[place % len(MARKERS)], "linestyle": style.DASHES[place % 4], "color": colour,
            "label": style.plain(label)}  # fmt: skip


def observations(runs: Mapping[str, FunctionRun]) -> str:
    """The number of observations and the seed, in words."""
    run = next(iter(runs.values()))
    words = [say("number_of_observations", count=number(f"{len(run.problem.y):,}")), say("seed", seed=run.seed)]
    return SEPARATOR.join(words)
