"""Run one function on many tasks in a pool of processes; the interface is small, so that another engine can stand in.

A pool is a function ``pool(function, tasks, workers)`` that yields the results in the order of completion (`Pool`).
`run` is the pool of this package. One on joblib or Dask is a function of a few lines, which
`particlegvi.tables.run_table` takes as ``pool=``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Protocol, TypeVar

from particlegvi.tools.quoting import refuse

Task = TypeVar("Task")
Result = TypeVar("Result")


class Pool(Protocol):
    """The contract of a pool of processes."""

    def __call__(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], workers: int, /
    ) -> Iterator[Result]:
        """Yield ``function(task)`` for each task, in any order.

        The function, the tasks and the results can be pickled. An exception in a task is raised here, and no other task
        goes on after it, nor after an exception of the caller. No result may depend on ``workers``.
        """


def run(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Yield the result of each task in the order of completion.

    Parameters
    ----------
    function : callable
        ``function(task)``, defined at the top of a module, or a `functools.partial` of such a function.
    tasks : sequence
    workers : int
        Processes, at most one for each task; 1 runs the tasks in this process, in their order. New processes import the
        main program, which therefore needs ``if __name__ == "__main__":``.

    Raises
    ------
    ValueError
        If ``workers`` is not a whole number of 1 or more.
    Exception
        That of a task. The processes are terminated at once then, and also where the caller closes the iterator, or is
        interrupted while it waits.

    Notes
    -----
    Each process has one thread of numba, leaves Ctrl-C to the parent and ends with the parent, however that ends.
    """
    if type(workers) is not int or workers < 1:
        raise refuse("workers", workers, "a whole number of 1 or more")
    number = min(workers, len(tasks))
    return map(function, tasks) if number <= 1 else _side_by_side(function, tasks, number)


def _side_by_side(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    before = set(multiprocessing.active_children())
    # Spawned, because a process forked beside running threads may hang.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        for future in as_completed([executor.submit(function, task) for task in tasks]):
            yield future.result()
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()  # no caller waits for a task under way
        raise
    executor.shutdown()


def _begin() -> None:
    """In a new process: leave Ctrl-C to the parent, the other processors to the other processes, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["NUMBA_NUM_THREADS"] = "1"
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent can send no message; its processes would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
