"""Cells computed side by side in processes are those computed one by one, and an error ends the processes."""

from __future__ import annotations

import multiprocessing
import time
from functools import partial
from pathlib import Path

import pytest

from particlegvi import datasets
from particlegvi.tables import running


def wait_for_end_of_children(before: set) -> bool:
    deadline = time.monotonic() + 20.0
    while time.monotonic() < deadline:
        if not set(multiprocessing.active_children()) - before:
            return True
        time.sleep(0.05)
    return False


def test_two_processes_compute_what_one_does(tmp_path):
    settings = {"rows": ["yacht", "heart"], "models": ["linear"], "protocols": ["standardised"], "splits": 2}
    try:
        datasets.load("yacht"), datasets.load("heart")
    except datasets.MissingData as missing:
        pytest.skip(str(missing))
    alone = running.run_table(settings, tmp_path / "one", jobs=1)
    beside = running.run_table(settings, tmp_path / "two", jobs=2)
    assert len(alone.scores) == 4
    assert alone.scores == beside.scores


def test_an_error_in_a_process_arrives_and_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTICLEGVI_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(running, "problem", lambda *cell: None)  # the data are found missing by the processes alone
    before = set(multiprocessing.active_children())
    settings = {"rows": ["yacht"], "models": ["linear"], "splits": 4}
    with pytest.raises(ValueError, match=r"needs the file yacht\.csv\.gz"):
        running.run_table(settings, tmp_path / "table", jobs=2)
    assert wait_for_end_of_children(before)


SMALL = {"rows": ["yacht", "heart"], "models": ["pls", "linear"], "protocols": ["standardised"], "splits": 2}


def backwards(function, tasks, workers):
    """Another engine: the last task first, in this process."""
    return [function(task) for task in reversed(tasks)]


def elsewhere(function, tasks, workers):
    """Another engine, whose processes do not see the folder of the table."""
    hidden = partial(function.func, **{**function.keywords, "folder": Path("not/there")})
    return map(hidden, tasks)


@pytest.mark.parametrize("pool", [backwards, elsewhere])
def test_another_engine_makes_the_same_table(pool, toy, tmp_path):
    ours = running.run_table(SMALL, tmp_path / "ours", jobs=1)
    theirs = running.run_table(SMALL, tmp_path / "theirs", jobs=3, pool=pool)
    assert theirs.scores == ours.scores and len(toy) == 16
    names = ["table.md", "table.json"]
    assert all((tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes() for name in names)
    assert running.run_table(SMALL, tmp_path / "theirs", jobs=1).scores == ours.scores
    assert len(toy) == 16  # its cells count
    assert not Path("not").exists()


def test_a_cell_is_kept_before_the_others_of_its_problem_are_finished(toy, tmp_path, monkeypatch):
    def measure(cell, *rest):
        if cell.model == "linear":
            raise KeyboardInterrupt
        return measured(cell, *rest)

    measured = running.measure
    monkeypatch.setattr(running, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        running.run_table(SMALL, tmp_path, jobs=1)
    assert [path.name for path in (tmp_path / "cells").iterdir()] == ["yacht.pls.standardised.0.json"]


def test_a_pool_is_a_function(toy, tmp_path):
    with pytest.raises(ValueError, match="^pool must be a function of a function, tasks and a number of .*, not 3$"):
        running.run_table(SMALL, tmp_path / "table", jobs=1, pool=3)
    assert not (tmp_path / "table").exists()
