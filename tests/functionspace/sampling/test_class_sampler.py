"""One function for each class: slopes, the posterior against importance sampling from the prior, and bad input."""

import numpy as np
import pytest
from scipy.special import softmax

from particlegvi.functionspace import ClassSampler
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.sampling.classes import SoftmaxCost
from particlegvi.functionspace.sampling.cost import Coordinates

from ...refusals import refuse

K = SquaredExponential(0.8, 3.0)
X = np.array([[-1.5], [-1.0], [-0.2], [0.3], [1.0], [1.4]])
LABELS = {2: np.array([0, 0, 1, 1, 0, 1]), 3: np.array([0, 0, 1, 1, 2, 0])}
NEW = np.linspace(-2.0, 2.5, 6)[:, None]


def importance(labels, classes, kernel, rng, draws=40_000):
    """P(class) at the new inputs and its standard errors, from draws of the prior with the likelihood as weight."""
    root = np.linalg.cholesky(kernel(np.concatenate([X, NEW])) + 1e-10 * np.eye(12))
    p = softmax(np.einsum("ab,dbj->daj", root, rng.normal(size=(draws, 12, classes))), axis=2)
    weight = np.prod(p[:, np.arange(6), labels], axis=1)
    weight /= weight.sum()
    mean = np.einsum("d,daj->aj", weight, p[:, 6:])
    return mean, np.sqrt(np.einsum("d,daj->aj", weight**2, (p[:, 6:] - mean) ** 2))


@pytest.mark.thorough
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_importance_sampling(classes, rng):
    exact = ClassSampler(K, X, particles=600).fit(X, LABELS[classes])
    assert exact.info_["equilibrium"]["reached"] and exact.coefficients_.shape == (600, classes, 6)
    right, error = importance(LABELS[classes], classes, K, rng)
    samples = softmax(exact.sample(NEW), axis=2)
    bound = 5.0 * np.sqrt(error**2 + samples.var(axis=0) / 600)
    assert np.all(np.abs(exact.predict_proba(NEW) - right) < bound)
    assert np.all(np.abs(samples.mean(axis=0) - right) < bound)
    np.testing.assert_allclose(exact.predict_proba(NEW).sum(axis=1), 1.0, atol=1e-12)
    wide, _ = importance(LABELS[classes], classes, SquaredExponential(0.8, 12.0), rng)
    assert np.any(np.abs(exact.predict_proba(NEW) - wide) > bound)


@pytest.mark.thorough
@pytest.mark.parametrize("prior", ["gp", "rkhs"])
def test_coefficients_have_the_law_of_their_prior_and_the_labels(prior, rng):
    exact = ClassSampler(K, X[::2], particles=600, prior=prior).fit(X, LABELS[2])
    e = exact.basis_.features(X)
    draws = rng.normal(size=(40_000, 2, 3)) * np.sqrt(exact.basis_.prior_variances(prior))
    p = softmax(np.einsum("nm,djm->dnj", e, draws), axis=2)
    weight = np.prod(p[:, np.arange(6), LABELS[2]], axis=1)
    weight /= weight.sum()
    for power in (1, 2):
        right, found = np.einsum("d,djm->jm", weight, draws**power), exact.coefficients_**power
        variance = np.einsum("d,djm->jm", weight**2, (draws**power - right) ** 2) + found.var(axis=0) / 600
        assert np.all(np.abs(found.mean(axis=0) - right) < 5.0 * np.sqrt(variance))


def test_slopes_and_curvatures_are_differences(rng):
    e, labels = rng.normal(size=(7, 3)), rng.integers(0, 4, 7)
    where = Coordinates(rng.uniform(0.5, 2.0, 12), np.linalg.qr(rng.normal(size=(12, 12)))[0])
    cost, z, steps = SoftmaxCost(e, labels, where), rng.normal(size=12), 1e-5 * np.eye(12)
    f = e @ where.coefficients(z[None]).reshape(4, 3).T
    assert cost.costs(z[None])[0] == pytest.approx(-np.log(softmax(f, axis=1)[np.arange(7), labels]).sum())
    difference = (cost.costs(z + steps) - cost.costs(z - steps)) / 2e-5
    np.testing.assert_allclose(cost.forces(z[None])[0][0], difference, atol=1e-8)
    second = (cost.forces(z + steps)[0] - cost.forces(z - steps)[0]) / 2e-5
    turned = where.scales[:, None] * cost.curvature(z) * where.scales
    np.testing.assert_allclose(where.rotation.T @ turned @ where.rotation, second, atol=1e-7)


def test_bad_input_is_refused():
    y = LABELS[3]
    refuse(lambda: ClassSampler(K, 3, 0).fit(X, y), "particles must be")
    refuse(lambda: ClassSampler(K, 3, steps=0).fit(X, y), "steps must be")
    refuse(lambda: ClassSampler(K, 3, prior="flat").fit(X, y), "prior of the coefficients")
    refuse(lambda: ClassSampler(K, 7).fit(X, y), "at most 6")
    refuse(lambda: ClassSampler(K, 3).fit(X, y + 0.5), "y must be labels 0, 1")
    refuse(lambda: ClassSampler(K, 3).fit(X, np.zeros(6)), "y must have each of the labels")
    refuse(lambda: ClassSampler(K, 3).fit(X, 2 * y), "y must have each of the labels")
