"""Approximations by number of inducing points: the data of Huggins et al. (2019), scores by dense formulas, text."""

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import plotting
from particlegvi.functionspace import ExactGaussianProcess, divergences
from particlegvi.scenario.tables import Table, Task, measure
from particlegvi.scenario.tables.approximation import exact as problems
from particlegvi.scenario.tables.approximation.models import fitted, start
from particlegvi.scenario.tables.running import scores_of

from ...data_sets import needed, settings_of

SMALL = settings_of("approximation", sizes=[4, 7], trials=2)


def test_the_data_are_those_of_the_authors_program():
    """Its stream and its scaling, written out; and the evidence of the notes at the hyperparameters found."""
    r = np.random.RandomState(1)
    X = r.rand(2000, 1)
    y = (np.sin(12.0 * X) + 0.66 * np.cos(25.0 * X) + r.randn(2000, 1) * 0.1 + 3.0)[:, 0]
    task = problems.problem("synthetic", "21", 3)
    np.testing.assert_allclose(task.train.X[:, 0], (X[:1000, 0] - X[:1000].mean()) / X[:1000].std(ddof=1), atol=1e-12)
    np.testing.assert_allclose(task.test.y, (y[1000:] - y[:1000].mean()) / y[:1000].std(ddof=1), atol=1e-12)
    assert (task.protocol, task.split) == ("21", 3)


def test_inputs_are_rotated_to_the_covariance_one():
    needed("airfoil")
    task = problems.problem("airfoil", "10", 0)
    assert task.train.X.shape == (1103, 5) and task.test.X.shape == (400, 5)
    np.testing.assert_allclose(np.cov(task.train.X, rowvar=False), np.eye(5), atol=1e-10)


@pytest.mark.thorough
def test_scores_are_those_of_dense_matrices(few):
    exact = problems.exact_process("synthetic")
    task = problems.problem("synthetic", "7", 1)
    k, noise = exact.covariance, exact.noise_variance
    K = k(task.train.X) + noise * np.eye(60)
    right = k(task.test.X, task.train.X) @ np.linalg.solve(K, task.train.y)
    np.testing.assert_allclose(exact.mean, right, atol=1e-8)
    found = {model: scores_of(Task("synthetic", model, "7", 1), SMALL, task) for model in SMALL.models}
    rows = start(task, 0).rows
    Z = task.train.X[rows]
    cross = k(Z, task.train.X)
    inside = np.linalg.solve(k(Z) + cross @ cross.T / noise, cross @ task.train.y / noise)
    error = k(task.test.X, Z) @ inside - right
    for model in ("random", "sor"):
        assert found[model]["mean_error"] == pytest.approx(math.sqrt(np.mean(error**2)), rel=1e-4)
        assert found[model]["worst"] == pytest.approx(np.max(np.abs(error) / exact.sd), rel=1e-4)
    assert found["sor"]["sd_error"] != found["random"]["sd_error"] and "kl" not in found["sor"]
    subset = fitted("subset", task, exact, 0, 10).process
    process = ExactGaussianProcess(k, noise).fit(*task.train)
    assert found["subset"]["kl"] == pytest.approx(divergences.kl(subset, process), rel=1e-6)
    for model in ("random", "greedy", "elbo", "fisher"):
        q = fitted(model, task, exact, 0, SMALL.iterations).process
        assert found[model]["kl"] == pytest.approx(divergences.kl(q, process), rel=1e-4, abs=1e-6)
        assert found[model]["kl_reversed"] == pytest.approx(divergences.kl(process, q), rel=1e-6)
        assert found[model]["pf"] == pytest.approx(divergences.preconditioned_fisher(q, process), rel=1e-6)
    assert found["sor-elbo"]["mean_error"] == pytest.approx(found["elbo"]["mean_error"], rel=1e-6)
    assert max(found["elbo"]["kl"], found["elbo-greedy"]["kl"]) <= found["random"]["kl"]
    assert found["elbo"]["iterations"] > 0.0 == found["greedy"]["iterations"]
    again = measure(Task("synthetic", "elbo", "7", 1), SMALL)
    assert again == found["elbo"] != measure(Task("synthetic", "elbo", "7", 0), SMALL)


def test_text_and_curves_say_what_the_cells_hold():
    cells = {}
    for trial, error in enumerate((0.1, 0.3, 0.2)):
        for size in (4, 20):
            cells[Task("synthetic", "elbo", str(size), trial)] = {"mean_error": error / size, "kl": 5.0, "rmse": 0.2}
            cells[Task("synthetic", "sor", str(size), trial)] = {"mean_error": error, "rmse": 0.3, "infinite": 1.0}
    settings = settings_of("approximation", models=["elbo", "sor", "greedy"], sizes=[4, 20], trials=3)
    table = Table(settings, cells)
    assert table.entry("synthetic", "elbo", "4", "mean_error")[4:] == pytest.approx((0.05, 0.025, 0.075))
    assert table.entry("synthetic", "greedy", "4", "kl") is None
    text = table.markdown()
    assert "| 20 | 0.01 (0.005 to 0.015) | 0.2 (0.1 to 0.3) | - |" in text
    assert "| 4 | 5 | infinite | - |" in text and "Preconditioned Fisher" not in text
    entry = table.summary()["entries"]["synthetic"]["kl"]["20"]
    assert entry == {"elbo": {"splits": 3, "mean": 5.0, "sd": 0.0, "median": 5.0, "low": 5.0, "high": 5.0}}
    [panel] = table.curves(["kl"])
    assert list(panel.series) == ["SVGP elbo"] and panel.sizes.tolist() == [4, 20]
    with pytest.raises(ValueError, match='no score of the table "lk"; did you mean "kl"'):
        table.curves(["lk"])


@pytest.mark.thorough
def test_the_scenario_runs_is_loaded_and_drawn(few, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    settings = {"models": ["random", "elbo", "sor"], "sizes": [3, 6], "trials": 2}
    results = pg.run("sparse-approximation", out=tmp_path / "run", **settings)
    again = pg.load(tmp_path / "run")
    assert again["table"].scores == results["table"].scores and again.summary == pg.load(tmp_path / "run").summary
    figure = plotting.figure(results, "curves", methods=["SVGP elbo"])
    assert len(figure.axes) == 3 and figure.axes[2].get_title() == "KL to the exact law (nats)"
    with pytest.raises(ValueError, match='no approximation "SVGP elb"; did you mean "SVGP elbo"'):
        plotting.figure(results, "curves", methods=["SVGP elb"])
