"""Covariances that nobody chose: found on some rows, the likelier of two, and the start where there is no signal."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import ExactGaussianProcess, fit_hyperparameters
from particlegvi.functionspace.covariances import Matern52, SquaredExponential
from particlegvi.functionspace.gp import hyperparameters
from particlegvi.functionspace.gp.laplace import laplace_evidence


@pytest.fixture
def wave():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    f = np.sin(3.0 * X[:, 0])
    return X, f, f + 0.05 * rng.normal(size=90)


def test_no_start_beats_what_was_found_for_a_regression(wave):
    X, _, y = wave
    k, noise = hyperparameters.regression_covariance(X, y)
    found = ExactGaussianProcess(k, noise).fit(X, y).log_marginal_likelihood()
    rng = np.random.default_rng(1)
    for _ in range(100):
        other = SquaredExponential(np.exp(rng.normal(size=2)) * k.lengthscale, np.exp(rng.normal()) * k.variance)
        gp = ExactGaussianProcess(other, np.exp(rng.normal()) * noise).fit(X, y)
        assert gp.log_marginal_likelihood() <= found + 1e-3
    assert noise == pytest.approx(0.0025, rel=0.7)


def test_much_noise_at_the_start_does_not_hide_the_signal():
    """From the default kernel itself the search ends with all of this wave explained as noise."""
    X = np.linspace(-2.0, 2.0, 60)[:, None]
    y = np.sin(12.0 * X[:, 0])
    y = (y - y.mean()) / y.std()
    with one_blas_thread():
        assert fit_hyperparameters(hyperparameters.default_kernel(1), X, y, 0.1)[1] > 0.9
    k, noise = hyperparameters.regression_covariance(X, y)
    assert noise < 0.05
    assert k.lengthscale[0] < 0.5


def test_rows_that_come_twice_do_not_hide_the_noise():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    y = (y - y.mean()) / y.std()
    again = rng.integers(80, size=40)
    twice = np.vstack([X, X[again]]), np.append(y, y[again])
    once = hyperparameters.regression_covariance(X, y)[1]
    assert 0.2 < once < 0.9
    assert hyperparameters.regression_covariance(*twice)[1] == pytest.approx(once, rel=1e-3)
    start = hyperparameters._shorter(hyperparameters.default_kernel(3))
    assert fit_hyperparameters(start, *twice, 0.01)[1] < 0.01


def test_one_lengthscale_for_labels_and_one_for_each_input_of_a_regression(wave):
    X, f, y = wave
    labels = (f > 0.0).astype(float)
    k = hyperparameters.classification_covariance(X, labels)
    assert k.lengthscale.ndim == 0
    assert hyperparameters.regression_covariance(X, y)[0].lengthscale.shape == (2,)
    start = laplace_evidence(hyperparameters.default_kernel(2, shared=True), X, labels).value
    assert laplace_evidence(k, X, labels).value > start + 1.0


def test_a_kernel_of_ones_own_is_where_the_search_begins(wave):
    X, f, y = wave
    assert isinstance(hyperparameters.regression_covariance(X, y, Matern52(1.0))[0], Matern52)
    assert isinstance(hyperparameters.classification_covariance(X, (f > 0.0) * 1.0, Matern52(1.0)), Matern52)


def test_where_there_is_no_signal_the_start_is_kept(monkeypatch):
    X = np.arange(6.0)[:, None]
    k, noise = hyperparameters.regression_covariance(X, np.zeros(6), noise_variance=0.3)
    assert noise == 0.3 and k.log_parameters().tolist() == hyperparameters.default_kernel(1).log_parameters().tolist()
    monkeypatch.setattr(hyperparameters, "CLASSIFICATION_ROWS", 1)
    k = hyperparameters.classification_covariance(X, [0, 0, 0, 0, 0, 1])
    assert k.log_parameters().tolist() == hyperparameters.default_kernel(1, shared=True).log_parameters().tolist()
