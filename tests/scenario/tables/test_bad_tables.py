"""Every argument of `run_table` and `measure` against every kind of bad value."""

from __future__ import annotations

import pytest

import particlegvi as pg
from particlegvi.scenario.tables import ProjectedSettings, Task

from ...bad_values import Calls, add, all_wrong_answers, wrong_answers

SETTINGS = ProjectedSettings(rows=("boston",), models=("linear",), protocols=("standardised",), splits=1)
TASK = Task("boston", "linear", "standardised", 0)


def calls(folder) -> Calls:
    found: Calls = {}
    given = {"settings": SETTINGS, "folder": folder, "progress": None, "workers": 1}
    add(found, "run_table", pg.tables.run_table, "settings workers", **given)
    add(found, "run_table", pg.tables.run_table, "folder", **given)
    for key in ("rows", "models", "splits", "seed"):
        settings = {"rows": ["boston"], "models": ["linear"], "protocols": ["standardised"], "splits": 1}
        found[f"run_table settings.{key}"] = lambda value, key=key, settings=settings: pg.tables.run_table(
            {**settings, key: value}, folder, workers=1
        )
    add(found, "measure", pg.tables.measure, "task settings problem", task=TASK, settings=SETTINGS, problem=None)
    for key in TASK._fields:
        found[f"measure task.{key}"] = lambda value, key=key: pg.tables.measure(TASK._replace(**{key: value}), SETTINGS)
    return found


@pytest.mark.parametrize("name", calls(None))
def test_a_dozen_values_of_an_argument_are_answered(name, toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = wrong_answers(name, calls(tmp_path / "table")[name])
    assert not wrong, "\n".join(wrong)


@pytest.mark.thorough
def test_every_value_of_every_argument_is_answered(toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = all_wrong_answers(calls(tmp_path / "table"))
    assert not wrong, "\n".join(wrong)


def test_progress_is_any_callable(toy, tmp_path):
    heard = []
    pg.tables.run_table(SETTINGS, tmp_path, lambda *words: heard.append(words), workers=1)
    assert heard == [("cells", 0, 1), ("cells", 1, 1)]
    for value in (3, "print", [print]):
        with pytest.raises(ValueError, match="^progress must be a function or None, not "):
            pg.tables.run_table(SETTINGS, tmp_path, value, workers=1)


@pytest.mark.parametrize("number", [0, 10_001, 2**31])
def test_splits_are_not_so_many_that_their_list_does_not_fit(number):
    with pytest.raises(ValueError, match=f"^splits must be a whole number from 1 to 10000, not {number}$"):
        ProjectedSettings(splits=number)
    assert ProjectedSettings(splits=10_000).splits == 10_000
