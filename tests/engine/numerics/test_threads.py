"""Splitting work: every item once, errors not lost, forked children alive."""

import multiprocessing
import sys
import threading

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import threads

from ...interpreters import python


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "items, unit, least", [(0, 1, 1), (1, 1, 1), (100, 32, 1), (1000, 1, 1), (1000, 64, 300), (5, 8, 1)]
)
def test_every_item_is_done_once(workers, items, unit, least, monkeypatch):
    monkeypatch.setattr(threads, "count", lambda: workers)
    done = np.zeros(items, dtype=int)

    def work(first, last):
        assert first % unit == 0 and (last % unit == 0 or last == items)
        done[first:last] += 1

    threads.split(work, items, unit, least)
    assert np.all(done == 1)


def test_errors_reach_the_caller(monkeypatch):
    monkeypatch.setattr(threads, "count", lambda: 2)

    def work(first, last):
        if threading.current_thread() is not threading.main_thread() or first == 0:
            raise RuntimeError("from a part")

    with pytest.raises(RuntimeError, match="from a part"):
        threads.split(work, 100)


def test_the_number_of_threads_is_the_one_asked_for(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert threads.count() == 3
    monkeypatch.setenv("NUMBA_NUM_THREADS", "many")
    assert threads.count() >= 1


def test_one_blas_thread_also_for_a_library_that_is_loaded_later():
    """SciPy's linear algebra is another library than NumPy's, which the first use of the limit may come before."""
    program = (
        "from particlegvi.engine.numerics import threads\n"
        "with threads.one_blas_thread(): pass\n"
        "import scipy.linalg, threadpoolctl\n"
        "before = [i['num_threads'] for i in threadpoolctl.threadpool_info() if i['user_api'] == 'blas']\n"
        "with threads.one_blas_thread():\n"
        "    inside = [i['num_threads'] for i in threadpoolctl.threadpool_info() if i['user_api'] == 'blas']\n"
        "print(min(before), max(inside))"
    )
    variables = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "2")
    before, inside = map(int, python("-c", program, **variables).stdout.split())
    if before < 2:
        pytest.skip("the linear algebra library has one thread only")
    assert inside == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_work_that_was_begun_is_done_once_and_its_errors_come_out(workers, monkeypatch):
    monkeypatch.setattr(threads, "count", lambda: workers)
    done = []
    waits = [threads.begin(lambda number=number: done.append(number)) for number in range(20)]
    for wait in reversed(waits):
        wait()
    assert sorted(done) == list(range(20))
    with pytest.raises(ZeroDivisionError):
        threads.begin(lambda: 1 / 0)()


def _in_child(queue):
    queue.put(_final())


def _final():
    method = pg.methods.DLE(1.0)
    run = pg.simulate(pg.losses.get("double-well"), method, prior=pg.priors.Normal(0.0, 1.0), particles=5000, steps=4)
    return run.final


@pytest.mark.skipif(sys.platform == "win32", reason="no fork on this platform")
@pytest.mark.thorough
def test_a_forked_child_can_go_on_after_threads_were_used(monkeypatch):
    monkeypatch.setattr(threads, "count", lambda: 2)
    here = _final()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    there = queue.get(timeout=60)
    child.join()
    assert np.array_equal(here, there)
