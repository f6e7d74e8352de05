"""Progress bars by tqdm on a terminal or in a notebook: one line that changes, and disappears at the end.

Widgets would leave a bar half way in a saved notebook and in what is exported from it. In a notebook the line is text
that is shown once and updated, in the end to nothing.
"""

from __future__ import annotations

import contextvars
import shutil
import sys
import threading
import time

from particlegvi.contracts import Stages
from particlegvi.tools import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, Self

    from particlegvi.contracts import Stage

    Front = Literal["terminal", "notebook"]

TICK = 0.5  # seconds between two signs of life: of the elapsed time where nothing else moves
PATIENCE = 1.0  # seconds before "auto" shows anything
ELAPSED = "{desc} [{elapsed}]"
COUNTED = "{desc} |{bar}| {n_fmt} of {total_fmt} {unit} [{elapsed}]"
WORDS: dict[Stage, str] = {
    "compiling": "compiling for this machine, once",
    "scenarios": "compiling ahead",
    "steps": "preparing the steps",
    "truth": "comparing with the truth",
    "pictures": "drawing",
}
UNITS: dict[Stage, str] = {
    "compiling": "kernels", "scenarios": "scenarios", "steps": "methods", "truth": "parts", "pictures": "pictures"
}  # fmt: skip


def tell(progress: object, name: Stage, done: int = 0, total: int = 0) -> None:
    """Tell ``progress`` of a stage if it wants to hear of stages (`particlegvi.contracts.Stages`)."""
    if isinstance(progress, Stages):
        progress.stage(name, done, total)


class Bars:
    """A progress bar: one bar at a time, for loading, compiling, the steps of each method, the truth or the pictures.

    Entering the context gives the bars as a `particlegvi.contracts.Progress` that listens to stages; None without a
    front.

    Parameters
    ----------
    front : str or None
        Where the bar is shown: "terminal", "notebook", or None for nowhere.
    heading : str
        Text before every label.
    patience : float
        Seconds before anything is shown.
    first : str
        Label until the first stage or method is reported.
    """

    def __init__(self, front: Front | None, heading: str = "", patience: float = 0.0, first: str = "loading") -> None:
        self.front = front
        self.heading = heading
        self.first = first
        self.bar: Any = None
        self._line: NotebookLine | None = None
        self._shown: tuple[str, int, int | None, str, str | None] = ("", 0, None, "", None)
        self._from = time.monotonic() + patience
        self._lock = threading.Lock()  # the work and the thread that shows the time both change the bar
        self._left = threading.Event()

    def __enter__(self) -> Self | None:
        if self.front is None:
            return None
        self.word(self.first)
        # A notebook shows the output of a thread in the cell whose context the thread has.
        threading.Thread(target=contextvars.copy_context().run, args=(self._tick,), daemon=True).start()
        return self

    def __call__(self, label: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` steps of a method are done. A new label starts a new bar."""
        self._show(label, done, total, "step", None)

    def stage(self, name: Stage, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` parts of a stage are done. A new stage starts a new bar."""
        self._show(WORDS[name], done, total or None, UNITS[name], COUNTED if total > 1 else ELAPSED)

    def word(self, label: str) -> None:
        """Start a bar that shows only the elapsed time."""
        self._show(label, 0, None, "", ELAPSED)

    def aside(self, work: Callable[[], object]) -> None:
        """Call a function that writes to the terminal, with the bar hidden meanwhile."""
        with self._lock:
            if self.bar is not None:
                self.bar.clear()
            work()
            if self.bar is not None:
                self.bar.refresh()

    def _show(self, label: str, done: int, total: int | None, unit: str, form: str | None) -> None:
        with self._lock:
            if label != self._shown[0] and self.bar is not None:
                self.bar.close()
                self.bar = None
            self._shown = label, done, total, unit, form
            self._draw()

    def _draw(self) -> None:
        label, done, total, unit, form = self._shown
        if self.front is None or time.monotonic() < self._from:
            return
        if self.bar is None:
            if self.front == "notebook":
                self._line = self._line or NotebookLine()
            from tqdm import tqdm

            # tqdm shows nothing on a terminal of unknown size
            size = {"ncols": shutil.get_terminal_size().columns, "nrows": 20}
            settings = {"total": total, "initial": done, "unit": unit, "bar_format": form, "leave": False, **size}
            self.bar = tqdm(desc=f"{self.heading} {label}".strip(), file=self._line, **settings)
        else:
            self.bar.total = total
            self.bar.update(done - self.bar.n)
            if form is not None:  # of a stage, which is rarely told
                self.bar.refresh()

    def _tick(self) -> None:
        while not self._left.wait(TICK):
            with self._lock:
                if self.bar is None:
                    self._draw()
                elif not self._left.is_set():
                    self.bar.refresh()

    def __exit__(self, *_: object) -> None:
        self._left.set()
        with self._lock:
            if self.bar is not None:
                self.bar.close()


class NotebookLine:
    """A file for tqdm: a line of text under the cell, which is replaced by what is written."""

    encoding = "utf-8"  # of the characters of a bar

    def __init__(self) -> None:
        from IPython.display import display

        self._shown: Any = display({"text/plain": ""}, raw=True, display_id=True)

    def write(self, text: str) -> None:
        """Show a text without the marks by which tqdm moves the cursor of a terminal."""
        if text:
            self._shown.update({"text/plain": text.strip()}, raw=True)

    def flush(self) -> None:
        """Do nothing: every text is shown at once."""


def command_bars(quiet: bool, heading: str = "", first: str = "loading") -> Bars:
    """The bars of a command: none if stderr is no terminal, or if the user said ``--quiet``."""
    is_terminal = not quiet and sys.stderr is not None and sys.stderr.isatty()
    return Bars("terminal" if is_terminal else None, heading, first=first)


def chosen(asked: bool | str | None) -> Bars:
    """The bars for a value of ``progress``: True, "auto", False or None."""
    if asked == "auto":
        return Bars(automatic(), patience=PATIENCE)
    return Bars(("notebook" if in_notebook() else "terminal") if asked and sys.stderr is not None else None)


def automatic() -> Front | None:
    """A notebook, or a terminal that is not used by a command or by several processes; else None."""
    if in_notebook():
        return "notebook"
    if signals.commands or threading.current_thread() is not threading.main_thread() or is_child():
        return None
    return "terminal" if sys.stderr is not None and sys.stderr.isatty() else None


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


def is_child() -> bool:
    """Whether this process is a worker of a pool (of multiprocessing or loky): several share one terminal."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.current_process().name != "MainProcess"
