"""Several classes of functions: probabilities, slopes, objective, distance, and what is learned."""

import numpy as np
import pytest

from particlegvi.functionspace import process_w2_squared
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.prediction.class_probabilities import class_probabilities
from particlegvi.functionspace.wasserstein.classes import ClassProcesses, largest

from ..differences import slopes
from ..refusals import refused
from .references import dense_kl

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
        return bound, process_w2_squared(K, r, X)

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
    c, maps = rng.normal(size=(5, 3)), np.eye(5) + 0.2 * rng.normal(size=(3, 5, 5))
    S = np.matmul(maps, np.transpose(maps, (0, 2, 1)))
    right = sum(dense_kl(law, (np.zeros(5), np.eye(5))) for law in zip(c.T, S, strict=True))
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
        (lambda y=y: ClassProcesses(K, 5).fit(PLACES, y), words)
        for y, words in (
            (LABELS + 0.5, "y must be labels 0, 1"),
            (np.zeros(len(LABELS)), "y must have each of the labels"),
            (2 * LABELS, "y must have each of the labels"),
        )
    ),
    (lambda: ClassProcesses(K, 5, iterations=1).fit(PLACES, LABELS, (PLACES, LABELS + 1)),
     "y must be labels 0, 1, ..., 2 of the fit"),
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
