"""Bayesian linear regression with KL between function values, and the spectral Stein estimator."""

import math

import numpy as np
import pytest
from scipy import linalg, stats

from particlegvi import schedules
from particlegvi.functionspace import BayesianLinearRegression, measurement, scores
from particlegvi.functionspace.linear.problem import LinearProblem

from .references import dense_kl

CENTRES = np.linspace(-2.0, 2.0, 20)


def features(X):
    return np.exp(-0.5 * ((X - CENTRES) / 0.2) ** 2)


def toy(seed):
    """The data of R6 to R8 (Burt et al., 2020, F.1)."""
    r = np.random.default_rng(seed)
    x = np.r_[r.normal(-1.2, 0.3, 20), r.normal(1.2, 0.3, 20)][:, None]
    w = r.normal(size=20)
    return x, features(x) @ w + 0.1 * r.normal(size=40)


def fitted(data=0, **settings):
    return BayesianLinearRegression(features, **settings).fit(*toy(data))


# The exact ones -------------------------------------------------------------------------------------------------------


def test_the_exact_family_is_the_posterior(rng):
    """Against the joint Gaussian of weights and targets, by conditioning."""
    X, F = rng.normal(size=(7, 2)), rng.normal(size=(7, 12))
    y = rng.normal(size=7)
    model = BayesianLinearRegression(lambda x: x @ M, 0.3, kl="exact")
    M = rng.normal(size=(2, 12))
    F = X @ M
    model.fit(X, y)
    inverse = np.linalg.inv(F @ F.T + 0.3 * np.eye(7))
    np.testing.assert_allclose(model.mean, F.T @ inverse @ y, atol=1e-10)
    np.testing.assert_allclose(model.covariance, np.eye(12) - F.T @ inverse @ F, atol=1e-10)
    evidence = stats.multivariate_normal(np.zeros(7), F @ F.T + 0.3 * np.eye(7)).logpdf(y)
    assert model.log_marginal_likelihood() == pytest.approx(evidence, rel=1e-10)
    assert -model.objective == pytest.approx(evidence, rel=1e-10)
    assert model.kl_to_posterior() == pytest.approx(0.0, abs=1e-12)
    T = rng.normal(size=(5, 2))
    mean, sd = model.predict(T, return_std=True)
    np.testing.assert_allclose(mean, T @ M @ model.mean, atol=1e-12)
    np.testing.assert_allclose(sd**2, np.diag(T @ M @ model.covariance @ M.T @ T.T), atol=1e-12)
    root = model.sample(T, np.eye(12)) - mean  # a draw is a linear map of its normals
    np.testing.assert_allclose(root.T @ root, T @ M @ model.covariance @ M.T @ T.T, atol=1e-10)


def test_kl_to_the_posterior_of_variances_below_each_others_rounding(rng):
    """Independent weights, and a posterior of precision I + v v^T: its determinant is 1 + |v|^2."""
    v, variances = rng.normal(size=8), np.logspace(-22.0, 0.0, 8)
    problem = LinearProblem(v[None], np.zeros(1), 1.0)
    logs = np.sum(np.log(variances)) + np.log1p(v @ v)
    right = 0.5 * (np.sum(variances * (1.0 + v * v)) - 8.0 - logs)
    assert problem.divergence(np.zeros(8), np.diag(variances)) == pytest.approx(right, rel=1e-8)
    half = linalg.cholesky(problem.precision, lower=True)
    product = linalg.eigvalsh(half.T @ np.diag(variances) @ half)  # rounding of the largest replaces the smallest ones
    assert abs(np.sum(np.log(np.abs(product))) - logs) > 0.1


# KL at sets of inputs -------------------------------------------------------------------------------------------------


def test_kl_at_a_set_is_that_of_the_values_there(rng):
    model = fitted(kl="exact")
    assert model.kl_to_prior(CENTRES) == pytest.approx(model.kl_to_prior(), rel=1e-10)  # as many as there are features
    for points in (1, 4, 9):
        T = rng.uniform(-1.8, 1.8, (points, 1))
        F = features(T)
        dense = dense_kl((F @ model.mean, F @ model.covariance @ F.T), (np.zeros(points), F @ F.T))
        assert model.kl_to_prior(T) == pytest.approx(dense, rel=1e-5)
        assert model.kl_to_prior(np.vstack([T, T])) == pytest.approx(model.kl_to_prior(T), rel=1e-6)


