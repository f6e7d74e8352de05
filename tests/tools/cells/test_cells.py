"""Cells are computed as they come and kept; no process outlives an error, a closed iterator or its parent."""

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from particlegvi.tools.cells import Store, WorkerLost, compute

from ...processes import linux, running, wait_until


def square(number: int) -> int:
    return number * number


def process(_: int) -> tuple[int, str, bool]:
    """In which process a task runs, with how many threads of numba, and whether it hears Ctrl-C."""
    return os.getpid(), os.environ.get("NUMBA_NUM_THREADS", ""), signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def waiting(name: str, folder: Path) -> str:
    """The task "late" ends when there is a file of this name, "failing" fails when "late" is under way."""
    (folder / f"{name}.begun").touch()
    if name == "late":
        assert wait_until((folder / name).exists)
    if name == "failing":
        assert wait_until((folder / "late.begun").exists)
        raise LookupError("no such thing")
    return name


def endless(_: int, folder: Path) -> None:
    (folder / str(os.getpid())).touch()
    time.sleep(600.0)


def killed(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def children_end(before: set, within: float = 60.0) -> bool:
    return wait_until(lambda: not set(multiprocessing.active_children()) - before, within)


@pytest.fixture
def before() -> set:
    return set(multiprocessing.active_children())


def test_one_worker_is_this_process_which_keeps_the_order_and_takes_an_item_when_it_is_asked_for():
    assert [(item, result) for item, result, _ in compute(square, range(4), 1)] == [(k, k * k) for k in range(4)]
    assert next(compute(process, [0], 1))[1] == process(0)
    taken = itertools.count()
    next(compute(square, (next(taken) for _ in range(10_000)), 1))
    assert next(taken) < 5


@pytest.mark.thorough
def test_two_workers_have_the_results_of_one_and_leave_ctrl_c_to_their_parent(before):
    alone = [(number, number * number) for number in range(300)]
    assert sorted((item, result) for item, result, _ in compute(square, range(300), 2)) == alone
    processes = [result for _, result, _ in compute(process, [0, 1, 2], 2)]
    assert os.getpid() not in {pid for pid, *_ in processes}
    assert {(threads, hears) for _, threads, hears in processes} == {("1", False)}
    assert process(0)[2]  # the control: this process does hear it
    assert children_end(before)


@pytest.mark.thorough
def test_an_exception_of_an_item_arrives_and_ends_the_others(tmp_path, before):
    with pytest.raises(LookupError, match="no such thing"):
        list(compute(partial(waiting, folder=tmp_path), ["late", "failing"], 2))
    assert children_end(before)


@pytest.mark.thorough
def test_a_process_that_is_killed_ends_the_work_with_a_word(before):
    with pytest.raises(WorkerLost, match="^a process was killed, or ended because the memory was full$"):
        list(compute(killed, range(3), 2))
    assert children_end(before)


PARENT = """
import sys
from functools import partial
from pathlib import Path
from particlegvi.tools.cells import compute
from tests.tools.cells import test_cells

if __name__ == "__main__":
    pool, folder = {"compute": compute, "plain": test_cells.plain}[sys.argv[1]], Path(sys.argv[2])
    list(pool(partial(test_cells.endless, folder=folder), [0, 1], 2))
"""


def plain(function, tasks, number):
    """The control: a pool of Python alone."""
    with ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [future.result() for future in [pool.submit(function, task) for task in tasks]]


@linux
@pytest.mark.parametrize(("pool", "left"), [("compute", 0), ("plain", 2)])
@pytest.mark.thorough
def test_a_killed_parent_leaves_no_process(root, tmp_path, pool, left):
    pids, found = tmp_path / "pids", []
    pids.mkdir()
    (tmp_path / "parent.py").write_text(PARENT)
    command = [sys.executable, tmp_path / "parent.py", pool, pids]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    parent = subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, **quiet)
    try:
        assert wait_until(lambda: len(list(pids.iterdir())) == 2)
        found = [int(path.name) for path in pids.iterdir()]
        assert len(running(found)) == 2
        parent.kill()
        parent.wait()
        wait_until(lambda: not running(found), 60.0 if left == 0 else 2.0)
        assert len(running(found)) == left
    finally:
        parent.kill()
        parent.wait()
        for pid in running(found):
            os.kill(pid, signal.SIGKILL)


IDENTITY = {"scenario": {"steps": 3, "title": "ä"}, "versions": {"numpy": "2.0"}, "seed": 2**64 - 1}
RESULT = {"rows": [{"method": "DLE", "w1": 0.1234567890123456789}], "status": {"DLE": "finished"}}


def test_a_damaged_cell_or_one_of_another_identity_is_not_finished(tmp_path):
    store = Store(tmp_path)
    store.prepare()
    store.write("cell", IDENTITY, RESULT, 0.25)
    assert store.has("cell") and not store.has("other") and store.read("other", IDENTITY) is None
    for other in ({"seed": 3}, {"versions": {"numpy": "2.1"}}):
        assert store.read("cell", {**IDENTITY, **other}) is None
    place = tmp_path / "cells" / "cell.json"
    whole = place.read_bytes()
    digit = whole.index(b"0.123") + 3
    for damaged in (b"", b"{", b"{}", whole[:-20], whole[:digit] + b"9" + whole[digit + 1 :]):
        place.write_bytes(damaged)
        assert store.read("cell", IDENTITY) is None
    place.write_bytes(whole.replace(b'"seconds": 0.25', b'"seconds": 0.75'))
    assert store.read("cell", IDENTITY) == RESULT  # how long it took does not count
