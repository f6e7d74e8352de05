"""The surroundings of panels: the frame of a figure, the heading of two lines above, and one legend below."""

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
from matplotlib.text import Text

from particlegvi.contracts import Facts, Scenario
from particlegvi.integrators.schedules import Schedule, shown
from particlegvi.plotting import style
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import FunctionRun, Results, Runs, Stepped
from particlegvi.plotting.reading import fitted_gaussian
from particlegvi.plotting.style import Slide
from particlegvi.plotting.swept import Swept
from particlegvi.tools import words

EDGE = 0.012  # between the words and the left of the picture, as a fraction of its width
MOST_LINES = 2  # most lines of a title
SEPARATOR = "  |  "
FEWEST = 12  # the source is not cut below this number of letters
WIDE: Facts = {"columnspacing": 1.5, "handlelength": 1.9, "handletextpad": 0.6}  # spaces of a legend
NARROW: Facts = {
    "columnspacing": 0.9,
    "handlelength": 1.4,
    "handletextpad": 0.4,
    "borderpad": 0.1,
    "borderaxespad": 0.2,
    "labelspacing": 0.2,
}
MARKERS = ("o", "s", "^", "D", "v")


def heading(figure: Figure, scenario: Scenario, runs: Runs, note: str = "", clock: str = "") -> Text:
    """Write the title of the scenario, and below it the source, the ``note`` of the figure and the settings.

    The words of the ``clock`` stand at the right end of the second line. They are returned, since a film changes them.
    In a look other than the default, long lines are broken, and the panels make room.
    """
    seen, height = look(), figure.get_size_inches()[1]
    own = words.of(seen.language)
    title = own.title(str(scenario.get("title") or scenario.get("name") or ""))
    title = seen.title or shortened(title, 88)
    source = own.source(str(scenario.get("source") or ""))
    known = [*filter(None, [note]), *settings(runs)] if seen.note else []
    room = (1.0 - 2.0 * EDGE) * figure.bbox.width
    # Text of the scenario is plain: its dollar signs start no mathematics.
    place: Facts = {"va": "top", "parse_math": False}
    time = figure.text(1.0 - EDGE, 1.0, clock, ha="right", size=seen.medium, weight="bold", gid="clock", **place)
    if clock and seen.is_slide:
        room = room_before(time)
    size = seen.large if length(figure, title, seen.large, "bold") <= room else seen.medium
    titles = filled(figure, title.split(), room, size, "bold")
    if len(titles) > MOST_LINES:
        last = titles[MOST_LINES - 1]
        titles = [*titles[: MOST_LINES - 1], shortened(last, len(last) - 1)]
    down = 0.10 * seen.letters  # inches from the top
    end = 0.0  # of the last line of the title
    for line in titles if seen.title != "" else ():
        written = figure.text(EDGE, 1.0 - down / height, line, size=size, weight="bold", **place)
        end = written.get_window_extent().x1
        down += 0.32 * seen.letters
    beside = 0.32 * seen.letters if seen.is_slide else 0.0  # clock and facts stand on the title's last line
    down -= beside
    time.set_y(1.0 - (down - 0.02 * seen.letters) / height)
    if seen.title == "":
        time.set_visible(False)
        return time
    if clock and not seen.is_slide:
        room = room_before(time)
    if seen.is_slide:
        fact = fitting(figure, [*known, *filter(None, [source] if seen.note else [])], room - end)
        figure.text(
            room / figure.bbox.width,
            1.0 - (down + 0.05 * seen.letters) / height,
            fact,
            ha="right",
            size=seen.small,
            color=palette().words,
            **place,
        )
    facts = [] if seen.is_slide or not seen.note else [*filter(None, [source]), *known]
    down += beside
    lines = filled(figure, facts, room, seen.small)
    for line in lines:
        figure.text(EDGE, 1.0 - down / height, line, size=seen.small, color=palette().words, **place)
        down += 0.26 * seen.letters
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine) and len(titles) + len(lines) > (1 if seen.is_slide else 2):
        engine.set(rect=(0.0, 0.0, 1.0, 1.0 - down / height))
    return time


def room_before(time: Text) -> float:
    """Pixels for words on the line of the clock."""
    return float(0.98 * time.get_window_extent().x0 - EDGE * time.figure.bbox.width)  # type: ignore[union-attr]


def fitting(figure: Figure, facts: Sequence[str], room: float) -> str:
    """The first facts that fit on one line of ``room`` pixels; those that do not are left out."""
    chosen = ""
    for fact in facts:
        longer = SEPARATOR.join(filter(None, [chosen, fact]))
        if length(figure, longer, look().small) <= room - look().small * figure.dpi / 72.0:
            chosen = longer
    return chosen


def length(figure: Figure, text: str, size: float, weight: str = "normal") -> float:
    """The width of a line of plain words in pixels."""
    probe = figure.text(0.0, 0.0, text, size=size, weight=weight, parse_math=False)
    width = probe.get_window_extent().width
    probe.remove()
    return float(width)


