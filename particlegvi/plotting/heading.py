"""The heading of a figure: its title, and below it the meaning of its marks, the settings, the source and the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from particlegvi.contracts import Scenario
from particlegvi.diagnostics.particles import fitted_gaussian
from particlegvi.integrators.schedules import Schedule, shown
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.protocols import Runs, Stepped
from particlegvi.plotting.style import Slide
from particlegvi.tools import words

EDGE = 0.012  # between the words and the sides of the picture, as a fraction of its width
SEPARATOR = "  |  "
LEADING = 1.25  # height of a line, in sizes of its letters
GAP = 1.5  # least distance between words on one line, in sizes of the smallest letters


def heading(
    figure: Slide, scenario: Scenario, runs: Runs, note: str = "", clock: str = "", facts: Sequence[str] = ()
) -> Text:
    """Write the title of the scenario; below it the ``note`` of the figure, ``facts``, the settings, and the source.

    Long lines are broken, and the panels make room. In a picture of a given height these facts have one line, and on a
    slide it is beside a short title. Facts without room are left out, the last first; the title and the note never are
    (`Slide.needed`). The words of the ``clock`` stand at the right end of the last line. They are returned, since a
    film changes them.
    """
    looks, own, (wide, high) = look(), words.of(look().language), 72.0 * figure.get_size_inches()
    title = own.title(str(scenario.get("title") or scenario.get("name") or "")) if looks.title is None else looks.title
    time = figure.text(1.0 - EDGE, 1.0, clock, ha="right", size=looks.medium, weight="bold", gid="clock")
    if title == "":
        time.set_visible(False)
        return time
    source = own.source(str(scenario.get("source") or ""))
    explained = own.title(looks.note) if isinstance(looks.note, str) else ""
    note = SEPARATOR.join(filter(None, [explained, note]))
    needed = [note] if note and looks.note else []
    facts = [*needed, *facts, *settings(runs), *filter(None, [source])] if looks.note else []
    figure.needed = (title, *needed)

    room, gap = (1.0 - 2.0 * EDGE) * wide, GAP * looks.small
    before_clock = room - (width(figure, clock, looks.medium, "bold") + gap if clock else 0.0)
    fitting = (size for size in (looks.large, looks.medium) if width(figure, title, size, "bold") <= room)
    size = next(fitting, looks.small)
    titles = balanced(figure, title, room, size, "bold")
    beside = before_clock - width(figure, titles[0], size, "bold") - gap
    has_one_line = looks.is_slide and len(titles) == 1 and width(figure, note, looks.small) <= beside
    if has_one_line:
        facts = [fact for fact in facts if width(figure, fact, looks.small) <= beside]
    lines = filled(figure, facts, SEPARATOR, beside if has_one_line else before_clock, looks.small)
    if looks.height is not None:
        lines = lines[: max(1, len(filled(figure, needed, SEPARATOR, before_clock, looks.small)))]

    down = 0.2 * looks.small  # points from the top
    for line in titles:
        down += LEADING * size
        figure.text(EDGE, 1.0 - down / high, line, size=size, weight="bold", parse_math=False)
    grey: dict[str, Any] = {"size": looks.small, "color": palette().words, "parse_math": False}
    if has_one_line:
        for line in lines:
            figure.text(EDGE + before_clock / wide, 1.0 - down / high, line, ha="right", **grey)
    else:
        for line in lines or [""] * bool(clock):
            down += LEADING * (looks.medium if clock else looks.small)
            figure.text(EDGE, 1.0 - down / high, line, **grey)
    time.set_y(1.0 - down / high)
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        low = engine.get()["rect"][1]
        engine.set(rect=(0.0, low, 1.0, max(0.1, 1.0 - low - (down + 0.65 * looks.small) / high)))
    return time


def width(figure: Slide, text: str, size: float, weight: str = "normal") -> float:
    """The width of a line of plain words in points."""
    assert isinstance(figure.canvas, FigureCanvasAgg)
    font = FontProperties(size=size, weight=weight)
    return 72.0 / figure.dpi * figure.canvas.get_renderer().get_text_width_height_descent(text, font, False)[0]


def filled(
    figure: Slide, pieces: Sequence[str], between: str, room: float, size: float, weight: str = "normal"
) -> list[str]:
    """The pieces in as few lines of ``room`` points as they need; a piece that is longer is broken at its spaces."""
    lines: list[str] = []
    for piece in pieces:
        longer = between.join([*lines[-1:], piece])
        if width(figure, longer, size, weight) <= room:
            lines = [*lines[:-1], longer]
        elif between == " " or width(figure, piece, size, weight) <= room:
            lines.append(piece)
        else:
            lines += balanced(figure, piece, room, size, weight)
    return lines


def balanced(figure: Slide, text: str, room: float, size: float, weight: str = "normal") -> list[str]:
    """A text in as few lines of ``room`` points as it needs, which are narrower where the last one has one word."""
    pieces = text.split()
    lines = narrower = filled(figure, pieces, " ", room, size, weight)
    while 1 < len(narrower) == len(lines) < len(pieces) and " " not in lines[-1]:
        lines, room = narrower, 0.96 * room
        narrower = filled(figure, pieces, " ", room, size, weight)
    return lines


def settings(runs: Runs) -> list[str]:
    """Particles, steps and seed in words, each only if it is the same in all runs."""
    # The steps of a run that fitted a Gaussian are those of an optimiser and not comparable.
    counts = {int(run.positions.shape[1]) for run in runs.values()}
    runs = {label: run for label, run in runs.items() if isinstance(run, Stepped)}
    lengths = {(int(run.steps[-1]), _sizes(run.step_size)) for run in runs.values() if fitted_gaussian(run) is None}
    seeds = {run.seed for run in runs.values()}
    facts = []
    if len(counts) == 1:
        facts.append(say("number_of_particles", count=localised(f"{counts.pop():,}")))
    if len(lengths) == 1:
        steps, step_size = lengths.pop()
        facts.append(say("steps", steps=localised(f"{steps:,}"), step_size=step_size))
    if len(seeds) == 1:
        facts.append(say("seed", seed=seeds.pop()))
    return facts


def _sizes(step_size: float | Schedule) -> str:
    """A step size, or a schedule in the words of the language, where it has words for it."""
    if not isinstance(step_size, Schedule):
        return localised(shown(step_size))
    values = {name: localised(f"{value:g}") for name, value in step_size.table().items() if name != "schedule"}
    key = f"schedule_{step_size.name}"
    return say(key, **values) if key in words.of(look().language).table("figures") else shown(step_size)
