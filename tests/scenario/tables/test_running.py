"""A table computes each cell once, goes on where it was, and refuses bad settings before anything is computed."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario.tables import TableSettings, Task, measure, run_table, running
from particlegvi.scenario.tables.functions.protocols import most_points

from ...bad_values import Calls, add, answered
from ...data_sets import needed, settings_of
from ...refusals import refuse

SMALL = {"rows": ["yacht", "heart"], "models": ["pls", "linear"], "protocols": ["standardised"], "splits": 2}


def test_every_cell_is_computed_and_kept(toy, tmp_path):
    seen = []
    table = run_table(SMALL, tmp_path / "new" / "table", progress=lambda *what: seen.append(what), workers=1)
    assert len(toy) == len(table.scores) == 2 * 2 * 2
    assert [count for _, count, _ in seen] == [0, 2, 4, 6, 8]
    assert {total for *_, total in seen} == {8}
    assert len(list((tmp_path / "new" / "table" / "cells").glob("*.json"))) == 8
    summary = json.loads((tmp_path / "new" / "table" / "table.json").read_text())
    assert summary["entries"]["yacht"]["nll"]["standardised"]["pls"]["splits"] == 2
    assert (tmp_path / "new" / "table" / "table.md").read_text() == table.markdown()


def test_more_splits_keep_the_cells_that_are_there(toy, tmp_path):
    first = run_table(SMALL, tmp_path, workers=1)
    toy.clear()
    assert run_table(SMALL, tmp_path, workers=1).markdown() == first.markdown() and not toy
    run_table({**SMALL, "splits": 3}, tmp_path, workers=1)
    assert len(toy) == 4


def test_cells_of_other_sources_are_measured_again_and_a_finished_table_is_read(toy, tmp_path, monkeypatch):
    straight = run_table(SMALL, tmp_path, workers=1)
    monkeypatch.setattr(running, "sources", lambda: "f" * 16)
    assert running.stored(TableSettings.of(SMALL), tmp_path).scores == straight.scores
    toy.clear()
    assert run_table(SMALL, tmp_path, workers=1).scores == straight.scores
    assert len(toy) == 8
    before = json.loads(next((tmp_path / "cells").glob("*.json")).read_text())
    assert before["sources"] == "f" * 16


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": []}, r"rows must be a list of at least one name, none twice, not \[\]"),
        ({"split": 1}, 'there is no parameter of the table functions "split"; did you mean "splits"'),
    ],
)
def test_bad_settings_are_refused_before_anything_is_written(change, words, toy, tmp_path):
    refuse(lambda: run_table({**SMALL, **change}, tmp_path / "table", workers=1), words)
    with pytest.raises(ValueError, match="workers must be a whole number of 1 or more, not 0"):
        run_table(SMALL, tmp_path / "table", workers=0)
    assert not (tmp_path / "table").exists()


def test_standardised_inputs_are_those_of_the_training_rows(toy):
    measure(Task("yacht", "pls", "standardised", 0), settings_of("functions"))
    measure(Task("yacht", "pls", "thesis", 0), settings_of("functions"))
    ours, theirs = toy
    np.testing.assert_allclose(ours.train.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(ours.train.X.std(axis=0), 1.0)
    assert abs(ours.test.X.mean()) > 1e-3
    assert theirs.train.X.mean() > 200.0
    np.testing.assert_array_equal(ours.test.y, theirs.test.y)
    assert ours.train.y.std(ddof=1) == pytest.approx(1.0)
    assert (most_points(ours, 50), most_points(theirs, 50)) == (50, 8)
    assert most_points(ours, 1000) == len(ours.train.y) == 64


def test_the_thesis_tempers_by_twice_the_best_factor(toy):
    ours = measure(Task("yacht", "pls", "standardised", 0), settings_of("functions", seed=3))
    problem = toy[0]
    best = np.mean((problem.validation.y - problem.validation.X[:, 0]) ** 2) / 0.25
    assert ours["variance_factor"] == pytest.approx(best, rel=1e-12)
    as_the_thesis = replace(problem, protocol="thesis")
    theirs = running.scores_of(Task("yacht", "pls", "thesis", 0), settings_of("functions", seed=3), as_the_thesis)
    assert theirs["variance_factor"] == pytest.approx(2.0 * best, rel=1e-12)


SETTINGS = settings_of("functions", rows=["boston"], models=["linear"], protocols=["standardised"], splits=1)


CALLS: Calls = {}
add(CALLS, "run_table", pg.tables.run_table, "settings workers folder", settings=SETTINGS, folder="table", workers=1)
for key in ("rows", "models", "splits", "seed"):
    CALLS[f"run_table settings.{key}"] = lambda value, key=key: pg.tables.run_table(
        {"rows": ["boston"], "models": ["linear"], "protocols": ["standardised"], "splits": 1, key: value},
        "table",
        workers=1,
    )
test_a_dozen_values_of_an_argument_are_answered, test_every_value_of_every_argument_is_answered = map(
    pytest.mark.usefixtures("toy", "elsewhere"), answered(CALLS)
)


@pytest.mark.slow
def test_two_processes_compute_what_one_does(tmp_path):
    settings = {"rows": ["yacht", "heart"], "models": ["linear"], "protocols": ["standardised"], "splits": 2}
    needed("yacht", "heart")
    alone = run_table(settings, tmp_path / "one", workers=1)
    beside = run_table(settings, tmp_path / "two", workers=2)
    assert len(alone.scores) == 4
    assert alone.scores == beside.scores


def test_a_damaged_cell_is_measured_again(toy, tmp_path):
    """Cut, or with one bit of a score changed: no score in the table is one that nobody measured."""
    straight = run_table(SMALL, tmp_path, workers=1)
    place = tmp_path / "cells" / "yacht.pls.standardised.0.json"
    whole = place.read_bytes()
    digit = whole.index(b".", whole.index(b'"nll": ')) + 1
    flipped = whole[:digit] + bytes([whole[digit] ^ 1]) + whole[digit + 1 :]
    for damaged in (b"", b"{", b"{}", b'{"sha256": null}', whole[:-20], flipped):
        place.write_bytes(damaged)
        toy.clear()
        assert run_table(SMALL, tmp_path, workers=1).scores == straight.scores
        assert len(toy) == 1
