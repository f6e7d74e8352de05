"""Making a film: its figure is found, each frame is drawn and written, and the file appears whole."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray

from particlegvi.contracts import Facts, Progress, Scenario
from particlegvi.plotting.films import pace
from particlegvi.plotting.films.pace import Film
from particlegvi.plotting.films.settings import FEWEST, FilmSettings
from particlegvi.plotting.kind import FigureKind, check, checked, kinds
from particlegvi.plotting.look import drawn_in
from particlegvi.plotting.moving import MovingFigure, clock_of
from particlegvi.plotting.protocols import Results
from particlegvi.plotting.style import slide_style
from particlegvi.tools import files, machine
from particlegvi.tools.errors import warn

COPIES = 10  # bytes in memory for each pixel of each frame while a film is written


def able() -> list[str]:
    """The kinds of figure that can be filmed, in alphabetical order."""
    return [name for name in kinds.names() if kinds[name].moves]


def mover(figure: Facts) -> tuple[Callable[..., MovingFigure], Facts]:
    """The function that builds a moving figure, and all its options in plain form, or a ValueError."""
    kind: FigureKind
    kind, options = checked(figure)
    if not kind.moves:
        *others, last = able()
        raise ValueError(f"the figure of a film must be {', '.join(others)} or {last}, not {kind.name}")
    return kind.moving, {**kind.defaults, **options}


def film(results: Results, figure: Facts, settings: FilmSettings, progress: Progress | None = None) -> None:
    """Film a figure of runs from their first record to the last; the last frame is the figure of `plotting.figure`.

    ``figure`` has the "kind" of the figure and its options; ``progress("film", frames done, frames)`` is called. A
    warning says that the runs have fewer records than the frames asked for, or too few to move smoothly, or that so few
    of the frames that are drawn differ.
    """
    build, options = mover(figure)
    moving = build(results, **options)
    clock = clock_of(moving.runs)
    if len(clock.times) < 2:
        raise ValueError(f"a film needs runs with at least two records, and {', '.join(moving.runs)} has one")
    moments = pace.chosen(clock.times, settings.frames, settings.even)
    count = len(moments)
    if count < settings.wanted:
        warn(
            f"the film has {count} frames instead of {settings.frames}, because the run has no more records; "
            "a smaller record_every gives a run of particles more"
        )
    shortest = float(np.min(np.diff(clock.times[moments])))
    with drawn_in(moving.look):
        words = [clock.at(int(moment), shortest) for moment in moments]
    records = {label: clock.records(label, moments) for label in moving.runs}
    canvas = FigureCanvasAgg(moving.figure)
    moving.figure.set_dpi(settings.width / moving.figure.get_figwidth())
    width, height = canvas.get_width_height()
    asked = f"a film of {count} frames of {width} by {height} pixels"
    machine.check(asked, COPIES * count * width * height, "give a smaller width or fewer frames")

    pictures: dict[int, int] = {}  # a number for all that is drawn above and below the time, by frame

    def frame(number: int) -> NDArray[np.uint8]:
        for label, show in moving.shows.items():
            show(int(records[label][number]))
        moving.clock.set_text(words[number])
        with slide_style():
            canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[..., :3].copy()
        box = moving.clock.get_window_extent(canvas.get_renderer())
        low, high = max(height - math.ceil(box.y1), 0), max(height - math.floor(box.y0), 0)
        pictures[number] = zlib.crc32(pixels[:low].tobytes() + pixels[high:].tobytes())
        return pixels

    def hear(done: int) -> None:
        if progress is not None:
            progress("film", done, count)

    made = Film(frame, pace.lengths(count, settings.seconds), settings.rounds, hear)
    files.write(settings.path, partial(settings.write, made))
    different = len(set(pictures.values()))
    if different < FEWEST <= count:
        warn(f"of the {count} frames of the film only {different} differ, because nothing else moves in it")


def figure_for(
    scenario: Scenario, figure: str | None, options: Mapping[str, object], usual: Callable[[], str] | None = None
) -> Facts | None:
    """The checked entry of the figure to film: its kind and its options.

    Without a kind it is the first among the scenario's figures that can be filmed, or else the kind that ``usual()``
    returns; without ``usual`` the result is None then. Options that are not given are those of the scenario's figure.
    """
    sort = scenario.get("kind", "particles")
    if not any(sort in kinds[name].of for name in able()):
        raise ValueError(f"a film shows runs that have records on the way, and a scenario of the kind {sort} has none")
    own = [dict(entry) for entry in scenario.get("figures", [])]
    own = [entry for entry in own if (entry["kind"] in able() if figure is None else entry["kind"] == figure)]
    if figure is None and not own and usual is None:
        return None
    entry: Facts = {**(own[0] if own else {"kind": usual() if figure is None and usual else figure}), **options}
    mover(entry)
    check(entry, sort)
    return entry


def file_beside(folder: Path | None, name: str, figure: str) -> Path:
    """``FIGURE.gif`` in the folder of a run, or ``NAME-FIGURE.gif`` here if there is no folder."""
    return Path(f"{name}-{figure}.gif") if folder is None else folder / f"{figure}.gif"
