"""References for claims: laws of section 6.6 by sums and closed forms."""

import numpy as np
import pytest
from scipy import integrate, stats

import particlegvi as pg
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification.optimum import Leading, Projection, divergence, probabilities

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.8, variance=2.0)
X = np.linspace(-1.0, 1.0, 5)[:, None]
Y = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
LOGISTIC = likelihoods.Bernoulli()


def matrix(a, b):
    return 2.0 * np.exp(-0.5 * (a - b.T) ** 2 / 0.64)


def test_what_is_left_is_the_variance_of_the_process_given_its_coefficients():
    """Sigma of (6.23) from the eigenpairs of k(X, X), with r of (6.10) under the uniform law on X."""
    values, vectors = np.linalg.eigh(matrix(X, X) / 5.0)
    problem = Projection(KERNEL, LOGISTIC, X, Y, 2)
    np.testing.assert_allclose(problem.eigenvalues, values[::-1][:2], rtol=1e-12)
    sigma = 5.0 * (vectors[:, :3] * values[:3] ** 2) @ vectors[:, :3].T
    np.testing.assert_allclose(problem.left, sigma.diagonal(), atol=1e-13)
    assert problem.bound() == pytest.approx(0.5 * 5.0 * np.trace(sigma), rel=1e-10)


def test_potentials():
    problem = Projection(KERNEL, LOGISTIC, X, Y, 2)
    u = np.array([[0.4, -0.3], [1.0, 2.0]])
    prior = 0.5 * np.sum(u**2 / problem.eigenvalues, axis=1)
    for row, expected in zip(u, problem.potential(u, 40) - prior, strict=True):
        cost = sum(
            integrate.quad(lambda f, m=m, s=s, y=y: stats.norm.pdf(f, m, s) * (np.log1p(np.exp(f)) - y * f),
                           m - 9 * s, m + 9 * s)[0]
            for m, s, y in zip(problem.features @ row, np.sqrt(problem.left), Y, strict=True)
        )  # fmt: skip
        assert expected == pytest.approx(cost, abs=1e-7)
    f = u @ problem.features.T
    np.testing.assert_allclose(problem.potential(u), prior + np.sum(np.log1p(np.exp(f)) - Y * f, axis=1), rtol=1e-12)


def test_the_leading_part_has_the_leading_pairs_and_no_other():
    whole = Nystroem(KERNEL, X)
    some = Nystroem(Leading(whole, 2), X)
    assert some.size == 2
    np.testing.assert_allclose(some.eigenvalues, whole.eigenvalues[:2], rtol=1e-12)
    other = np.array([[-1.7], [0.3]])
    np.testing.assert_allclose(some.features(other), whole.features(other)[:, :2], atol=1e-10)
    np.testing.assert_allclose(Leading(whole, 2)(other).diagonal(), Leading(whole, 2).diagonal(other), rtol=1e-12)


def test_divergence_is_that_of_normals():
    u = np.linspace(-20.0, 20.0, 8001)
    p, q = probabilities(0.5 * (u - 1.0) ** 2), probabilities(0.5 * u**2 / 4.0)
    assert divergence(p, q) == pytest.approx(0.5 * (0.25 + 0.25 - 1.0 + np.log(4.0)), abs=1e-9)
    assert divergence(np.array([0.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(np.log(2.0))
