"""Splitting compiled work over threads: kernels release the interpreter lock, and no result depends on the split."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache


def count() -> int:
    """Threads to use: ``NUMBA_NUM_THREADS`` where it is set, else the processors this process may run on."""
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(owner: int, threads: int) -> ThreadPoolExecutor:
    # keyed by the process, because a forked child does not inherit the threads
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="particlegvi")


def split(work: Callable[[int, int], None], items: int, unit: int = 1, least: int = 1) -> None:
    """Call ``work(first, last)`` on ranges that cover ``items`` in multiples of ``unit``, side by side.

    Below ``least`` items per thread the calling thread does it alone: waking threads costs about 50 microseconds.
    """
    units = (items + unit - 1) // unit
    parts = max(1, min(count(), units, items // max(least, 1)))
    if parts == 1:
        work(0, items)
        return
    bounds = [min(items, unit * (units * part // parts)) for part in range(parts + 1)]
    pool = _pool(os.getpid(), count())
    futures = [pool.submit(work, low, high) for low, high in zip(bounds[1:-1], bounds[2:], strict=True)]
    work(bounds[0], bounds[1])
    for future in futures:
        future.result()
