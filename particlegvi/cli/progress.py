"""What a terminal shows while a command works: one line that changes, and is gone in the end."""

from __future__ import annotations

import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from particlegvi.contracts import Stage

TICK = 0.5  # seconds between two signs of life: of the elapsed time where nothing else moves
ELAPSED = "{desc} [{elapsed}]"
COUNTED = "{desc} |{bar}| {n_fmt} of {total_fmt} {unit} [{elapsed}]"
UNITS: dict[Stage, str] = {"compiling": "kernels", "steps": "methods", "truth": "parts", "pictures": "pictures"}


class ProgressBar:
    """A bar for whatever takes time: loading, compiling, the steps of each method, the truth and the pictures.

    Entering it shows the first word at once, and gives the `particlegvi.contracts.Progress` that listens to stages;
    None where stderr is no terminal.
    """

    def __init__(self, quiet: bool, heading: str = "") -> None:
        self.shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.heading = heading
        self.label = ""
        self.bar: Any = None
        self._compiling = 0.0  # seconds spent on it before, as it comes in several pieces
        self._lock = threading.Lock()  # between the work and the thread that shows the time
        self._left = threading.Event()

    def __enter__(self) -> Self | None:
        if not self.shown:
            return None
        self._next("loading", 0, None, "", ELAPSED)
        threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __call__(self, label: str, done: int, total: int) -> None:
        self.update(label, done, total)

    def update(self, label: str, done: int, steps: int) -> None:
        """``done`` of ``steps`` steps of a method are made; another label begins another bar."""
        with self._lock:
            if label != self.label:
                self._next(label, 0, steps, "step", None)
            self.bar.update(done - self.bar.n)

    def stage(self, name: Stage, done: int, total: int, seconds: float) -> None:
        """``done`` of ``total`` parts of a stage are made; another stage begins another bar."""
        from particlegvi.tools.stages import words

        label = words(name, seconds)
        with self._lock:
            if label != self.label:
                self._next(label, done, total or None, UNITS[name], COUNTED if total > 1 else ELAPSED)
                if name == "compiling":
                    self.bar.start_t -= self._compiling
            self.bar.total, self.bar.n = total or None, done
            self.bar.refresh()
            if name == "compiling":
                self._compiling = self.bar.format_dict["elapsed"]

    def _next(self, label: str, done: int, total: int | None, unit: str, form: str | None) -> None:
        from tqdm import tqdm

        if self.bar is not None:
            self.bar.close()
        self.label = label
        self.bar = tqdm(
            total=total, initial=done, desc=f"{self.heading} {label}".strip(), unit=unit, bar_format=form, leave=False,
            ncols=width(), nrows=20,  # or nothing is shown on a terminal that does not know how large it is
        )  # fmt: skip

    def _tick(self) -> None:
        while not self._left.wait(TICK):
            with self._lock:
                if not self._left.is_set():
                    self.bar.refresh()

    def __exit__(self, *_: object) -> None:
        self._left.set()
        with self._lock:
            if self.bar is not None:
                self.bar.close()


def width() -> int:
    """Columns of the terminal; 80 where it does not say."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
