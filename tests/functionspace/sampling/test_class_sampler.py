"""One function for each class: slopes, the posterior against importance sampling from the prior."""

import numpy as np
import pytest
from scipy.special import softmax

from particlegvi.functionspace import ClassSampler
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.sampling.classes import SoftmaxCost
from particlegvi.functionspace.sampling.cost import Coordinates

from ...differences import slopes

K = SquaredExponential(0.8, 3.0)
X = np.array([[-1.5], [-1.0], [-0.2], [0.3], [1.0], [1.4]])
LABELS = {2: np.array([0, 0, 1, 1, 0, 1]), 3: np.array([0, 0, 1, 1, 2, 0])}
NEW = np.linspace(-2.0, 2.5, 6)[:, None]


def importance(labels, functions, values):
    """Means of values (draws, ...) under the labels, and their variances, from draws (draws, rows, classes) of f(X)."""
    weight = np.prod(softmax(functions, axis=2)[:, np.arange(6), labels], axis=1)
    weight /= weight.sum()
    mean = np.einsum("d,d...->...", weight, values)
    return mean, np.einsum("d,d...->...", weight**2, (values - mean) ** 2)


def from_the_prior(labels, classes, kernel, rng, draws=40_000):
    """P(class) at the new inputs, and its variances."""
    root = np.linalg.cholesky(kernel(np.concatenate([X, NEW])) + 1e-10 * np.eye(12))
    f = np.einsum("ab,dbj->daj", root, rng.normal(size=(draws, 12, classes)))
    return importance(labels, f[:, :6], softmax(f[:, 6:], axis=2))


@pytest.mark.thorough
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_importance_sampling(classes, rng):
    exact = ClassSampler(K, X, particles=600).fit(X, LABELS[classes])
    assert exact.info_["equilibrium"]["reached"] and exact.coefficients_.shape == (600, classes, 6)
    right, variance = from_the_prior(LABELS[classes], classes, K, rng)
    samples = softmax(exact.sample(NEW), axis=2)
    bound = 5.0 * np.sqrt(variance + samples.var(axis=0) / 600)
    assert np.all(np.abs(exact.predict_proba(NEW) - right) < bound)
    assert np.all(np.abs(samples.mean(axis=0) - right) < bound)
    np.testing.assert_allclose(exact.predict_proba(NEW).sum(axis=1), 1.0, atol=1e-12)
    wide, _ = from_the_prior(LABELS[classes], classes, SquaredExponential(0.8, 12.0), rng)
    assert np.any(np.abs(exact.predict_proba(NEW) - wide) > bound)


@pytest.mark.thorough
@pytest.mark.parametrize("prior", ["gp", "rkhs"])
def test_coefficients_have_the_law_of_their_prior_and_the_labels(prior, rng):
    exact = ClassSampler(K, X[::2], particles=600, prior=prior).fit(X, LABELS[2])
    draws = rng.normal(size=(40_000, 2, 3)) * np.sqrt(exact.basis_.prior_variances(prior))
    functions = np.einsum("nm,djm->dnj", exact.basis_.features(X), draws)
    for power in (1, 2):
        right, variance = importance(LABELS[2], functions, draws**power)
        found = exact.coefficients_**power
        assert np.all(np.abs(found.mean(axis=0) - right) < 5.0 * np.sqrt(variance + found.var(axis=0) / 600))


def test_slopes_and_curvatures_are_differences(rng):
    e, labels = rng.normal(size=(7, 3)), rng.integers(0, 4, 7)
    where = Coordinates(rng.uniform(0.5, 2.0, 12), np.linalg.qr(rng.normal(size=(12, 12)))[0])
    cost, z = SoftmaxCost(e, labels, where), rng.normal(size=12)
    f = e @ where.coefficients(z[None]).reshape(4, 3).T
    assert cost.costs(z[None])[0] == pytest.approx(-np.log(softmax(f, axis=1)[np.arange(7), labels]).sum())
    np.testing.assert_allclose(cost.forces(z[None])[0][0], slopes(lambda at: cost.costs(at[None])[0], z), atol=1e-8)
    turned = where.scales[:, None] * cost.curvature(z) * where.scales
    second = slopes(lambda at: cost.forces(at[None])[0][0], z)
    np.testing.assert_allclose(where.rotation.T @ turned @ where.rotation, second, atol=1e-7)
