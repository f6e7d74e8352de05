"""The progress bar of a terminal."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class ProgressBar:
    """Progress bar for work longer than a second. Entering it gives the callback; None where stderr is no terminal."""

    def __init__(self, quiet: bool, heading: str = "") -> None:
        self.shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.heading = heading
        self.label = ""
        self.bar: Any = None

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        return self.update if self.shown else None

    def update(self, label: str, done: int, steps: int) -> None:
        """``done`` of ``steps`` steps of a method are made; another label begins another bar."""
        if label != self.label:
            from tqdm import tqdm

            self.__exit__()
            self.label = label
            self.bar = tqdm(total=steps, desc=f"{self.heading} {label}".strip(), unit="step", delay=1.0, leave=False)
        self.bar.update(done - self.bar.n)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
