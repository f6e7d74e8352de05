"""Timing in turn, so that changes of the machine's speed affect all contenders alike."""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from particlegvi.contracts import Flow
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.threads import Work

TASKS = "/proc/self/task"


@dataclass
class Contender:
    """One way of doing a workload, with its times for the whole workload, one a round.

    Processor time is that of all threads; other programs on the machine disturb it less than the clock.
    """

    name: str
    work: Work
    share: float = 1.0  # fraction of the workload that one call does; the times of slow contenders are scaled
    operations: float = 0.0  # useful floating-point operations of the whole workload; 0 where they are not counted
    seconds: list[float] = field(default_factory=list)  # by the clock
    processor: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Median seconds for the whole workload."""
        return statistics.median(self.seconds)


def in_turn(contenders: list[Contender], rounds: int) -> None:
    """Call every contender once to warm up (compilation is not measured), then ``rounds`` times in turn."""
    for contender in contenders:
        contender.work()
    for _ in range(rounds):
        for contender in contenders:
            begun, used = time.perf_counter(), time.process_time()
            contender.work()
            contender.seconds.append((time.perf_counter() - begun) / contender.share)
            contender.processor.append((time.process_time() - used) / contender.share)


def ratios(slow: Contender, fast: Contender) -> tuple[float, float, float]:
    """Least, median and greatest of slow / fast, round by round."""
    each = [a / b for a, b in zip(slow.seconds, fast.seconds, strict=True)]
    return min(each), statistics.median(each), max(each)


def advancing(flow: Flow, steps: int) -> Work:
    """A function that takes the next ``steps`` steps of a flow at each call."""
    done = itertools.count(0, steps)
    return lambda: flow.advance(next(done), steps)


@contextmanager
def thread_count(number: int) -> Iterator[None]:
    """Let the engine use so many threads."""
    counted = threads.count
    threads.count = lambda: number  # type: ignore[assignment]
    try:
        yield
    finally:
        threads.count = counted


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread of the engine and of BLAS; on Linux one processor for the whole process, too, which limits JAX."""
    before = os.sched_getaffinity(0) if sys.platform == "linux" else set()
    try:
        _allow({min(before)} if before else before)
        with thread_count(1), threads.one_blas_thread():
            yield
    finally:
        _allow(before)


def _allow(processors: set[int]) -> None:
    """Let all threads of this process run on these processors alone; an empty set changes nothing."""
    if sys.platform == "linux" and processors:
        for task in os.listdir(TASKS):
            with suppress(ProcessLookupError):  # it has ended
                os.sched_setaffinity(int(task), processors)
