"""The table of ensembles: its protocols, its scores, and its text, on data that are made."""

import numpy as np
import pytest

from particlegvi import datasets
from particlegvi.scenario.tables import Table, Task, measure
from particlegvi.scenario.tables.ensembles import models
from particlegvi.scenario.tables.ensembles import protocols as problems
from particlegvi.tools.errors import Diverged

from ...data_sets import least_squares_rmse, wave
from .test_every_table import TABLES

SMALL = TABLES["ensembles"][0]


def test_the_standard_protocol_scales_on_the_rows_that_train(made):
    task = problems.problem("yacht", "standard", 1)
    assert [len(part.y) for part in (task.train, task.validation, task.test)] == [81, 9, 10]
    assert task.train.X.mean(axis=0) == pytest.approx(0.0, abs=1e-12) and task.train.y.std() == pytest.approx(1.0)
    assert abs(task.test.y.mean()) > 1e-6 and task.leaked == 0.0
    train, test = list(datasets.standard_splits(100, 2))[1]
    y = wave("yacht").y
    assert task.test.y * task.scale == pytest.approx(y[test] - y[train[:-9]].mean())
    assert not np.allclose(task.test.y, problems.problem("yacht", "standard", 0).test.y)


def test_the_leak_is_the_one_of_two_orders(made):
    """Rows by number are kept apart; with the program's two permutations nine in ten test rows were trained on."""
    clean, leaky = (problems.problem("yacht", name, 3) for name in ("thesis", "thesis-leak"))
    assert clean.leaked == 0.0 and len(clean.test.y) == len(leaky.test.y) == 10
    shares = [problems.problem("yacht", "thesis-leak", split).leaked for split in range(60)]
    assert abs(np.mean(shares) - 0.9) < 4.0 * np.sqrt(0.09 / (60 * 10))
    assert np.array_equal(clean.train.y, leaky.train.y)


def test_the_thesis_takes_the_other_target_for_an_input(made):
    assert problems.problem("energy", "thesis", 0).train.X.shape[1] == 4
    assert problems.problem("energy", "standard", 0).train.X.shape[1] == 3


@pytest.mark.slow
def test_a_cell_has_its_scores(made):
    found = measure(Task("yacht", "de", "standard", 0), SMALL)
    assert set(found) == {"rmse", "nll", "coverage_90", "leaked", "nll_spread", "spread"}
    assert found == measure(Task("yacht", "de", "standard", 0), SMALL)
    assert set(measure(Task("yacht", "drle", "standard", 0), SMALL)) == set(found)
    line = measure(Task("yacht", "linear", "standard", 0), SMALL)
    assert line["rmse"] == pytest.approx(least_squares_rmse(problems.problem("yacht", "standard", 0)))
    assert "nll_spread" not in line


def test_networks_that_run_away_are_counted_and_not_averaged(made, monkeypatch):
    def away(*given):
        raise Diverged("away", 1, 0)

    monkeypatch.setattr(models, "predicted", away)
    assert measure(Task("yacht", "de", "thesis", 0), SMALL) == {"diverged": 1.0}
    cells = {Task("yacht", "de", "thesis", split): {"rmse": 1.0} for split in range(2)}
    cells[Task("yacht", "de", "thesis", 1)] = {"diverged": 1.0}
    text = Table(SMALL, cells).markdown()
    assert "1 of 2 diverged" in text
