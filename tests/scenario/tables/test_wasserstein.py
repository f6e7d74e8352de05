"""Table 4.1: its protocols, its models, the selection by the test score, and its text, on data that are made."""

import math

import numpy as np
import pytest

from particlegvi.scenario.tables import Table, Task, measure
from particlegvi.scenario.tables.wasserstein import models
from particlegvi.scenario.tables.wasserstein import protocols as problems

from ...data_sets import least_squares_rmse
from .test_every_table import TABLES

SMALL = TABLES["wasserstein"][0]


def test_protocols_scale_what_they_say(made):
    honest, thesis = (problems.problem("yacht", name, 1) for name in ("standardised", "thesis"))
    assert [len(part.y) for part in (honest.train, honest.validation, honest.test)] == [80, 10, 10]
    assert honest.train.X.mean(axis=0) == pytest.approx(0.0, abs=1e-12) and thesis.train.X.mean() > 45.0
    for task in (honest, thesis):
        assert task.train.y.mean() == pytest.approx(0.0, abs=1e-12) and task.train.y.std() == pytest.approx(1.0)
    concrete = [problems.problem("concrete", name, 0) for name in ("standardised", "thesis")]
    assert [problems.batch_size(task) for task in concrete] == [100, 1000]


def test_trials_are_fresh_permutations(made):
    fold = problems.problem("yacht", "best-of-30", 1)
    first, again, other = fold.problem(0), fold.problem(0), fold.problem(1)
    assert [len(part.y) for part in (first.train, first.validation, first.test)] == [81, 9, 10]
    assert np.array_equal(first.test.X, again.test.X) and not np.allclose(first.test.X, other.test.X)


@pytest.mark.parametrize("protocol", ["standardised", "thesis"])
def test_a_cell_has_its_scores(made, protocol):
    found = {model: measure(Task("yacht", model, protocol, 0), SMALL) for model in SMALL.models}
    assert found["linear"]["rmse"] == pytest.approx(least_squares_rmse(problems.problem("yacht", protocol, 0)))
    assert found["gwi-net"]["rmse"] == found["net-constant"]["rmse"]  # one network
    constant = found["net-constant"]
    assert constant["variance_factor"] == pytest.approx(1.0) and constant["nll"] == constant["nll_untempered"]
    for each in found.values():
        allowed = each["nll_untempered"] if protocol == "thesis" and each["variance_factor"] > 1.0 else each["nll_free"]
        assert each["nll"] == allowed
    assert measure(Task("yacht", "gwi-net", protocol, 0), SMALL) == found["gwi-net"]


def test_selection_takes_the_lowest_test_score_of_the_trials(made, monkeypatch):
    monkeypatch.setattr(models, "TRIALS", 5)
    found = measure(Task("yacht", "gwi-net", "best-of-30", 0), SMALL)
    fold = problems.problem("yacht", "best-of-30", 0)
    single = []
    for number in range(5):
        task = fold.problem(number)
        single.append(models._scored(task, models.predicted("gwi-net", task, SMALL))["nll"])
    assert found["nll"] == min(single) and found["nll_median"] == pytest.approx(np.median(single))
    assert found["nll_validation"] in single


def test_an_exact_process_of_many_rows_has_no_scores(made, monkeypatch):
    monkeypatch.setattr(models, "EXACT", 50)
    assert measure(Task("yacht", "gp", "standardised", 0), SMALL) == {}


def test_differences_are_paired_with_both_controls_and_rows_are_judged():
    nll = {"gwi-net": [1.0, 5.0], "net-constant": [1.1, 5.3], "svgp": [0.5, 4.6]}
    cells = {Task("yacht", m, "standardised", s): {"nll": x} for m in nll for s, x in enumerate(nll[m])}
    table = Table(SMALL, cells)
    mean, error = table.paired("yacht", "gwi-net", "standardised", "nll", "net-constant")
    assert mean == pytest.approx(-0.2) and error == pytest.approx(np.std([0.1, 0.3], ddof=1) / math.sqrt(2))
    assert table.summary()["entries"]["yacht"]["nll"]["standardised"]["gwi-net"]["paired"][0] == pytest.approx(0.45)
    assert table.held("gwi-net", "standardised") == {"yacht": False}
    better = Table(SMALL, {Task("yacht", "gwi-net", "thesis", 0): {"nll": 0.38}})
    assert better.held("gwi-net", "thesis") == {"yacht": True}
    text = table.markdown()
    assert "-0.200 +- 0.100" in text and "0.290 (0.100)" in text and "on 0 of 1 rows; not on: Yacht" in text
