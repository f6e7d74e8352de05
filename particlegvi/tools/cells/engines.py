"""Engines that compute tasks: this process, joblib's processes on this machine, the workers of a Dask scheduler.

An engine is a function ``engine(function, tasks, workers)`` that yields the results in the order of completion. The
libraries are imported when an engine is used.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import Protocol, TypeVar

from particlegvi.tools.errors import needed
from particlegvi.tools.quoting import refuse, shown

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2  # tasks handed out for each process: one to compute, and one to follow it
WAIT = 60.0  # seconds that the first worker of a scheduler may take to appear
ANSWER = 10.0  # seconds that a scheduler may take to answer


class WorkerLost(RuntimeError):
    """A process has ended before its task did: it was killed, or the machine ran out of memory."""


class Engine(Protocol):
    """The contract of an engine."""

    def __call__(self, function: Callable[[Task], Result], tasks: Iterable[Task], workers: int, /) -> Iterator[Result]:
        """Yield ``function(task)`` for each task, in any order.

        The next task is taken when there is room for it, because it may depend on the results before. The function, the
        tasks and the results can be pickled. An exception in a task is raised here, and ends the other tasks; so does
        an exception of the caller. No result depends on ``workers``. A process that ends before its task is
        `WorkerLost`, unless the engine gives the task to another process.
        """


def choose(number: int, address: str | None = None) -> Engine:
    """The engine for a number of processes on this machine, or for the workers of the scheduler at an address."""
    if address is not None:
        if not isinstance(address, str) or "://" not in address or len(address) > 200:
            raise refuse("dask", address, 'the address of a scheduler, such as "tcp://host:8786"')
        needed("dask", "cluster", "distributed")
        return dask(address)
    return loky if number > 1 else in_process


def in_process(function: Callable[[Task], Result], tasks: Iterable[Task], number: int) -> Iterator[Result]:
    """Compute the tasks one after the other in this process."""
    return map(function, tasks)


def loky(function: Callable[[Task], Result], tasks: Iterable[Task], number: int) -> Generator[Result, None, None]:
    """Compute the tasks in processes of joblib on this machine, each with one thread."""
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    call = delayed(function)
    with parallel_config(backend="loky", n_jobs=number, inner_max_num_threads=1):
        parallel = Parallel(
            return_as="generator_unordered", batch_size=1, pre_dispatch=AHEAD * number, initializer=_begin,
            initargs=(os.getpid(),),
        )  # fmt: skip
        results = parallel(call(task) for task in tasks)
    try:
        yield from results
    except TerminatedWorkerError:
        raise WorkerLost("a process was killed, or ended because the memory was full") from None
    finally:
        results.close()
        # Stop the pool, so that the next one sees the current environment and data. Its processes are killed: one that
        # waits for the lock of a process that was killed after its last task would never hear that it may end.
        get_reusable_executor(reuse=True).shutdown(kill_workers=True)


def _begin(parent: int) -> None:
    """Prepare a process before its first task: it leaves Ctrl-C to the parent, and ends when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when its parent is gone. A killed parent sends no message, but the process gets a new parent."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def dask(address: str) -> Engine:
    """The engine of the workers that a Dask scheduler has, however many they are."""

    def pool(function: Callable[[Task], Result], tasks: Iterable[Task], _: int) -> Generator[Result, None, None]:
        from distributed import CancelledError, Client, as_completed
        from distributed.scheduler import KilledWorker

        try:
            client = Client(address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"no scheduler answers at {shown(address)}: {type(error).__name__}") from None
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # the error is raised, not printed
        rest = iter(tasks)
        try:
            try:
                client.wait_for_workers(1, timeout=WAIT)
            except TimeoutError:
                raise ValueError(f"the scheduler at {shown(address)} has no worker after {WAIT:.0f} s") from None
            running = as_completed(loop=client.loop)
            ended = ConnectionError(f"the scheduler at {shown(address)} has ended")
            waiting = 0  # submitted tasks whose results have not come: `running` forgets those of a lost scheduler

            def fill() -> None:
                nonlocal waiting
                try:
                    threads = sum(client.nthreads().values())
                except OSError:
                    raise ended from None
                for task in islice(rest, max(0, AHEAD * threads - waiting)):
                    running.add(client.submit(function, task, pure=False, retries=2))
                    waiting += 1

            fill()
            for future in running:
                try:
                    result = future.result()
                except KilledWorker:
                    raise WorkerLost("several workers ended with the same cells") from None
                except CancelledError:
                    raise ended from None
                future.release()
                waiting -= 1
                yield result
                fill()
            if waiting:
                raise ended
        finally:
            client.close()

    return pool
