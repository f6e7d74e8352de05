"""Several classes of functions: probabilities, slopes, objective, distance, what is learned and what is sampled."""

import numpy as np
import pytest
from scipy.special import softmax

from particlegvi.functionspace import ClassSampler, process_w2_squared
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.prediction.class_probabilities import class_probabilities
from particlegvi.functionspace.sampling.classes import SoftmaxCost
from particlegvi.functionspace.sampling.cost import Coordinates
from particlegvi.functionspace.wasserstein.classes import ClassProcesses, largest

from ..differences import slopes
from ..refusals import refused

K = SquaredExponential(1.0, 2.0)


def moments(rng, rows=7, classes=4):
    return rng.normal(size=(rows, classes)), rng.uniform(0.1, 2.0, (rows, classes)), rng.integers(0, classes, rows)


def test_the_probability_is_the_exact_one_and_slopes_are_differences(rng):
    m, r, y = moments(rng)
    S, in_m, in_r = largest(m, r, y)
    np.testing.assert_allclose(S, class_probabilities(m, r)[np.arange(7), y], atol=1e-4)
    assert np.any(np.abs(largest(m, 4.0 * r, y)[0] - S) > 0.05)
    np.testing.assert_allclose(in_m, slopes(lambda at: largest(at, r, y)[0], m), atol=1e-9)
    np.testing.assert_allclose(in_r, slopes(lambda at: largest(m, at, y)[0], r), atol=1e-9)


def blobs(rng, classes=3, rows=40):
    centres = 2.0 * np.array([[np.cos(a), np.sin(a)] for a in 2.0 * np.pi * np.arange(classes) / classes])
    X = np.concatenate([centre + 0.5 * rng.normal(size=(rows, 2)) for centre in centres])
    return X, np.repeat(np.arange(classes), rows)


def predicted(model, X, factors):
    m, r = model.marginals(X)
    return class_probabilities(m, r * factors, model.epsilon)


@pytest.mark.parametrize("divergence", ["w2", "kl"])
def test_blobs_are_learned_and_nothing_is_known_far_away(divergence, rng):
    (X, y), (X_new, y_new) = blobs(rng), blobs(rng)
    model = ClassProcesses(K, 15, divergence).fit(X, y, (X_new[::2], y_new[::2]))
    p = model.predict_proba(X_new[1::2])
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert np.mean(p.argmax(axis=1) == y_new[1::2]) > 0.95
    validated = lambda factors: -np.log(predicted(model, X_new[::2], factors)[np.arange(60), y_new[::2]]).sum()
    assert all(validated(model.factors_ * np.exp(move)) >= validated(model.factors_) for move in 0.1 * np.eye(3))
    assert validated(model.factors_) < validated(np.ones(3))
    far = model.predict_proba(np.array([[30.0, 30.0]]))[0]
    assert far.max() < 0.6 and p.max(axis=1).mean() > 0.9
    shuffled = ClassProcesses(K, 15, divergence, iterations=50).fit(X, rng.permutation(y))
    assert np.mean(shuffled.predict_proba(X_new).argmax(axis=1) == y_new) < 0.75


def test_the_distance_is_an_upper_bound_that_a_map_along_the_prior_reaches(rng):
    """Against `process_w2_squared`: equal for maps that are multiples of I, above it for others, 0 for the prior."""
    X = rng.normal(size=(60, 1))
    model = ClassProcesses(K, 60).fit(X, (X[:, 0] > 0.0).astype(int))
    e, size = model.basis.features(X), model.basis.size
    gram, zero = e.T @ e / len(X), np.zeros((size, 2))

    def pair(matrix):
        moved = lambda A: model.basis.features(A) @ matrix
        r = lambda A, B=None: moved(A) @ moved(A if B is None else B).T
        bound = model._divergence(zero, np.stack([matrix, np.eye(size)]), gram)[0]
        return bound, process_w2_squared(K, r, X, "exact").value

    assert model._divergence(zero, np.stack([np.eye(size)] * 2), gram)[0] == 0.0
    bound, exact = pair(0.4 * np.eye(size))
    assert bound == pytest.approx(exact, rel=1e-4)
    bound, exact = pair(0.4 * np.eye(size) + 0.1 * rng.normal(size=(size, size)) / np.sqrt(size))
    assert bound > exact + 1e-4


def test_kl_is_that_of_gaussians_and_means_depend_on_covariances(rng):
    X, y = blobs(rng)
    model = ClassProcesses(K, 5, "kl", iterations=2).fit(X, y)
    m, r = model.marginals(X)
    S = class_probabilities(m, r)[np.arange(len(y)), y]
    costs = -S * np.log1p(-model.epsilon) - (1.0 - S) * np.log(model.epsilon / 2.0)
    divergence = model._divergence(model.means_, model.maps_, np.eye(5))[0]
    assert model.objective_ == pytest.approx(costs.sum() + divergence, rel=1e-4)
    c, maps, size = rng.normal(size=(5, 3)), np.eye(5) + 0.2 * rng.normal(size=(3, 5, 5)), 5
    S = np.matmul(maps, np.transpose(maps, (0, 2, 1)))
    right = 0.5 * sum(np.trace(s) + c[:, j] @ c[:, j] - size - np.linalg.slogdet(s)[1] for j, s in enumerate(S))
    assert model._divergence(c, maps, np.eye(5))[0] == pytest.approx(right, rel=1e-12)
    light, heavy = (ClassProcesses(K, 15, "w2", weight).fit(X, y) for weight in (1.0, 300.0))
    assert np.abs(heavy.means_).max() < 0.9 * np.abs(light.means_).max()
    one = np.eye(heavy.basis.size)
    assert np.linalg.norm(heavy.maps_ - one) < np.linalg.norm(light.maps_ - one)