def filled(figure: Figure, pieces: Sequence[str], room: float, size: float, weight: str = "normal") -> list[str]:
    """The pieces in as few lines as fit into ``room`` pixels: words in bold, facts with a bar between them."""
    between = " " if weight == "bold" else SEPARATOR
    lines: list[str] = []
    for piece in pieces:
        while length(figure, piece, size, weight) > room and len(piece) > FEWEST:
            piece = shortened(piece, len(piece) - 4)
        longer = between.join([*lines[-1:], piece])
        lines = [*lines[:-1], longer] if length(figure, longer, size, weight) <= room else [*lines, piece]
    return lines


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and three dots where it would not fit on a line."""
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."


def settings(runs: Runs) -> list[str]:
    """Particles, steps and seed in words, each only if it is the same in all runs."""
    # The steps of a run that fitted a Gaussian are those of an optimiser and not comparable.
    counts = {int(run.positions.shape[1]) for run in runs.values()}
    runs = {label: run for label, run in runs.items() if isinstance(run, Stepped)}
    lengths = {(int(run.steps[-1]), _sizes(run.step_size)) for run in runs.values() if fitted_gaussian(run) is None}
    seeds = {run.seed for run in runs.values()}
    facts = []
    if len(counts) == 1:
        facts.append(say("number_of_particles", count=number(f"{counts.pop():,}")))
    if len(lengths) == 1:
        steps, step_size = lengths.pop()
        facts.append(say("steps", steps=number(f"{steps:,}"), step_size=step_size))
    if len(seeds) == 1:
        facts.append(say("seed", seed=seeds.pop()))
    return facts


def _sizes(step_size: float | Schedule) -> str:
    """A step size, or a schedule in the words of the language, where it has words for it."""
    if not isinstance(step_size, Schedule):
        return number(shown(step_size))
    values = {name: number(f"{value:g}") for name, value in step_size.table().items() if name != "schedule"}
    chosen = words.of(look().language)
    if chosen.language in step_size.in_words:
        return words.filled(step_size.in_words[chosen.language], values)
    key = f"schedule_{step_size.name}"
    return say(key, **values) if key in chosen.table("figures") else shown(step_size)


def legend_below(figure: Figure) -> None:
    """Make one legend of all labels, each once, in as few rows as fit (`_neutral`)."""
    found: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, _neutral(handle, label))
    if say("particles") in found:
        found = {say("particles"): found[say("particles")], **found}
    for rows in range(1, len(found) + 1):
        columns = -(-len(found) // rows)
        labels = _by_rows(list(found), columns)
        legend = figure.legend(
            [found[label] for label in labels],
            labels,
            loc="outside lower center",
            ncols=columns,
            **(NARROW if look().is_slide else WIDE),
        )
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
    neutral = palette().particles
    if isinstance(handle, Collection):
        face, edge = np.reshape(handle.get_facecolor(), (-1, 4)), np.reshape(handle.get_edgecolor(), (-1, 4))
        own: tuple[Any, Any, float] = (face[0] if len(face) else "none", edge[0] if len(edge) else "none", 9.0)
        grey = {say("particles"): (neutral, neutral, 7.0), say("starting_points"): (neutral, neutral, 4.0)}
        inside, around, size = grey.get(label, own)
        return Line2D(
            [],
            [],
            marker="o",
            linestyle="none",
            markerfacecolor=inside,
            markeredgecolor=around,
            markeredgewidth=1.6,
            markersize=size,
        )
    if label != say("particles"):
        return handle
    return Line2D([], [], color=neutral) if isinstance(handle, Line2D) else Patch(color=neutral, alpha=0.62)


@contextmanager
def frame(
    results: Results, panels: int = 1, breadth: float = 20.0, runs: Runs | None = None, note: str = ""
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure and its panels to draw in; it has its legend and heading (`slide`) when the context ends.

    The panels stand side by side where each has this least ``breadth``, in sizes of the smallest letters.
    """
    rows, columns = panel_row(panels, breadth) if panels > 1 else (1, 1)
    with slide(results, rows, runs, note) as figure:
        yield figure, grid_of(figure, (rows, columns), panels)


@contextmanager
def slide(
    results: Results | Swept,
    rows: float = 1,
    runs: Runs | None = None,
    note: str = "",
    clock: str = "",
    tall: float = 1.0,
) -> Iterator[Slide]:
    """An empty figure to draw in; it has its legend and heading when the context ends.

    The heading shows title and source of the results, particles, steps and seed of the ``runs``, the ``note``, and the
    time of the ``clock``, whose text is `Slide.clock`. Many rows of panels make the figure taller, and two do so where
    ``tall`` is above 1.
    """
    with style.slide_style():
        figure = style.new_slide(rows, tall=tall)
        yield figure
        legend_below(figure)
        figure.clock = heading(figure, results.scenario, runs or {}, note, clock)


def series(place: int, label: str, colour: str) -> dict[str, Any]:
    """The marker, dashes, colour and label of the line at this place."""
    return {"marker": MARKERS[place % len(MARKERS)], "linestyle": style.DASHES[place % 4], "color": colour,
            "label": style.plain(label)}  # fmt: skip


def observations(runs: Mapping[str, FunctionRun], functions: bool = False) -> str:
    """The number of observations, with ``functions`` that of the sampled functions, and the seed, in words."""
    run = next(iter(runs.values()))
    counts = {"number_of_observations": len(run.problem.y), "number_of_functions": len(run.final)}
    told = [say(key, count=number(f"{count:,}")) for key, count in list(counts.items())[: 1 + functions]]
    return SEPARATOR.join([*told, say("seed", seed=run.seed)])
