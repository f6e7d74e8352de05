"""Listening to numba: the kernels that are compiled while something runs, told as they begin and end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numba.core import event

from particlegvi.contracts import Stages
from particlegvi.tools.progress import tell


@contextmanager
def compiling_told(progress: object) -> Iterator[None]:
    """Within it ``progress`` hears "compiling" before the first kernel and after each, if it listens to stages."""
    if not isinstance(progress, Stages):
        yield
        return
    listener = _Listener(progress)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


class _Listener(event.Listener):
    """Counts kernels: what is compiled within another is a part of it."""

    def __init__(self, progress: Stages) -> None:
        self.progress = progress
        self.depth, self.done = 0, 0

    def on_start(self, compiled: object) -> None:
        if self.depth == 0:
            tell(self.progress, "compiling", self.done)
        self.depth += 1

    def on_end(self, compiled: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.done += 1
            tell(self.progress, "compiling", self.done)
