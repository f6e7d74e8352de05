"""Sums over rows for Fourier features: equal to products of matrices, and hyperparameters of many rows from them."""

import numpy as np
import pytest

from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.moments import CHUNK, moments
from particlegvi.functionspace import SparseGaussianProcess, covariances, fit_hyperparameters, likelihoods
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.gp import sparse_gp
from particlegvi.functionspace.gp.fourier_evidence import FourierSums, evidence_bound

M12, M32, M52 = covariances.Matern12, covariances.Matern32, covariances.Matern52
NOISE = likelihoods.Gaussian(noise_variance=0.09)


@pytest.mark.parametrize(("number", "modes"), [(1, 0), (33, 3), (CHUNK + 5, 65), (3000, 300)])
def test_moments_are_sums_of_cosines_and_sines(number, modes, rng):
    t, weights = rng.uniform(-0.7, 3.0, number), rng.standard_normal(number)
    angle = 2.0 * np.pi * np.arange(modes + 1)[:, None] * t
    exact = np.array([np.cos(angle) @ weights, np.sin(angle) @ weights])
    assert np.abs(moments(t, weights, modes) - exact).max() < 1e-13 * np.abs(weights).sum()


def test_threads_change_no_bit(rng, monkeypatch):
    t = rng.uniform(0.0, 1.0, 3 * CHUNK + 7)
    both = [moments(t, np.ones(len(t)), 20)]
    monkeypatch.setattr(threads, "count", lambda: 1)
    assert np.array_equal(both[0], moments(t, np.ones(len(t)), 20))


@pytest.mark.parametrize("kind", [M12, M32, M52])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 2.0), (0.1, 0.9)])
@pytest.mark.parametrize("ends", [False, True])
def test_they_are_products_of_the_features(kind, low, high, ends, rng, monkeypatch):
    """With rows beyond both edges, one edge, and none."""
    k, some = kind(0.2, 1.3), fl.Fourier(low, high, 12, ends=ends)
    x = rng.uniform(-0.2, 1.2, (400, 1))
    y = np.sin(9.0 * x[:, 0]) + 0.3 * rng.standard_normal(400)
    found, features = FourierSums(some, x, y).products(k), some.cross(k, x)
    assert np.allclose(found.gram, features @ features.T, rtol=1e-11, atol=1e-11 * np.abs(found.gram).max())
    assert np.allclose(found.projected, features @ y, atol=1e-10)
    direct = SparseGaussianProcess(k, NOISE, some).fit(x, y)
    monkeypatch.setattr(sparse_gp, "MANY_ROWS", 300)
    summed = SparseGaussianProcess(k, NOISE, some).fit(x, y)
    look = np.linspace(-0.5, 1.5, 7)[:, None]
    assert summed.bound == pytest.approx(direct.bound, abs=1e-8)
    assert evidence_bound(FourierSums(some, x, y), k, 0.09) == pytest.approx(direct.bound, abs=1e-7)
    assert np.allclose(summed.predict(look, return_std=True), direct.predict(look, return_std=True), atol=1e-8)


def test_hyperparameters_of_many_rows(rng):
    """At the maximum the slopes vanish, by differences of the bound that products of features give."""
    x = rng.uniform(0.0, 1.0, (30_000, 1))
    y = np.sin(12.0 * x[:, 0]) + 0.3 * rng.standard_normal(len(x))
    some = fl.Fourier(-0.5, 1.5, 15)
    k, noise, facts = fit_hyperparameters(M32(0.5, 0.5), x, y, 0.3, functionals=some)
    assert noise == pytest.approx(0.09, rel=5.0 * np.sqrt(2.0 / len(x)))  # five standard errors of a variance
    fit = facts["fits"][0]
    assert fit["converged"] and not fit["at_bound"] and facts["rows"] == 30_000
    best = fit["evidence_bound"]["after"]
    for i in range(3):
        for sign in (-1.0, 1.0):
            logs = np.append(k.log_parameters(), np.log(noise))
            logs[i] += 0.02 * sign
            moved = SparseGaussianProcess(
                k.with_log_parameters(logs[:2]), likelihoods.Gaussian(noise_variance=float(np.exp(logs[2]))), some
            ).fit(x, y)
            assert moved.bound < best


def test_other_features_are_refused():
    x, y = np.linspace(0.0, 1.0, 9)[:, None], np.arange(9.0)
    with pytest.raises(ValueError, match=r"functionals must be a set of the kind functionals.Fourier"):
        fit_hyperparameters(M32(0.5), x, y, 0.1, functionals=fl.Points(x))
    with pytest.raises(ValueError, match="must be a Matern covariance"):
        fit_hyperparameters(covariances.SquaredExponential(0.5), x, y, 0.1, functionals=fl.Fourier(0.0, 1.0, 3))
    with pytest.raises(ValueError, match="y must vary"):
        fit_hyperparameters(M32(0.5), x, 0.0 * y, 0.1, functionals=fl.Fourier(0.0, 1.0, 3))
