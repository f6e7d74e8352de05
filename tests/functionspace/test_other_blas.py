"""Functions on other kernels of BLAS, emulated: eigenvectors of other signs, of a matrix with other rounding errors."""

import numpy as np
import pytest
from scipy import linalg

from particlegvi.functionspace import ProjectedLangevinSampler, functionals, likelihoods
from particlegvi.functionspace import linalg as own
from particlegvi.functionspace.covariances import Matern32, SquaredExponential
from particlegvi.functionspace.linalg import root, root_for_draws

X = np.linspace(-2.0, 2.0, 40)[:, None] ** 3 / 4.0  # every eigenvalue is simple
Y = np.sin(2.0 * X[:, 0])
SMOOTH, FOURIER = SquaredExponential(0.8), functionals.Fourier(-2.5, 2.5, 4)
CASES = {
    "quadratic": (SMOOTH, likelihoods.Gaussian(0.1), 9, Y, {"prior": "gp"}),
    "a given step size": (SMOOTH, likelihoods.Gaussian(0.1), 9, Y, {"step_size": 1e-3, "steps": 30}),
    "labels": (SMOOTH, likelihoods.Bernoulli(), 9, 1.0 * (Y > 0.0), {"prior": "gp", "steps": 30}),
    "accepted or refused": (SMOOTH, likelihoods.Poisson(), 6, np.round(4.0 * Y**2), {"steps": 24}),
    "a projection": (Matern32(0.8), likelihoods.Gaussian(0.1), FOURIER, Y, {"prior": "gp"}),
    "the thesis's residual": (SMOOTH, likelihoods.Gaussian(0.1), 9, Y, {"residual": "thesis"}),
}


def other_kernels(monkeypatch, rng):
    """Replace eigh and svd by functions that find other signs, and the vectors of a matrix that is off by rounding."""
    eigh, svd = linalg.eigh, linalg.svd

    def other_eigh(matrix):
        error = np.finfo(float).eps * np.abs(matrix).max() * rng.uniform(-1.0, 1.0, matrix.shape)
        values, vectors = eigh(matrix + error + error.T)
        return values, vectors * rng.choice([-1.0, 1.0], len(values))

    def other_svd(matrix, **options):
        left, sizes, right = svd(matrix, **options)
        signs = rng.choice([-1.0, 1.0], len(sizes))
        return left * signs, sizes, signs[:, None] * right

    monkeypatch.setattr(linalg, "eigh", other_eigh)
    monkeypatch.setattr(linalg, "svd", other_svd)


@pytest.mark.parametrize("case", CASES)
def test_the_sampled_functions_agree_to_rounding(case, monkeypatch, rng):
    """In standard deviations of the prior; control: without the rule of signs they are other draws."""
    covariance, likelihood, inducing_points, y, settings = CASES[case]

    def drawn():
        sampler = ProjectedLangevinSampler(covariance, likelihood, inducing_points, 20, seed=3, **settings).fit(X, y)
        return sampler.sample(np.linspace(-2.5, 2.5, 7)[:, None])

    plain = drawn()
    other_kernels(monkeypatch, rng)
    assert np.abs(drawn() - plain).max() < 1e-5
    monkeypatch.setattr(own, "fixed_signs", lambda vectors: vectors)
    monkeypatch.setattr("particlegvi.functionspace.residuals.fixed_signs", lambda vectors: vectors)
    assert np.abs(drawn() - plain).max() > 0.1


def test_draws_at_symmetric_inputs_agree_to_rounding(rng):
    """Pairs of inputs have equal variances but for rounding; control: pivots in the order of rounded variances."""
    x = np.linspace(-2.0, 2.0, 60)[:, None]
    k = SMOOTH(x) - SMOOTH(x, [[0.0]]) @ SMOOTH([[0.0]], x)
    error = np.finfo(float).eps * rng.uniform(-1.0, 1.0, k.shape)
    normals, other = rng.normal(size=(9, 60)), k + error + error.T
    assert np.abs(normals @ (root_for_draws(k, 1.0) - root_for_draws(other, 1.0)).T).max() < 1e-5
    assert np.abs(normals @ (root(k, 1.0) - root(other, 1.0)).T).max() > 0.1
    np.testing.assert_allclose(root_for_draws(k, 1.0) @ root_for_draws(k, 1.0).T, k, atol=1e-13)
