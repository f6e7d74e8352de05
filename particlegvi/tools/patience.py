"""The listener of a long call: the time that it will take, from its first steps, and the records that an interruption
leaves. A command says more than a minute, and asks above an hour.
"""

from __future__ import annotations

import contextlib
import math
import time

from particlegvi.tools import signals
from particlegvi.tools.errors import Diverged, carried, warn
from particlegvi.tools.progress import chosen, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from particlegvi.contracts import Listening, Progress, Stage, StepListening, StepProgress

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MEASURED = 0.3  # seconds of steps from which the time of all is estimated, after the first ones, which compile
SHORTER = "fewer steps, particles or methods shorten it, and a kernel with a fast sum where the repulsion is slow"


class TooLong(ValueError):
    """A command would take more than an hour, and nobody has agreed to that."""


class TimeEstimate:
    """A `Progress` that passes on all it hears, and says once for each label how long the rest will take.

    Parameters
    ----------
    listener : Progress or None
        The listener that hears the same.
    say : callable, optional
        Prints a line; without it nothing is said below an hour.
    agreed : bool, optional
        Whether more than an hour is agreed to, by ``--yes``: if not, `TooLong` is raised. None, in Python, where nobody
        is asked: a warning.
    """

    def __init__(
        self, listener: Progress | None, say: Callable[[str], object] | None = None, agreed: bool | None = None
    ) -> None:
        self.listener, self.say, self.agreed = listener, say, agreed
        self._label = ""
        self._since: tuple[int, float] | None = None  # steps that were done, and when
        self._seconds: list[float] = []  # of a step, measured twice
        self._waiting = 0  # methods that follow
        self._cells: list[float] = []

    def __call__(self, label: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` steps of a label are done."""
        if self.listener is not None:
            self.listener(label, done, total)
        if label == "cells":  # they have times of their own: `cell_done`
            return
        now = time.perf_counter()
        if label != self._label:
            self._label, self._since, self._seconds = label, (done, now), []
        elif self._since is not None and now - self._since[1] >= MEASURED:
            first, begun = self._since
            self._seconds.append((now - begun) / max(done - first, 1))
            self._since = (done, now) if len(self._seconds) == 1 else None
            if self._since is not None:  # a busy machine may have stopped the process: the faster of two counts
                return
            step = min(self._seconds)
            rest, whole = step * (total - done), step * (total - done + total * self._waiting)
            follow = f", and about {duration(whole)} with the {self._waiting} that follow" if self._waiting else ""
            self.expect(whole, f"{label} takes about {duration(rest)} for {total - done:,} steps{follow}; {SHORTER}")

    def stage(self, name: Stage, done: int, total: int) -> None:
        """Hear of a stage: the steps of label number ``done``, or compiling, which counts for no step."""
        tell(self.listener, name, done, total)
        if name == "steps":
            self._waiting, self._label = total - done - 1, ""
        elif name == "compiling" and self._since is not None:
            self._label, self._since = "", None

    def cell_done(self, seconds: float, left: int, workers: int) -> None:
        """Hear the seconds of a cell, of which ``left`` remain; the first of each process compile, and do not count."""
        self._cells.append(seconds)
        if len(self._cells) == 2 * workers:
            self.expect_cells(sum(self._cells[workers:]) / workers, left, workers)

    def expect_cells(self, cell: float, left: int, workers: int) -> None:
        """Say, warn or refuse, once, where ``left`` cells take these seconds each."""
        self._cells = [cell] * 2 * workers
        seconds = cell * math.ceil(left / workers)
        words = f"{left:,} cells of about {duration(cell)} take {duration(seconds)}"
        beside = f" in {workers} processes" if workers > 1 else ""
        self.expect(seconds, f"{words}{beside}; fewer values or seeds shorten it")

    def expect(self, seconds: float, words: str) -> None:
        """Say, warn or refuse, by the seconds that the work will take."""
        if seconds > HOUR and self.agreed is False:
            raise TooLong(f"{words}; say --yes to do it all the same")
        if seconds > HOUR and self.agreed is None:
            warn(words)
        elif seconds > MINUTE and self.say is not None:
            self.say(words)


class LongCell(Exception):
    """A cell takes so long that this is to be said first; ``args`` has its seconds."""


class CellEstimate(TimeEstimate):
    """The listener of one cell, in any process: `LongCell` is raised where it takes more than ``most`` seconds."""

    def __init__(self, most: float) -> None:
        super().__init__(None)
        self.most = most

    def expect(self, seconds: float, words: str) -> None:
        if seconds > self.most:
            raise LongCell(seconds)


class WithoutLabel:
    """A `Progress` for a function that hears of the steps of one method without its label."""

    def __init__(self, listener: StepProgress) -> None:
        self.listener = listener

    def __call__(self, label: str, done: int, total: int) -> None:
        self.listener(done, total)

    def stage(self, name: Stage, done: int, total: int) -> None:
        tell(self.listener, name, done, total)


@contextlib.contextmanager
def listening(progress: Listening | StepListening, asked: str = "") -> Iterator[TimeEstimate]:
    """The listener for an argument ``progress``: a function, bars for True and "auto", nothing for None and False.

    ``asked`` is what the caller asked for, which an interruption leaves to `last_interrupted`, and says so: "results",
    or one "run", whose functions hear no label; "" where a folder alone has it.
    """
    hearing: Any = WithoutLabel(progress) if callable(progress) and asked == "run" else progress  # type: ignore[arg-type]
    with contextlib.nullcontext(hearing) if callable(hearing) else chosen(hearing) as listener:
        try:
            yield TimeEstimate(listener, agreed=_agreed(listener))
        except (KeyboardInterrupt, Diverged) as error:
            _remember(error, asked)
            raise


_asked: list[bool] = []


@contextlib.contextmanager
def asking(agreed: bool) -> Iterator[None]:
    """Within it more than an hour is `TooLong` where the progress is the default one, unless it is agreed to."""
    _asked.append(agreed)
    try:
        yield
    finally:
        _asked.pop()


def _agreed(listener: Progress | None) -> bool | None:
    if isinstance(listener, TimeEstimate):  # of a command: it asks
        return True
    return _asked[-1] if _asked else bool(signals.commands) or None


def _remember(error: BaseException, asked: str) -> None:
    kept, results = carried(error, asked), carried(error, "results")
    if kept is not None:
        _last[:] = [kept]
    folder = None if results is None else results.folder
    if isinstance(error, KeyboardInterrupt) and not error.args and (kept is not None or folder):
        here = f"what was recorded is in particlegvi.last_interrupted(), and in error.{asked}"
        again = f"to go on say particlegvi.resume({str(folder)!r})" if folder else ""
        error.args = ("; ".join(filter(None, [here if kept is not None else "", again])),)


_last: list[Any] = []


def last_interrupted() -> Any:
    """The records of the last call that was interrupted or diverged: a run, results or a comparison; None if none was.

    A stopped notebook cell can be read in no other way. The error holds the records too, as ``error.run`` or
    ``error.results``.
    """
    return _last[0] if _last else None


def cell_done(progress: Progress | None, seconds: float, left: int, workers: int) -> None:
    """Tell a `TimeEstimate` of a finished cell."""
    if isinstance(progress, TimeEstimate):
        progress.cell_done(seconds, left, workers)


def duration(seconds: float) -> str:
    """Seconds in words: "2.5 hours"."""
    for unit, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if seconds >= unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{seconds:.2g} s"
