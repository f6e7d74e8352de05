"""Splitting compiled work over threads: compiled code releases the interpreter lock; no result depends on the split."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

PARTS = 4  # ranges for each thread
Work = Callable[[], object]


def count() -> int:
    """Threads to use: ``NUMBA_NUM_THREADS`` where it is set, else the processors this process may run on."""
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401 - has a BLAS of its own; only libraries loaded by now are found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it BLAS and LAPACK use one thread, so that their results do not depend on the machine's load or cores."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _pool(owner: int, helpers: int) -> ThreadPoolExecutor:
    # keyed by the process, because a forked child does not inherit the threads
    return ThreadPoolExecutor(max_workers=helpers, thread_name_prefix="particlegvi")


def begin(work: Work) -> Work:
    """Run ``work`` on the pool, or here if there is only one thread. Call the result to wait for it.

    Work that has not started by then, on a busy machine, is run by the caller.
    """
    if count() == 1:
        work()
        return lambda: None
    future = _pool(os.getpid(), count() - 1).submit(work)
    return lambda: work() if future.cancel() else future.result()


def split(work: Callable[[int, int], object], items: int, unit: int = 1, least: int = 1) -> None:
    """Call ``work(first, last)`` on ranges that cover ``items`` in multiples of ``unit``, side by side.

    There are a few ranges for each thread, taken in turn, because some may cost more than others, but none much smaller
    than ``least`` items. With less than that per thread the calling thread does it alone: waking threads costs about 50
    microseconds.
    """
    units, enough = (items + unit - 1) // unit, items // max(least, 1)
    workers = min(count(), units, enough) if enough > 1 else 1
    if workers <= 1:
        work(0, items)
        return
    parts = min(units, PARTS * workers, max(workers, enough))
    bounds = [min(items, unit * (units * part // parts)) for part in range(parts + 1)]
    turn = itertools.count()

    def take_turns() -> None:
        while (part := next(turn)) < parts:
            work(bounds[part], bounds[part + 1])

    futures = [_pool(os.getpid(), count() - 1).submit(take_turns) for _ in range(workers - 1)]
    take_turns()
    for future in futures:
        if not future.cancel():  # a part that has not begun would find nothing left to do
            future.result()
