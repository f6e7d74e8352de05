"""The three models on made data: PLS and SVGP have one posterior, and no model is far from what made the data."""

import math

import numpy as np
import pytest

from particlegvi import metrics
from particlegvi.datasets import Dataset
from particlegvi.scenario.tables import Table, Task, run_table
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions import protocols as problems
from particlegvi.scenario.tables.running import scores_of
from particlegvi.scenario.tables.settings import declaration

from ...data_sets import needed, settings_of

NOISE = 0.3
PRINTED = declaration("functions")
SETTINGS = settings_of("functions", inducing_points=40, particles=400)


def made(name: str) -> Dataset:
    """A bend with noise, or labels drawn with its logistic probability; the second input says nothing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 2)) * [1.0, 50.0]
    f = np.sin(2.0 * X[:, 0])
    if name.startswith("heart"):
        y = (rng.random(300) < 1.0 / (1.0 + np.exp(-5.0 * f))).astype(float)
        return Dataset(name, "classification", X, y, ("a", "b"), "y", "", "here", "none")
    return Dataset(name, "regression", X, f + NOISE * rng.normal(size=300), ("a", "b"), "y", "", "here", "none")


@pytest.fixture
def problem(monkeypatch):
    monkeypatch.setattr(problems, "load", made)
    return problems.problem


def test_pls_and_svgp_predict_the_same_regression(problem):
    task = problem("yacht", "standardised", 0)
    particles, gaussian = (models.get(name)(task, SETTINGS) for name in ("pls", "svgp"))
    error = gaussian.sd / math.sqrt(SETTINGS.particles)  # more than the function's own, since sd has the noise as well
    assert (np.abs(particles.mean - gaussian.mean) < 4.5 * error).all()
    np.testing.assert_allclose(particles.sd, gaussian.sd, rtol=0.1)
    np.testing.assert_allclose(particles.validation_sd, gaussian.validation_sd, rtol=0.1)


@pytest.mark.thorough
def test_pls_with_the_prior_of_the_thesis_has_the_mean_of_svgp_with_r(problem):
    task = problem("yacht", "thesis", 0)
    particles, with_r, with_k = (models.get(name)(task, SETTINGS) for name in ("pls", "svgp-r", "svgp"))
    error = with_k.sd / math.sqrt(SETTINGS.particles)
    assert (np.abs(particles.mean - with_r.mean) < 4.5 * error).all()
    assert not np.allclose(with_r.mean, with_k.mean, rtol=1e-3) and (with_r.sd < with_k.sd + 1e-9).all()
    assert models.get("svgp-r")(problem("heart", "thesis", 0), SETTINGS).probability.shape == (75,)


@pytest.mark.slow
def test_pls_and_svgp_predict_nearly_the_same_classes(problem):
    task = problem("heart", "standardised", 0)
    particles, gaussian = (models.get(name)(task, SETTINGS).probability for name in ("pls", "svgp"))
    assert np.abs(particles - gaussian).max() < 0.1
    assert metrics.area_under_curve(task.test.y, particles) > 0.9


@pytest.mark.parametrize("protocol", ["standardised", "thesis"])
def test_scores_are_near_to_what_the_truth_would_score(problem, protocol):
    task = problem("yacht", protocol, 0)
    scale = np.std(made("yacht").y[problems.thesis_split(300, 0, "regression").train], ddof=1)
    truth = 0.5 * math.log(2.0 * math.pi * math.e * (NOISE / scale) ** 2)
    scores = {name: scores_of(Task("yacht", name, protocol, 0), SETTINGS, task) for name in models.names()}
    if protocol == "standardised":
        # 30 test rows: half a chi-square with 30 degrees of freedom has a standard error of sqrt(30 / 2) / 30
        assert abs(scores["pls"]["nll_untempered"] - truth) < 4.0 * math.sqrt(0.5 / 30.0)
        assert scores["linear"]["nll_untempered"] > truth + 0.3  # a line cannot bend
    else:
        assert scores["pls"]["nll_untempered"] < scores["linear"]["nll_untempered"] - 0.3
        assert np.isfinite([value for each in scores.values() for value in each.values()]).all()


ROWS = {"yacht": "nll", "energy-heating": "nll", "ionosphere": "auc"}


@pytest.mark.slow
def test_three_rows_hold_up(tmp_path):
    needed(*ROWS)
    settings = {"rows": list(ROWS), "models": ["pls", "svgp", "linear"], "protocols": ["standardised"], "splits": 1}
    table = run_table(settings, tmp_path, workers=1)
    assert table.held("pls", "standardised") == dict.fromkeys(ROWS, True)
    for row, metric in ROWS.items():
        pls, svgp, line = (table.entry(row, model, "standardised", metric).mean for model in settings["models"])
        sd = PRINTED.published(row, "pls", metric)[1]
        assert abs(pls - svgp) < sd  # one posterior, seen through 100 particles
        assert (pls - line if metric == "auc" else line - pls) > sd


def table(scores: dict[int, float], row: str = "boston", metric: str = "nll", **settings) -> Table:
    chosen = settings_of("functions", rows=[row], models=["pls"], protocols=["standardised"], **settings)
    return Table(chosen, {Task(row, "pls", "standardised", split): {metric: x} for split, x in scores.items()})


def test_means_and_standard_deviations_are_over_the_finished_splits():
    entry = table({0: 1.0, 1: 2.0, 4: 6.0}).entry("boston", "pls", "standardised", "nll")
    assert entry == (3.0, pytest.approx(np.sqrt(7.0)), 3, 0, 2.0, 1.0, 6.0)
    assert table({0: 1.0}).entry("boston", "pls", "standardised", "nll")[:4] == (1.0, 0.0, 1, 0)
    assert table({}).entry("boston", "pls", "standardised", "nll") is None
    assert table({0: 1.0}).entry("boston", "pls", "standardised", "mae") is None
    assert table({0: 1.0, 7: 5.0}, first_split=5).entry("boston", "pls", "standardised", "nll").mean == 5.0


@pytest.mark.parametrize(
    ("row", "metric", "just", "over"), [("boston", "nll", 1.159, 1.161), ("breast", "auc", 97.48, 97.46)]
)
def test_a_row_holds_up_to_one_printed_standard_deviation(row, metric, just, over):
    assert table({0: just}, row, metric).held("pls", "standardised") == {row: True}
    assert table({0: over}, row, metric).held("pls", "standardised") == {row: False}
    assert table({}, row, metric).held("pls", "standardised") == {}
