"""Cells computed side by side in processes are those computed one by one, and an error ends the processes."""

from __future__ import annotations

import multiprocessing
import time

import pytest

from particlegvi import datasets
from particlegvi.tables import Cell, Settings, running


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
    before = set(multiprocessing.active_children())
    groups = [[Cell("yacht", "linear", "standardised", split)] for split in range(4)]
    with pytest.raises(ValueError, match=r"needs the file yacht\.csv\.gz"):
        list(running._compute(groups, Settings(), tmp_path, 2))
    assert wait_for_end_of_children(before)
