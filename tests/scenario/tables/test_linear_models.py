"""Figures 2 to 4 of Burt et al. (2020) as a table: features, scores against dense formulas, and text, on made data."""

import numpy as np
import pytest
from scipy import stats

from particlegvi.scenario.tables import Task, measure
from particlegvi.scenario.tables import linear as models
from particlegvi.scenario.tables.running import scores_of

from ...data_sets import least_squares_rmse, settings_of

SMALL = settings_of("linear", rows=["boston"], splits=2, inducing_points=6, steps=20)


def test_features_are_those_of_regressors(made):
    task = models.problem("boston", "standard", 1)
    assert len(task.train.y) == 90 and task.train.X.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    found = models.features(task, 6)
    phi = found.features(task.train.X)
    k, Z = found.covariance, found.points
    np.testing.assert_allclose(phi @ phi.T, k(task.train.X, Z) @ np.linalg.solve(k(Z), k(Z, task.train.X)), atol=1e-5)
    assert models.features(task, 6) is found


@pytest.mark.thorough
def test_scores_are_those_of_dense_matrices(made):
    task = models.problem("boston", "standard", 0)
    found = {model: scores_of(Task("boston", model, "standard", 0), SMALL, task) for model in SMALL.models}
    basis = models.features(task, 6)
    F, T, noise = basis.features(task.train.X), basis.features(task.test.X), basis.noise_variance
    precision = np.eye(6) + F.T @ F / noise
    mean = np.linalg.solve(precision, F.T @ task.train.y / noise)
    sd = np.sqrt(np.sum((T @ np.linalg.inv(precision)) * T, axis=1) + noise)
    assert found["exact"]["nll"] == pytest.approx(-np.mean(stats.norm(T @ mean, sd).logpdf(task.test.y)), rel=1e-8)
    assert found["exact"]["kl"] < 1e-12
    variances = 1.0 / precision.diagonal()
    kl = 0.5 * (np.sum(precision.diagonal() * variances) - 6 - np.sum(np.log(variances)))
    kl -= 0.5 * np.linalg.slogdet(precision)[1]
    assert found["factorised"]["kl"] == pytest.approx(kl, rel=1e-8)
    assert found["random-80-factorised"]["kl"] == pytest.approx(kl, rel=1e-4)  # more inputs than features
    assert found["random-160"]["kl"] < 1e-8 and found["fixed-80"]["kl"] < 1e-8  # more inputs than features
    assert found["random-80-adam"]["kl"] > 1.0 and "kl_averaged" in found["spectral-80"]
    assert found["linear"]["rmse"] == pytest.approx(least_squares_rmse(task) / task.scale)
    assert "kl" not in found["linear"]
    assert measure(Task("boston", "random-80-adam", "standard", 0), SMALL) == found["random-80-adam"]
