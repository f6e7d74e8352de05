"""Engines on this machine: results as they come, and no process outlives an error, a closed iterator or its parent."""

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

from particlegvi.tools.cells import MemoryStore, Store, choose
from particlegvi.tools.cells.engines import in_process, loky

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


def test_one_process_is_this_one_and_more_come_from_joblib():
    assert choose(1) is in_process and choose(2) is loky


def test_this_process_keeps_the_order(tmp_path):
    (tmp_path / "late").touch()
    assert list(in_process(partial(waiting, folder=tmp_path), ["late", "early"], 1)) == ["late", "early"]
    assert [pid for pid, *_ in in_process(process, [0, 1], 1)] == 2 * [os.getpid()]


def test_two_processes_have_the_results_of_one_and_leave_ctrl_c_to_their_parent(before):
    alone = list(in_process(square, range(5), 1))
    assert alone == [(number, number * number) for number in range(5)]
    assert sorted(loky(square, range(5), 2)) == alone
    seen = list(loky(process, [0, 1, 2], 2))
    assert os.getpid() not in {pid for pid, *_ in seen}
    assert {(threads, hears) for _, threads, hears in seen} == {("1", False)}
    assert process(0)[2]  # the control: this process does hear it
    assert children_end(before)


def test_results_come_in_the_order_of_completion_and_a_closed_iterator_ends_its_processes(tmp_path, before):
    results = loky(partial(waiting, folder=tmp_path), ["late", "early"], 2)
    assert next(results) == "early"
    until_there(tmp_path / "late.begun")
    assert not children_end(before, within=0.5)  # the control: as long as it is open they go on
    results.close()
    assert children_end(before)


def test_an_exception_of_a_task_arrives_and_ends_the_others(tmp_path, before):
    with pytest.raises(LookupError, match="no such thing"):
        list(loky(partial(waiting, folder=tmp_path), ["late", "failing"], 2))
    assert children_end(before)


PARENT = """
import sys
from functools import partial
from pathlib import Path
from tests.tools.cells import test_engines

if __name__ == "__main__":
    pool, folder = getattr(test_engines, sys.argv[1]), Path(sys.argv[2])
    list(pool(partial(test_engines.endless, folder=folder), [0, 1], 2))
"""


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
@pytest.mark.parametrize(("pool", "left"), [("loky", 0), ("plain", 2)])
@pytest.mark.thorough
def test_a_killed_parent_leaves_no_process(root, tmp_path, pool, left):
    (tmp_path / "pids").mkdir()
    (tmp_path / "parent.py").write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, tmp_path / "parent.py", pool, tmp_path / "pids"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
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


IDENTITY = {"scenario": {"steps": 3, "title": "ä"}, "versions": {"numpy": "2.0"}, "seed": 2**64 - 1}
RESULT = {"rows": [{"method": "DLE", "w1": 0.1234567890123456789}], "status": {"DLE": "finished"}}


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path):
    made = Store(tmp_path) if request.param == "folder" else MemoryStore()
    made.prepare()
    return made


def test_what_is_written_is_read(store):
    assert not store.has("a" * 64) and store.read("a" * 64, IDENTITY) is None
    store.write("a" * 64, IDENTITY, RESULT, 0.25)
    assert store.has("a" * 64) and store.read("a" * 64, IDENTITY) == RESULT
    assert store.read("b" * 64, IDENTITY) is None


def test_another_identity_is_another_cell(tmp_path):
    store = Store(tmp_path)
    store.prepare()
    store.write("cell", IDENTITY, RESULT, 0.25)
    assert store.read("cell", {**IDENTITY, "seed": 3}) is None
    assert store.read("cell", {**IDENTITY, "versions": {"numpy": "2.1"}}) is None


def test_a_damaged_cell_is_not_finished(tmp_path):
    store = Store(tmp_path)
    store.prepare()
    store.write("cell", IDENTITY, RESULT, 0.25)
    place = tmp_path / "cells" / "cell.json"
    whole = place.read_bytes()
    digit = whole.index(b"0.123") + 3
    for damaged in (b"", b"{", b"{}", whole[:-20], whole[:digit] + b"9" + whole[digit + 1 :]):
        place.write_bytes(damaged)
        assert store.read("cell", IDENTITY) is None
    place.write_bytes(whole.replace(b'"seconds": 0.25', b'"seconds": 0.75'))
    assert store.read("cell", IDENTITY) == RESULT  # how long it took does not count
