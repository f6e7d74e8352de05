"""Computing many cells in this process, or in processes of joblib on this machine."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from particlegvi.tools.cells.sending import sent

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerLost(RuntimeError):
    """A process has ended before its cell did: it was killed, or the machine ran out of memory."""


@dataclass(frozen=True)
class Timed(Generic[Item, Result]):
    """A function that also gives its argument and the seconds that it took."""

    function: Callable[[Item], Result]

    def __call__(self, item: Item) -> tuple[Item, Result, float]:
        begun = time.perf_counter()
        result = self.function(item)
        return item, result, time.perf_counter() - begun


def compute(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Generator[tuple[Item, Result, float], None, None]:
    """Yield each item with its result and the seconds that it took, in the order of completion.

    With one worker this process computes. Otherwise joblib's processes do, each with one thread: function, items and
    results can be pickled, an item is taken when there is room for it, and short items are sent several at a time. An
    exception of an item is raised here and ends the processes, and so does closing the iterator. A process that ends
    before its item is `WorkerLost`. No result depends on ``workers``.
    """
    timed = Timed(sent(function))
    if workers == 1:
        yield from map(timed, items)
        return
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with parallel_config(backend="loky", n_jobs=workers, inner_max_num_threads=1):
        parallel = Parallel(return_as="generator_unordered", initializer=_begin, initargs=(os.getpid(),))
        results = parallel(delayed(timed)(item) for item in items)
    try:
        for done in results:  # noqa: UP028 - `yield from` would close them before the lines below
            yield done
    except TerminatedWorkerError:
        raise WorkerLost("a process was killed, or ended because the memory was full") from None
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib tells how many items it cancels
            results.close()
        # Stop the pool, so that the next one sees the current environment and data. Its processes are killed: one that
        # waits for the lock of a process that was killed after its last item would never hear that it may end.
        get_reusable_executor(reuse=True).shutdown(kill_workers=True)


def _begin(parent: int) -> None:
    """Prepare a process before its first item: it leaves Ctrl-C to the parent, and ends when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when its parent is gone. A killed parent sends no message, but the process gets a new parent."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