PLACES, LABELS = blobs(np.random.default_rng(0))
test_bad_input_is_refused = refused(
    (lambda: ClassProcesses(K, 5, "fisher"), "divergence"),
    (lambda: ClassProcesses(K, 5, epsilon=1.0), "epsilon must be"),
    *(
        (lambda model=model, y=y: model(K, 5).fit(PLACES, y), words)
        for model in (ClassProcesses, ClassSampler)
        for y, words in (
            (LABELS + 0.5, "y must be labels 0, 1"),
            (np.zeros(len(LABELS)), "y must have each of the labels"),
            (2 * LABELS, "y must have each of the labels"),
        )
    ),
    (lambda: ClassProcesses(K, 5, iterations=1).fit(PLACES, LABELS, (PLACES, LABELS + 1)),
     "y must be labels 0, 1, ..., 2 of the fit"),
    (lambda: ClassSampler(K, 3, 0).fit(PLACES, LABELS), "particles must be"),
    (lambda: ClassSampler(K, 3, steps=0).fit(PLACES, LABELS), "steps must be"),
    (lambda: ClassSampler(K, 3, prior="flat").fit(PLACES, LABELS), "prior of the coefficients"),
    (lambda: ClassSampler(K, 121).fit(PLACES, LABELS), "at most 120"),
)  # fmt: skip


def test_draws_have_the_moments_of_the_marginals(rng):
    X, y = blobs(rng)
    model = ClassProcesses(K, 8, iterations=30).fit(X, y)
    model.factors_ = np.array([0.5, 1.0, 2.0])
    (m, r), draws = model.marginals(X[::20]), model.sample(X[::20], 4000)
    sd = np.sqrt(r * model.factors_)
    assert draws.shape == (4000, 6, 3)
    assert np.all(np.abs(draws.mean(axis=0) - m) < 5.0 * sd / np.sqrt(4000))
    assert np.all(np.abs(draws.std(axis=0) / sd - 1.0) < 5.0 / np.sqrt(8000))


# Sampling by Langevin steps, against importance sampling from the prior


SHORT = SquaredExponential(0.8, 3.0)
X = np.array([[-1.5], [-1.0], [-0.2], [0.3], [1.0], [1.4]])
GIVEN = {2: np.array([0, 0, 1, 1, 0, 1]), 3: np.array([0, 0, 1, 1, 2, 0])}
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
    exact = ClassSampler(SHORT, X, particles=600).fit(X, GIVEN[classes])
    assert exact.info_["equilibrium"]["reached"] and exact.coefficients_.shape == (600, classes, 6)
    right, variance = from_the_prior(GIVEN[classes], classes, SHORT, rng)
    samples = softmax(exact.sample(NEW), axis=2)
    bound = 5.0 * np.sqrt(variance + samples.var(axis=0) / 600)
    assert np.all(np.abs(exact.predict_proba(NEW) - right) < bound)
    assert np.all(np.abs(samples.mean(axis=0) - right) < bound)
    np.testing.assert_allclose(exact.predict_proba(NEW).sum(axis=1), 1.0, atol=1e-12)
    wide, _ = from_the_prior(GIVEN[classes], classes, SquaredExponential(0.8, 12.0), rng)
    assert np.any(np.abs(exact.predict_proba(NEW) - wide) > bound)


@pytest.mark.thorough
@pytest.mark.parametrize("prior", ["gp", "rkhs"])
def test_coefficients_have_the_law_of_their_prior_and_the_labels(prior, rng):
    exact = ClassSampler(SHORT, X[::2], particles=600, prior=prior).fit(X, GIVEN[2])
    draws = rng.normal(size=(40_000, 2, 3)) * np.sqrt(exact.basis_.prior_variances(prior))
    functions = np.einsum("nm,djm->dnj", exact.basis_.features(X), draws)
    for power in (1, 2):
        right, variance = importance(GIVEN[2], functions, draws**power)
        found = exact.coefficients_**power
        assert np.all(np.abs(found.mean(axis=0) - right) < 5.0 * np.sqrt(variance + found.var(axis=0) / 600))


def test_slopes_and_curvatures_of_the_softmax_are_differences(rng):
    e, labels = rng.normal(size=(7, 3)), rng.integers(0, 4, 7)
    where = Coordinates(rng.uniform(0.5, 2.0, 12), np.linalg.qr(rng.normal(size=(12, 12)))[0])
    cost, z = SoftmaxCost(e, labels, where), rng.normal(size=12)
    f = e @ where.coefficients(z[None]).reshape(4, 3).T
    assert cost.costs(z[None])[0] == pytest.approx(-np.log(softmax(f, axis=1)[np.arange(7), labels]).sum())
    np.testing.assert_allclose(cost.forces(z[None])[0][0], slopes(lambda at: cost.costs(at[None])[0], z), atol=1e-8)
    turned = where.scales[:, None] * cost.curvature(z) * where.scales
    second = slopes(lambda at: cost.forces(at[None])[0][0], z)
    np.testing.assert_allclose(where.rotation.T @ turned @ where.rotation, second, atol=1e-7)
