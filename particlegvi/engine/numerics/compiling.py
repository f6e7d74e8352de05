"""Listening to numba: the kernels that are compiled while something runs, told as they begin and end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from llvmlite import binding
from numba.core import event

from particlegvi.contracts import Stage, Stages
from particlegvi.engine.numerics.compiled import cache_folder
from particlegvi.tools.progress import automatic_bars, enclosing_bars
from particlegvi.tools.stages import Expected, tell

LOOPS = 100_000  # of the yardstick
REFERENCE = 0.00105  # seconds that they take on the machine on which the seconds of kernels were measured


@contextmanager
def compiling_told(progress: object, expected: Callable[[], Expected] = Expected) -> Iterator[None]:
    """Within it ``progress`` hears "compiling" before the first kernel and after each, if it listens to stages.

    The function ``expected`` is asked at the first kernel for what is to come, if nothing has been compiled for these
    sources before.
    """
    if not isinstance(progress, Stages):
        yield
        return
    listener = _Listener(progress, expected)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


@contextmanager
def working(stage: Stage) -> Iterator[None]:
    """A sign of life for a call without an argument ``progress``: after a second, where somebody looks on."""
    around = enclosing_bars()
    if around is not None:
        tell(around[0], stage, total=1)
        yield
    else:
        with automatic_bars() as heard, compiling_told(heard):
            tell(heard, stage, total=1)
            yield


class _Listener(event.Listener):
    """Counts kernels: what is compiled within another is a part of it."""

    def __init__(self, progress: Stages, expected: Callable[[], Expected]) -> None:
        self.progress, self.expected = progress, expected
        self.depth, self.done = 0, 0
        self.known: Expected | None = None

    def on_start(self, heard: object) -> None:
        if self.depth == 0:
            self._tell(coming=1)
        self.depth += 1

    def on_end(self, heard: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.done += 1
            self._tell(coming=0)

    def _tell(self, coming: int) -> None:
        if self.known is None:
            kernels, seconds = Expected() if compiled_before() else self.expected()
            self.known = Expected(kernels, seconds * slowness() if seconds else 0.0)
        total = max(self.known.kernels, self.done + coming) if self.known.kernels else 0
        tell(self.progress, "compiling", self.done, total, self.known.seconds)


def compiled_before() -> bool:
    """Whether the cache holds a kernel of these sources."""
    folder = cache_folder()
    return bool(folder) and next(Path(folder).rglob("*.nbi"), None) is not None


def processor() -> str:
    """The kind of processor that code is compiled for, as LLVM calls it."""
    return str(binding.get_host_cpu_name())


def slowness() -> float:
    """The time of the yardstick on this machine now, in units of `REFERENCE`."""
    begun = time.perf_counter()
    for _ in range(20):
        sum(range(LOOPS))
    return max((time.perf_counter() - begun) / (20.0 * REFERENCE), 0.3)
