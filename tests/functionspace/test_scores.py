"""The spectral Stein estimator: a printed loop, known scores, and what it does without truncation."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.functionspace import scores


def by_loops(samples, at, kept):
    """Shi, Sun and Zhu (2018) as printed, with loops in the place of products of matrices."""
    n, dim = samples.shape
    widths = np.array([np.median(np.abs(x[:, None] - x[None])) for x in samples.T]) * np.sqrt(dim)
    widths[widths == 0.0] = 1.0

    def k(x, z):
        return np.exp(-0.5 * np.sum(((x - z) / widths) ** 2))

    gram = np.array([[k(x, z) for z in samples] for x in samples])
    values, vectors = np.linalg.eigh(gram)
    values, vectors = values[::-1], vectors[:, ::-1]
    number = 1
    while values[: number + 1].sum() < kept * values.sum():
        number += 1
    found = np.zeros((len(at), dim))
    for j in range(number):
        psi = [np.sqrt(n) / values[j] * sum(vectors[m, j] * k(x, samples[m]) for m in range(n)) for x in at]
        slope = np.zeros(dim)
        for x in samples:
            for m in range(n):
                slope += np.sqrt(n) / values[j] * vectors[m, j] * k(x, samples[m]) * -(x - samples[m]) / widths**2
        found += np.outer(psi, -slope / n)
    return found, number


@pytest.mark.parametrize(("n", "dim"), [(11, 1), (12, 2)])
def test_it_is_the_printed_estimator(rng, n, dim):
    samples, at = rng.normal(size=(n, dim)) * [1.0, 3.0][:dim] + 2.0, rng.normal(size=(4, dim)) + 2.0
    right, number = by_loops(samples, at, 0.95)
    assert scores.Spectral(samples, 0.95).eigenfunctions == number
    np.testing.assert_allclose(scores.spectral(samples, at, 0.95), right, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(scores.spectral(samples, kept=0.95), by_loops(samples, samples, 0.95)[0], rtol=1e-7)
    assert np.abs(by_loops(samples, at, 0.7)[0] - right).max() > 1e-3  # with fewer functions it is another one


def test_the_reference():
    """R9: default_rng(0).normal(size=(50, 3))."""
    estimate = scores.Spectral(np.random.default_rng(0).normal(size=(50, 3)))
    found = estimate()
    assert estimate.eigenfunctions == estimate.facts["eigenfunctions"] == 16
    np.testing.assert_allclose(found[0], [-0.64396792, -0.22561133, -0.32043537], atol=1e-8)
    assert np.sum(found**2) == pytest.approx(252.9157978, rel=1e-9)


@pytest.mark.thorough
def test_it_finds_the_score_of_a_gaussian_better_with_more_samples(rng):
    sd, mean = np.array([0.5, 20.0]), np.array([1e3, -5.0])
    errors = []
    for n in (100, 1600):
        x = mean + sd * rng.normal(size=(n, 2))
        errors.append(np.sqrt(np.mean((sd * scores.spectral(x) + (x - mean) / sd) ** 2)))
    assert errors[1] < 0.8 * errors[0] < 0.8
    untruncated = np.sqrt(np.mean((sd * scores.spectral(x[:100], kept=1.0) + (x[:100] - mean) / sd) ** 2))
    assert untruncated > 10.0


def test_scores_move_and_stretch_with_the_samples(rng):
    x, scale = rng.normal(size=(40, 2)), np.array([1e-5, 1e4])
    np.testing.assert_allclose(scale * scores.spectral(7.0 + scale * x), scores.spectral(x), rtol=1e-5, atol=1e-8)


def test_samples_that_are_the_same_have_no_score():
    same = scores.Spectral(np.ones((5, 2)))
    assert np.array_equal(same(), np.zeros((5, 2))) and same.eigenfunctions == 1
    assert same.facts["constant"] == 2 and np.array_equal(same.widths, [1.0, 1.0])
    np.testing.assert_array_equal(same([[3.0, 4.0]]), [[0.0, 0.0]])
    mixed = scores.spectral(np.column_stack([np.arange(6.0), np.ones(6)]))
    assert np.all(np.isfinite(mixed)) and np.array_equal(mixed[:, 1], np.zeros(6)) and mixed[0, 0] > 0.0 > mixed[5, 0]


def test_too_few_samples_and_bad_shares_are_refused():
    with pytest.raises(ValueError, match="samples must be an array .n, dim. with at least 2 rows"):
        scores.spectral([[1.0, 2.0]])
    for kept in (0.0, 1.01, float("nan")):
        with pytest.raises(ValueError, match="^kept must be a"):
            scores.spectral([[1.0], [2.0]], kept=kept)
