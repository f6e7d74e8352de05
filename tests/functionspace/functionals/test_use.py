"""Functionals as data and as features: conditioning of the joint Gaussian, least squares, sampling, the same bytes."""

import numpy as np
import pytest

from particlegvi.functionspace import (
    ExactGaussianProcess,
    NystroemRidge,
    ProjectedLangevinSampler,
    SparseGaussianProcess,
    covariances,
    likelihoods,
)
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.basis import Nystroem, Projection

K = covariances.Matern52(0.5, 1.4)
DATA = fl.Intervals([0.0, 0.25, 1.0], [0.25, 0.5, 1.6]) + fl.Points([[1.0], [0.1]]) + fl.Slopes([[0.7]])
Y = np.array([1.0, 1.3, 0.2, 0.5, 0.9, -1.0])
LOOK = fl.Points([[0.3], [2.0]]) + fl.Slopes([[0.4]]) + fl.Intervals(0.0, 1.0)


@pytest.mark.parametrize("mean", [None, lambda X: 2.0 - X[:, 0] ** 2])
def test_a_posterior_is_the_conditional_of_the_joint_distribution(mean):
    gp = ExactGaussianProcess(K, 0.05, mean).fit(DATA, Y)
    joint = (DATA + LOOK).gram(K)
    joint[:6, :6] += 0.05 * np.eye(6)
    precision = np.linalg.inv(joint)  # independent of the formulas: the block of what is looked at
    covariance = np.linalg.inv(precision[6:, 6:])
    of_mean = np.zeros(10) if mean is None else np.concatenate([DATA.apply(mean), LOOK.apply(mean)])
    expected = of_mean[6:] - covariance @ precision[6:, :6] @ (Y - of_mean[:6])
    found, sd = gp.predict(LOOK, return_std=True)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert np.allclose(sd**2, covariance.diagonal(), rtol=1e-8)
    assert np.allclose(gp.posterior_covariance(LOOK), covariance, atol=1e-10)
    residual = Y - of_mean[:6]
    evidence = -0.5 * residual @ np.linalg.solve(joint[:6, :6], residual) - 0.5 * np.linalg.slogdet(joint[:6, :6])[1]
    assert gp.log_marginal_likelihood() == pytest.approx(evidence - 3.0 * np.log(2.0 * np.pi), rel=1e-10)
    wrong = ExactGaussianProcess(K, 0.05, mean).fit([[0.125], [0.375], [1.3], [1.0], [0.1], [0.7]], Y)
    assert np.abs(wrong.predict([[2.0]]) - found[1]) > 0.01  # control: centres as points, a slope as a value


def test_points_are_what_arrays_are(rng):
    X, t, y = rng.uniform(0.0, 2.0, (12, 1)), rng.uniform(0.0, 2.0, (5, 1)), rng.standard_normal(12)
    plain, by_points = ExactGaussianProcess(K, 0.1).fit(X, y), ExactGaussianProcess(K, 0.1).fit(fl.Points(X), y)
    assert np.allclose(plain.predict(t, return_std=True), by_points.predict(t, return_std=True), rtol=1e-10)
    nystroem, projection = Nystroem(K, X), Projection(K, fl.Points(X))
    a, b = nystroem.features(t), projection.features(t)
    assert np.allclose(a @ a.T, b @ b.T, atol=1e-10)
    sparse = [SparseGaussianProcess(K, likelihoods.Gaussian(0.1), Z).fit(X, y) for Z in (X, fl.Points(X))]
    assert sparse[0].bound == pytest.approx(sparse[1].bound, rel=1e-9)


@pytest.mark.parametrize("of", [DATA, fl.Fourier(-0.5, 2.5, 6, ends=True), fl.Points([[0.1], [0.9]])])
def test_a_projection_is_restored_bit_for_bit(of):
    basis = Projection(K, of)
    again = Projection.restore(K, basis.state())
    x = np.linspace(-1.0, 3.0, 30)[:, None]
    assert np.array_equal(basis.features(x), again.features(x)) and again.facts() == basis.facts()
    left = K.diagonal(x) - np.sum(basis.features(x) ** 2, axis=1)
    assert left.min() > -1e-10 and basis.size <= len(basis.weights)
    with pytest.raises(ValueError, match='prior must be "gp"'):
        basis.prior_variances("rkhs")


def test_ridge_is_the_mean_of_the_sparse_process(rng):
    X, y = rng.uniform(0.0, 2.0, (40, 1)), rng.standard_normal(40)
    of = fl.Fourier(-0.5, 2.5, 5) + fl.Points([[0.2], [1.1]])
    look, penalty = np.linspace(0.0, 2.0, 9)[:, None], 0.02
    ridge = NystroemRidge(Projection(K, of), penalty).fit(X, y).predict(look)
    mean = SparseGaussianProcess(K, likelihoods.Gaussian(40 * penalty), of).fit(X, y).predict(look)
    assert np.allclose(ridge, mean, rtol=1e-8, atol=1e-9)
    wrong = SparseGaussianProcess(K, likelihoods.Gaussian(penalty), of).fit(X, y).predict(look)
    assert np.abs(ridge - wrong).max() > 0.05  # control: noise variance = penalty


def test_samples_of_functions_in_fourier_features(rng):
    X = np.linspace(0.0, 2.0, 60)[:, None]
    y = np.sin(3.0 * X[:, 0]) + 0.3 * rng.standard_normal(60)
    of = fl.Fourier(-0.5, 2.5, 8, ends=True)
    sampler = ProjectedLangevinSampler(
        kernel=K, likelihood=likelihoods.Gaussian(noise_variance=0.09), inducing_points=of, prior="gp", particles=2000,
        seed=1,
    ).fit(X, y)  # fmt: skip
    exact = SparseGaussianProcess(K, likelihoods.Gaussian(0.09), of).fit(X, y)
    look = np.linspace(0.0, 2.0, 5)[:, None]
    mean, sd = exact.predict(look, return_std=True)
    found, spread = sampler.predict(look, return_std=True, of="function")
    assert np.all(np.abs(found - mean) < 5.0 * sd / np.sqrt(2000)) and np.allclose(spread, sd, rtol=5.0 / np.sqrt(4000))
    with pytest.raises(ValueError, match='prior must be "gp"'):
        ProjectedLangevinSampler(
            kernel=K, likelihood=likelihoods.Gaussian(0.09), inducing_points=of, prior="rkhs", particles=5
        ).fit(X, y)
