"""The surroundings of the panels: the two lines of the heading above, and one legend below that covers no axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from particlegvi.plotting.reading import fitted_gaussian
from particlegvi.plotting.results import Runs, Stepped
from particlegvi.plotting.style import LARGE, MEDIUM, SMALL, TEXT_GREY
from particlegvi.schedules import shown

NEUTRAL = "#6E6E6E"
SEPARATOR = "  |  "
FEWEST = 12  # letters of the source that are left where the line is full


def heading(figure: Figure, scenario: Mapping[str, Any], runs: Runs, note: str = "", clock: str = "") -> Text:
    """Write the title of the scenario, and below it the source, the ``note`` of the figure and the settings.

    The words of the ``clock`` stand at the right end of the second line. They are returned, since a film changes them.
    """
    title = str(scenario.get("title") or scenario.get("name") or "")
    size = LARGE if len(title) <= 72 else MEDIUM
    height = figure.get_size_inches()[1]
    facts = [*filter(None, [note]), *settings(runs)]
    room = 104 - sum(len(fact) + len(SEPARATOR) for fact in facts)
    source = shortened(str(scenario.get("source") or ""), max(room, FEWEST))
    line = SEPARATOR.join(filter(None, [source, *facts]))
    # Both lines come from the scenario, so what looks like mathematics in them is none.
    figure.text(0.012, 1.0 - 0.10 / height, shortened(title, 88), va="top", parse_math=False, size=size, weight="bold")
    below = figure.text(0.012, 1.0 - 0.42 / height, line, va="top", parse_math=False, size=SMALL, color=TEXT_GREY)
    time = figure.text(0.988, 1.0 - 0.40 / height, clock, va="top", ha="right", parse_math=False, size=MEDIUM,
                       weight="bold", gid="clock")
    room = 0.98 * time.get_window_extent().x0
    while clock and below.get_window_extent().x1 > room and len(source) > FEWEST:
        source = shortened(source, max(len(source) - 4, FEWEST))
        below.set_text(SEPARATOR.join([source, *facts]))
    return time


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and three dots where it would not fit on a line."""
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."


def settings(runs: Runs) -> list[str]:
    """Particles, steps and seed in words, each only if it is the same in all runs."""
    # The steps of a run that fitted a Gaussian are those of an optimiser and not comparable.
    counts = {int(run.positions.shape[1]) for run in runs.values()}
    runs = {label: run for label, run in runs.items() if isinstance(run, Stepped)}
    lengths = {(int(run.steps[-1]), shown(run.step_size)) for run in runs.values() if fitted_gaussian(run) is None}
    seeds = {run.seed for run in runs.values()}
    facts = []
    if len(counts) == 1:
        facts.append(f"{counts.pop():,} particles")
    if len(lengths) == 1:
        steps, step_size = lengths.pop()
        facts.append(f"{steps:,} steps of {step_size}")
    if len(seeds) == 1:
        facts.append(f"seed {seeds.pop()}")
    return facts


def legend_below(figure: Figure) -> None:
    """Make one legend of all labels, each once, in as few rows as fit (`_neutral`)."""
    found: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, _neutral(handle, label))
    if "particles" in found:
        found = {"particles": found["particles"], **found}
    for rows in range(1, len(found) + 1):
        columns = -(-len(found) // rows)
        labels = _by_rows(list(found), columns)
        legend = figure.legend([found[label] for label in labels], labels, loc="outside lower center", ncols=columns,
                               columnspacing=1.5, handlelength=1.9, handletextpad=0.6)
        if columns == 1 or legend.get_window_extent().width < 0.985 * figure.bbox.width:
            return
        legend.remove()


def _by_rows(labels: list[str], columns: int) -> list[str]:
    """Reorder for matplotlib, which fills columns from the left, so that the entries read from row to row."""
    rows = -(-len(labels) // columns)
    full = len(labels) - (rows - 1) * columns  # so many columns have an entry in the last row
    order = [row * columns + column for column in range(columns) for row in range(rows if column < full else rows - 1)]
    return [labels[place] for place in order]


def _neutral(handle: Artist, label: str) -> Artist:
    """The handle as the legend shows it: dots of one size, and particles in grey for all colours."""
    if isinstance(handle, Collection):
        face, edge = np.reshape(handle.get_facecolor(), (-1, 4)), np.reshape(handle.get_edgecolor(), (-1, 4))
        own: tuple[Any, Any, float] = (face[0] if len(face) else "none", edge[0] if len(edge) else "none", 9.0)
        grey = {"particles": (NEUTRAL, NEUTRAL, 7.0), "starting points": (NEUTRAL, NEUTRAL, 4.0)}
        inside, around, size = grey.get(label, own)
        return Line2D([], [], marker="o", linestyle="none", markerfacecolor=inside, markeredgecolor=around,
                      markeredgewidth=1.6, markersize=size)
    if label != "particles":
        return handle
    return Line2D([], [], color=NEUTRAL) if isinstance(handle, Line2D) else Patch(color=NEUTRAL, alpha=0.62)
