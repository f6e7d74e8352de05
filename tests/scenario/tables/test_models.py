"""The three models on made data: PLS and SVGP have one posterior, and no model is far from what made the data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlegvi import datasets, metrics
from particlegvi.datasets import Dataset
from particlegvi.scenario.tables import ProjectedSettings, Task, measure, published, run_table
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions import protocols as problems

NOISE = 0.3
SETTINGS = ProjectedSettings(inducing_points=40, particles=400)


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


def test_the_names():
    assert models.names() == ["linear", "pls", "svgp"]
    with pytest.raises(ValueError, match='there is no model of the table "gp"'):
        models.get("gp")


def test_pls_and_svgp_predict_the_same_regression(problem):
    task = problem("yacht", "standardised", 0)
    particles, gaussian = (models.get(name)(task, SETTINGS) for name in ("pls", "svgp"))
    error = gaussian.sd / math.sqrt(SETTINGS.particles)  # more than the function's own, since sd has the noise as well
    assert (np.abs(particles.mean - gaussian.mean) < 4.5 * error).all()
    np.testing.assert_allclose(particles.sd, gaussian.sd, rtol=0.1)
    np.testing.assert_allclose(particles.validation_sd, gaussian.validation_sd, rtol=0.1)


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
    scores = {name: measure(Task("yacht", name, protocol, 0), SETTINGS, task) for name in models.names()}
    if protocol == "standardised":
        # 30 test rows: half a chi-square with 30 degrees of freedom has a standard error of sqrt(30 / 2) / 30
        assert abs(scores["pls"]["nll_untempered"] - truth) < 4.0 * math.sqrt(0.5 / 30.0)
        assert scores["linear"]["nll_untempered"] > truth + 0.3  # a line cannot bend
    else:
        assert scores["pls"]["nll_untempered"] < scores["linear"]["nll_untempered"] - 0.3
        assert np.isfinite([value for each in scores.values() for value in each.values()]).all()


def test_classification_under_the_thesis_protocol(problem):
    scores = {name: measure(Task("heart", name, "thesis", 0), SETTINGS) for name in models.names()}
    for each in scores.values():
        assert 0.0 <= each["accuracy"] <= 100.0 and 0.0 <= each["brier"] <= 1.0
    assert scores["linear"]["auc"] < 90.0


ROWS = {"yacht": "nll", "energy-heating": "nll", "ionosphere": "auc"}


@pytest.mark.slow
def test_three_rows_hold_up(tmp_path):
    try:
        for row in ROWS:
            datasets.load(row)
    except datasets.MissingData as missing:
        pytest.skip(str(missing))
    settings = {"rows": list(ROWS), "models": ["pls", "svgp", "linear"], "protocols": ["standardised"], "splits": 1}
    table = run_table(settings, tmp_path, workers=1)
    assert table.held() == dict.fromkeys(ROWS, True)
    for row, metric in ROWS.items():
        pls, svgp, line = (table.entry(row, model, "standardised", metric).mean for model in settings["models"])
        sd = published(row, metric, "pls")[1]
        assert abs(pls - svgp) < sd  # one posterior, seen through 100 particles
        assert (pls - line if metric == "auc" else line - pls) > sd
