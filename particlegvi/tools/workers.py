"""Run one function on many tasks in a pool of processes; the interface is small, so that another engine can stand in.

A pool is a function ``pool(function, tasks, workers)`` that yields the results in the order of completion (`Pool`).
`run` is the pool of this package; `particlegvi.cells` has one on joblib and one on Dask. `particlegvi.tables.run_table`
takes any as ``pool=``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Protocol, TypeVar

from particlegvi.tools.quoting import refuse

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2  # tasks that are handed out for each process: one to compute, and one for when it is done


class WorkerLost(RuntimeError):
    """A process of a pool has ended before its task did: it was killed, or the machine ran out of memory."""


class Pool(Protocol):
    """The contract of a pool of processes."""

    def __call__(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], workers: int, /
    ) -> Iterator[Result]:
        """Yield ``function(task)`` for each task, in any order.

        The function, the tasks and the results can be pickled. An exception in a task is raised here, and no other task
        goes on after it, nor after an exception of the caller. No result may depend on ``workers``. A process that ends
        before its task is `WorkerLost`, where the pool does not give the task to another.
        """


class LazyPool(Protocol):
    """A pool that takes the next task when it has room for it, so that a task may depend on the results before."""

    def __call__(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], workers: int, /
    ) -> Iterator[Result]: ...  # as in `Pool`


def run(function: Callable[[Task], Result], tasks: Iterable[Task], workers: int) -> Iterator[Result]:
    """Yield the result of each task in the order of completion.

    Parameters
    ----------
    function : callable
        ``function(task)``, defined at the top of a module, or a `functools.partial` of such a function.
    tasks : iterable
        Two for each process are taken from it at first, and one more when a result is there.
    workers : int
        Processes, at most one for each task; 1 runs the tasks in this process, in their order. New processes import the
        main program, which therefore needs ``if __name__ == "__main__":``.

    Raises
    ------
    ValueError
        If ``workers`` is not a whole number of 1 or more.
    WorkerLost
        If a process was killed. The others are terminated.
    Exception
        That of a task. The processes are terminated at once then, and also where the caller closes the iterator, or is
        interrupted while it waits.

    Notes
    -----
    Each process has one thread of numba, leaves Ctrl-C to the parent and ends with the parent, however that ends.
    """
    if type(workers) is not int or workers < 1:
        raise refuse("workers", workers, "a whole number of 1 or more")
    number = min(workers, len(tasks)) if isinstance(tasks, Sized) else workers
    return map(function, tasks) if number <= 1 else _side_by_side(function, tasks, number)


def _side_by_side(function: Callable[[Task], Result], tasks: Iterable[Task], workers: int) -> Iterator[Result]:
    before = set(multiprocessing.active_children())
    # Spawned, because a process forked beside running threads may hang.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=begin)
    rest = iter(tasks)
    running: set[Future[Result]] = set()

    def hand_out(number: int) -> None:
        running.update(executor.submit(function, task) for task in islice(rest, number))

    try:
        hand_out(AHEAD * workers)
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                running.remove(future)
                yield future.result()
                hand_out(1)
    except BaseException as error:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()  # no caller waits for a task under way
        if isinstance(error, BrokenProcessPool):
            raise WorkerLost("a process was killed, or ended because the memory was full") from None
        raise
    executor.shutdown()


def begin() -> None:
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
