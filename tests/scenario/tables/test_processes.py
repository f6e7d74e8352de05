"""Cells computed side by side in processes are those computed one by one, and an error ends the processes."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from particlegvi import datasets
from particlegvi.scenario.tables import running
from particlegvi.tools.cells import WorkerLost

pytestmark = pytest.mark.thorough


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
    alone = running.run_table(settings, tmp_path / "one", workers=1)
    beside = running.run_table(settings, tmp_path / "two", workers=2)
    assert len(alone.scores) == 4
    assert alone.scores == beside.scores


def test_an_error_in_a_process_arrives_and_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTICLEGVI_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    benchmark = lambda settings: SimpleNamespace(problem=lambda *task: None)
    monkeypatch.setattr(running, "benchmark", benchmark)  # the data are found missing by the processes alone
    before = set(multiprocessing.active_children())
    settings = {"rows": ["yacht"], "models": ["linear"], "splits": 4}
    with pytest.raises(ValueError, match=r"needs the file yacht\.csv\.gz"):
        running.run_table(settings, tmp_path / "table", workers=2)
    assert wait_for_end_of_children(before)


SMALL = {"rows": ["yacht", "heart"], "models": ["pls", "linear"], "protocols": ["standardised"], "splits": 2}


def backwards(function, tasks, workers):
    """Another engine: the last task first, in this process."""
    return [function(task) for task in reversed(list(tasks))]


def elsewhere(function, tasks, workers):
    """Another engine, whose processes do not see the folder of the table."""
    return map(replace(function, folder=Path("not/there")), tasks)


@pytest.mark.parametrize("pool", [backwards, elsewhere])
def test_another_engine_makes_the_same_table(pool, toy, tmp_path):
    ours = running.run_table(SMALL, tmp_path / "ours", workers=1)
    theirs = running.run_table(SMALL, tmp_path / "theirs", workers=3, pool=pool)
    assert theirs.scores == ours.scores and len(toy) == 16
    names = ["table.md", "table.json"]
    assert all((tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes() for name in names)
    assert running.run_table(SMALL, tmp_path / "theirs", workers=1).scores == ours.scores
    assert len(toy) == 16  # its cells count
    assert not Path("not").exists()


def losing(times):
    """An engine whose process is lost while it computes its second problem, in each of its first lives."""
    lives = iter(range(times))

    def pool(function, tasks, workers):
        lost = next(lives, None) is not None
        for place, task in enumerate(tasks):
            if lost and place == 1:
                function.group(task.items[0][:1])  # one of two cells is finished
                raise WorkerLost("killed")
            yield function(task)

    return pool


def always_losing(function, tasks, workers):
    next(iter(tasks))
    raise WorkerLost("killed")
    yield


def test_a_table_survives_lost_processes(toy, tmp_path):
    whole = running.run_table(SMALL, tmp_path / "whole", workers=1)
    toy.clear()
    again = running.run_table(SMALL, tmp_path / "lost", workers=2, pool=losing(2))
    assert again.scores == whole.scores and len(toy) == len(whole.scores)  # and no cell is measured twice
    with pytest.raises(WorkerLost, match="in the same cell"):
        running.run_table({**SMALL, "seed": 1}, tmp_path / "lost", workers=2, pool=always_losing)


def test_a_cell_is_kept_before_the_others_of_its_problem_are_finished(toy, tmp_path, monkeypatch):
    def measure(task, *rest):
        if task.model == "linear":
            raise KeyboardInterrupt
        return scores_of(task, *rest)

    scores_of = running.scores_of
    monkeypatch.setattr(running, "scores_of", measure)
    with pytest.raises(KeyboardInterrupt):
        running.run_table(SMALL, tmp_path, workers=1)
    assert [path.name for path in (tmp_path / "cells").iterdir()] == ["yacht.pls.standardised.0.json"]


def test_a_pool_is_a_function(toy, tmp_path):
    with pytest.raises(ValueError, match="^pool must be a function of a function, tasks and a number of .*, not 3$"):
        running.run_table(SMALL, tmp_path / "table", workers=1, pool=3)
    assert not (tmp_path / "table").exists()