def test_half_of_a_set_is_from_the_data(rng):
    X = rng.normal(size=(9, 2))
    for points in (1, 6, 7, 30):
        drawn = measurement.data_and_box(rng, X, points)
        own = min(points // 2, 9)
        assert drawn.shape == (points, 2) and len(np.unique(drawn[:own], axis=0)) == own
        assert all(row in X for row in drawn[:own])
        assert np.all(drawn >= X.min(axis=0)) and np.all(drawn <= X.max(axis=0))


# Fixed points ---------------------------------------------------------------------------------------------------------


def objective(model, mean, covariance, bases):
    """Mean KL(Q_A, P_A) - E log p(y), by determinants."""
    X, y = toy(0)
    F, s2 = features(X), model.noise_variance
    left = y - F @ mean
    likelihood = -0.5 * (left @ left + np.sum((F @ covariance) * F)) / s2 - 0.5 * len(y) * math.log(2.0 * math.pi * s2)
    inside = [U @ covariance @ U.T for U in bases]
    kl = [0.5 * (np.trace(Q) + np.sum((U @ mean) ** 2) - len(U) - np.linalg.slogdet(Q)[1])
          for U, Q in zip(bases, inside, strict=True)]  # fmt: skip
    return float(np.mean(kl)) - likelihood


def sets_of(seed, points, number):
    """Random sets of points (number, points, 1)."""
    r = np.random.default_rng(seed)
    return np.array([measurement.data_and_box(r, toy(0)[0], points) for _ in range(number)])


def bases_of(seed, points, number):
    """Orthonormal bases of the rows of features at these sets."""
    return [linalg.orth(features(each).T, 1e-10).T for each in sets_of(seed, points, number)]


def test_the_solution_at_fixed_points_cannot_be_improved(rng):
    """The problem is convex: no direction from the solution to another regular Gaussian goes down."""
    A = rng.uniform(-1.8, 1.8, (8, 1))
    model = fitted(kl="fixed-points", points=A)
    U = linalg.orth(features(A).T).T
    best = objective(model, model.mean, model.covariance, [U])
    assert model.objective == pytest.approx(best, rel=1e-6)
    for size in (1e-2, 1e-4):
        for _ in range(20):
            half = rng.normal(size=(20, 20)) * 0.1
            mean = model.mean + size * rng.normal(size=20)
            there = objective(model, mean, (1.0 - size) * model.covariance + size * half @ half.T, [U])
            assert there > best - 1e-9
    with_variance = model.covariance + 1e-3 * (np.eye(20) - U.T @ U)  # what jitter would add costs likelihood only
    assert objective(model, model.mean, with_variance, [U]) > best + 1e-3
    printed = np.linalg.pinv(features(toy(0)[0]).T @ features(toy(0)[0]) + 0.01 * U.T @ U) @ features(toy(0)[0]).T
    np.testing.assert_allclose(model.mean, printed @ toy(0)[1], rtol=1e-6, atol=1e-8)  # appendix E, the row space


def test_fewer_points_than_features_are_infinitely_far_from_the_posterior():
    few, enough = fitted(kl="fixed-points", points=10), fitted(kl="fixed-points", points=CENTRES[:, None])
    assert few.facts["rank"] == 10 and np.linalg.matrix_rank(few.covariance, tol=1e-10) == 10
    assert few.kl_to_posterior() == few.kl_to_prior() == math.inf
    assert enough.facts["rank"] == 20
    np.testing.assert_allclose(enough.covariance, fitted(kl="exact").covariance, atol=1e-9)
    np.testing.assert_allclose(enough.mean, fitted(kl="exact").mean, atol=1e-9)
    assert enough.kl_to_posterior() < 1e-12


# Random points --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [7, 12])
def test_the_optimum_of_random_points_is_stationary(points):
    """H = mean of U^T (U S U^T)^-1 U at the optimum, and not near it."""
    model = fitted(points=points, sets=60, seed=3)
    X, bases = toy(0)[0], bases_of(3, points, 60)
    gram = features(X).T @ features(X) / 0.01
    H = gram + np.mean([U.T @ U for U in bases], axis=0)

    def gap(S):
        variances, directions = np.linalg.eigh(S)  # some directions have no variance at the optimum, but for rounding
        root = directions * np.sqrt(np.maximum(variances, 0.0))
        there = np.mean([U.T @ np.linalg.solve(U @ S @ U.T, U) for U in bases], axis=0)
        return np.abs(root.T @ (H - there) @ root).max()

    assert gap(model.covariance) < 1e-5 < 0.01 < gap(1.05 * model.covariance)
    np.testing.assert_allclose(H @ model.mean, features(X).T @ toy(0)[1] / 0.01, rtol=1e-6, atol=1e-6)
    assert model.objective == pytest.approx(objective(model, model.mean, model.covariance, bases), rel=1e-9)


def test_the_factorised_optimum_is_the_best_diagonal(rng):
    model = fitted(points=10, family="factorised", sets=40)
    bases = bases_of(0, 10, 40)
    variances = model.covariance.diagonal()
    assert np.array_equal(model.covariance, np.diag(variances)) and np.all(variances > 0.0)
    best = objective(model, model.mean, model.covariance, bases)
    for size in (0.1, 1e-3):
        other = variances * np.exp(size * rng.normal(size=(10, 20)))
        assert min(objective(model, model.mean, np.diag(each), bases) for each in other) > best - 1e-9


# Adam, and the spectral estimator -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_adam_comes_near_the_optimum():
    falling = schedules.Linear(initial=0.02, final=1e-5, over=6000)
    at_centres = {"kl": "fixed-points", "points": CENTRES[:, None]}
    optimum = fitted(**at_centres)
    model = fitted(**at_centres, optimiser="adam", steps=6000, step_size=falling)
    assert -1e-9 < model.objective - optimum.objective < 0.5
    assert model.facts["kl_to_posterior_averaged"] == pytest.approx(model.kl_to_posterior(), rel=0.5)
    assert np.array_equal(fitted(optimiser="adam", steps=50).mean, fitted(optimiser="adam", steps=50).mean)


@pytest.mark.thorough
def test_batches_estimate_the_sums_over_all_rows():
    problem = fitted(kl="exact")._problem
    batch = problem.batches(8, seed=0)
    drawn = [batch() for _ in range(2000)]
    for each, right in zip(zip(*drawn, strict=True), (problem.gram, problem.shift), strict=True):
        error = np.std(each, axis=0) / math.sqrt(2000)
        assert np.all(np.abs(np.mean(each, axis=0) - right) < 4.5 * error + 1e-9)
    for kl in ("random-points", "spectral"):
        whole, enough, few = (fitted(kl=kl, optimiser="adam", steps=30, batch_size=size) for size in (None, 40, 8))
        assert np.array_equal(enough.mean, whole.mean) and not np.array_equal(few.mean, whole.mean)


@pytest.mark.thorough
def test_the_spectral_gradient_is_near_the_exact_one_with_few_points():
    """With 1 point the estimator is right to some per cent, so that its end is near that of exact entropies."""
    near = fitted(kl="spectral", points=1, steps=300, step_size=0.04, draws=100, noise_variance=1.0)
    right = fitted(points=1, optimiser="adam", steps=300, step_size=0.04, noise_variance=1.0)
    np.testing.assert_allclose(near.mean, right.mean, atol=0.25)
    assert near.facts["kl"] == "spectral" and near.facts["method"] == "Adam" and near.optimiser == "adam"


# What is refused ------------------------------------------------------------------------------------------------------


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
    return found


@pytest.mark.parametrize(("n", "dim"), [(11, 1), (12, 2)])
def test_it_is_the_printed_estimator(rng, n, dim):
    samples = rng.normal(size=(n, dim)) * [1.0, 3.0][:dim] + 2.0
    right = by_loops(samples, samples, scores.KEPT)
    np.testing.assert_allclose(scores.spectral(samples), right, rtol=1e-7, atol=1e-9)
    assert np.abs(by_loops(samples, samples, 0.7) - right).max() > 1e-3  # with fewer functions it is another one


def test_samples_that_are_the_same_have_no_score():
    assert np.array_equal(scores.spectral(np.ones((5, 2))), np.zeros((5, 2)))
    mixed = scores.spectral(np.column_stack([np.arange(6.0), np.ones(6)]))
    assert np.all(np.isfinite(mixed)) and np.array_equal(mixed[:, 1], np.zeros(6)) and mixed[0, 0] > 0.0 > mixed[5, 0]
