"""A pool of processes: results as they come, and no process that outlives an error, a closed iterator or its parent."""

from __future__ import annotations

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

from particlegvi.tools import workers

PATIENCE = 60.0  # seconds; new processes of a busy machine take some


def square(number: int) -> tuple[int, int]:
    return number, number * number


def process(_: int) -> tuple[int, str, bool]:
    """In which process a task runs, with how many threads of numba, and whether it hears Ctrl-C."""
    return os.getpid(), os.environ.get("NUMBA_NUM_THREADS", ""), signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def until_there(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.02)


def waiting(name: str, folder: Path) -> str:
    """The task "late" ends when there is a file of this name, "failing" fails when "late" is under way."""
    (folder / f"{name}.begun").touch()
    if name == "late":
        until_there(folder / name)
    if name == "failing":
        until_there(folder / "late.begun")
        raise LookupError("no such thing")
    return name


def endless(_: int, folder: Path) -> None:
    (folder / str(os.getpid())).touch()
    time.sleep(10.0 * PATIENCE)


def children_end(before: set, within: float = PATIENCE) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not set(multiprocessing.active_children()) - before:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def before() -> set:
    return set(multiprocessing.active_children())


def test_two_workers_have_the_results_of_one(before):
    alone = list(workers.run(square, range(5), 1))
    assert alone == [(number, number * number) for number in range(5)]
    assert sorted(workers.run(square, range(5), 2)) == alone
    assert children_end(before)


def test_results_come_in_the_order_of_completion(tmp_path):
    results = workers.run(partial(waiting, folder=tmp_path), ["late", "early"], 2)
    assert next(results) == "early"
    (tmp_path / "late").touch()
    assert list(results) == ["late"]


def test_one_worker_keeps_the_order_and_is_this_process(tmp_path):
    (tmp_path / "late").touch()
    assert list(workers.run(partial(waiting, folder=tmp_path), ["late", "early"], 1)) == ["late", "early"]
    here = [os.getpid()]
    assert [pid for pid, *_ in workers.run(process, [0, 1], 1)] == 2 * here
    assert [pid for pid, *_ in workers.run(process, [0], 4)] == here  # no process is made for a single task
    assert list(workers.run(process, [], 2)) == []


def test_a_process_has_one_thread_and_leaves_ctrl_c_to_its_parent():
    seen = list(workers.run(process, [0, 1, 2], 2))
    assert os.getpid() not in {pid for pid, *_ in seen}
    assert {(threads, hears) for _, threads, hears in seen} == {("1", False)}
    assert process(0)[2]  # the control: this process does hear it


def test_an_exception_of_a_task_arrives_and_ends_the_others(tmp_path, before):
    with pytest.raises(LookupError, match="no such thing"):
        list(workers.run(partial(waiting, folder=tmp_path), ["late", "failing"], 2))
    assert children_end(before)


def test_a_closed_iterator_ends_its_processes(tmp_path, before):
    results = workers.run(partial(waiting, folder=tmp_path), ["late", "early"], 2)
    assert next(results) == "early"
    until_there(tmp_path / "late.begun")
    assert not children_end(before, within=0.5)  # the control: as long as it is open they go on
    results.close()
    assert children_end(before)


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "2", None])
def test_workers_are_a_whole_number(number):
    with pytest.raises(ValueError, match="^workers must be a whole number of 1 or more, not "):
        workers.run(square, [1], number)


PARENT = """
import sys
from functools import partial
from pathlib import Path
from tests.tools import test_workers

if __name__ == "__main__":
    pool, folder = getattr(test_workers, sys.argv[1]), Path(sys.argv[2])
    list(pool(partial(test_workers.endless, folder=folder), [0, 1], 2))
"""


def ours(function, tasks, number):
    return workers.run(function, tasks, number)


def plain(function, tasks, number):
    """The control: a pool of Python alone."""
    with ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [future.result() for future in [pool.submit(function, task) for task in tasks]]


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(("pool", "left"), [("ours", 0), ("plain", 2)])
def test_a_killed_parent_leaves_no_process(root, tmp_path, pool, left):
    (tmp_path / "pids").mkdir()
    (tmp_path / "parent.py").write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, tmp_path / "parent.py", pool, tmp_path / "pids"],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    found: list[int] = []
    try:
        deadline = time.monotonic() + PATIENCE
        while len(found) < 2:
            assert time.monotonic() < deadline and parent.poll() is None
            time.sleep(0.05)
            found = [int(path.name) for path in (tmp_path / "pids").iterdir()]
        assert all(map(runs, found))
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + (PATIENCE if left == 0 else 2.0)
        while any(map(runs, found)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert sum(map(runs, found)) == left
    finally:
        parent.kill()
        parent.wait()
        for pid in filter(runs, found):
            os.kill(pid, signal.SIGKILL)
