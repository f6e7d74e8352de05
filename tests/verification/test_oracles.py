"""Bounds of claims against the laws that they come from, and their references against sums and closed forms."""

import numpy as np
import pytest
from scipy import integrate, stats

import particlegvi as pg
from particlegvi.diagnostics import wasserstein1
from particlegvi.engine.terms.evaluate import values
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.priors import embedding
from particlegvi.verification import chance, claims, problems
from particlegvi.verification.optimum import Leading, ProjectedOptimum, divergence, probabilities

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.8, variance=2.0)
X = np.linspace(-1.0, 1.0, 5)[:, None]
Y = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
LOGISTIC = likelihoods.Bernoulli()


def matrix(a, b):
    return 2.0 * np.exp(-0.5 * (a - b.T) ** 2 / 0.64)


def test_what_is_left_is_the_variance_of_the_process_given_its_coefficients():
    """Sigma of (6.23) from the eigenpairs of k(X, X), with r of (6.10) under the uniform law on X."""
    eigenvalues, vectors = np.linalg.eigh(matrix(X, X) / 5.0)
    problem = ProjectedOptimum(KERNEL, LOGISTIC, X, Y, 2)
    np.testing.assert_allclose(problem.eigenvalues, eigenvalues[::-1][:2], rtol=1e-12)
    sigma = 5.0 * (vectors[:, :3] * eigenvalues[:3] ** 2) @ vectors[:, :3].T
    np.testing.assert_allclose(problem.left, sigma.diagonal(), atol=1e-13)
    assert problem.bound() == pytest.approx(0.5 * 5.0 * np.trace(sigma), rel=1e-10)


def test_potentials():
    problem = ProjectedOptimum(KERNEL, LOGISTIC, X, Y, 2)
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


@pytest.mark.parametrize("looks", [1, 5])
def test_the_kolmogorov_smirnov_bound_is_exceeded_once_in_a_thousand(looks):
    """Massart's inequality is sharp for many draws: the true probability is at most the allowed one, and near it."""
    n = 10_000
    probability = looks * stats.kstwo.sf(chance.kolmogorov_smirnov(n, looks), n)
    assert 0.9e-3 < probability <= 1e-3


def test_students_bound():
    assert chance.student(24, looks=10) == pytest.approx(stats.t.ppf(1.0 - 0.5e-4, 23))
    assert chance.student(10_000) == chance.ERRORS  # never less than four


@pytest.mark.thorough
def test_the_w1_bound_lies_above_exact_draws_and_not_far():
    target = problems.target(problems.DLE)
    bound = chance.w1(target, 100)
    random = np.random.default_rng(1)
    distances = [wasserstein1(target.quantile(random.random(100)), target) for _ in range(100)]
    assert np.max(distances) < 1.2 * bound and np.median(distances) < 0.6 * bound
    assert np.max(distances) > 0.5 * bound


def test_the_largest_correlation_is_found_and_chance_stays_below_four_errors():
    draws = np.random.default_rng(2).normal(size=(2500, 5))
    assert chance.largest_correlation(draws) < chance.ERRORS
    draws[:, 3] = 0.2 * draws[:, 1] + np.sqrt(1.0 - 0.04) * draws[:, 3]
    assert chance.largest_correlation(draws) == pytest.approx(0.2 * 50.0, abs=4.0)


T = np.linspace(-4.0, 4.0, 41)


def test_loss_embedding_and_potential():
    np.testing.assert_allclose(problems.loss(T), problems.LOSS.value(T[:, None]), atol=1e-12)
    mean = values(embedding(problems.PRIOR, problems.KERNEL).term, T[:, None])
    np.testing.assert_allclose(problems.embedding(T), mean, atol=1e-15)
    method = problems.STRONG
    by_parts = problems.LOSS.value(T[:, None]) - 2.0 * 1.0 * mean - 0.5 * problems.PRIOR.log_density(T[:, None])
    gap = problems.potential(T, method) - by_parts
    np.testing.assert_allclose(gap, gap[0], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coefficient-law", "exact-process", "gaussian-projection"])
def test_false_alarms_are_rare(name):
    """At most 2 of 200 seeds, where a probability of 1e-3 gives more than that once in a thousand tests."""
    checks = (np.ravel(claims.registry[name](seed, False)) for seed in chance.seeds(5, 200))  # one, or several
    alarms = [not all(check.holds for check in each) for each in checks]
    assert sum(alarms) <= 2
