"""Divergences of processes against dense matrices, the evidence bound, Monte Carlo, and printed numbers."""

import math

import numpy as np
import pytest
from scipy import linalg

from particlegvi import functionspace as fs
from particlegvi.functionspace import divergences, likelihoods
from particlegvi.functionspace.covariances import Matern12, Matern32, Matern52

from ..refusals import refuse, refused
from .references import dense_kl, regression


class Problem:
    """A regression, and its processes."""

    def __init__(self, k, X, y, Z, noise, rows=(0,)):
        self.k, self.X, self.y, self.Z, self.noise = k, X, y, Z, noise
        self.exact = fs.ExactGaussianProcess(k, noise).fit(X, y)
        self.sparse = fs.SparseGaussianProcess(k, likelihoods.Gaussian(noise), Z).fit(X, y)
        self.subset = fs.ExactGaussianProcess(k, noise).fit(X[list(rows)], y[list(rows)])
        self.regressors = fs.SubsetOfRegressors(k, noise, X[list(rows)]).fit(X, y)

    def dense(self):
        """Means and covariances of f(X), f(Z) of the exact, the sparse and the subset process, with w = L^-1 f.

        Written out with inverses; L L^T = k(S, S) for S the rows of X and Z, which are distinct.
        """
        S, n = np.vstack([self.X, self.Z]), len(self.X)
        L = np.linalg.cholesky(self.k(S) + 1e-13 * np.eye(len(S)) * self.k.variance)
        weights = np.linalg.solve(self.k(self.Z), self.k(self.Z, self.X)).T
        seen = [i for i, x in enumerate(self.X) if any(np.array_equal(x, row) for row in self.subset.X)]
        found = []
        for H, y in ((L[:n], self.y), (weights @ L[n:], self.y), (L[seen], self.y[seen])):
            C = np.linalg.inv(np.eye(len(S)) + H.T @ H / self.noise)
            found.append((C @ H.T @ y / self.noise, C))
        return found


PROBLEMS = (
    Problem(*regression(0, 20, 5, 1, 0.04), 0.04, range(6)), Problem(*regression(1, 30, 8, 2, 0.1), 0.1, range(10)),
)  # fmt: skip


def random(seed):
    r = np.random.default_rng([3, seed])
    n, M, dim = int(r.integers(4, 15)), int(r.integers(1, 7)), int(r.integers(1, 4))
    k = (Matern12, Matern32, Matern52)[seed % 3](r.uniform(0.5, 2.0, dim), float(r.uniform(0.5, 2.0)))
    X, Z = r.uniform(-2.0, 2.0, (n, dim)), r.uniform(-2.0, 2.0, (M, dim))
    noise = float(10.0 ** r.uniform(-2.0, 0.0))
    y = np.sin(2.0 * X[:, 0]) + math.sqrt(noise) * r.normal(size=n)
    return Problem(k, X, y, Z, noise, rows=range(n // 2))


def dense_wasserstein(one, two):
    (m, C), (mean, covariance) = one, two
    half = linalg.sqrtm(C)
    square = np.trace(C + covariance - 2.0 * linalg.sqrtm(half @ covariance @ half).real)
    return math.sqrt(np.sum((m - mean) ** 2) + square)


def dense_fisher(one, two, nu, preconditioned):
    (m, C), (mean, covariance), (centre, spread) = one, two, nu
    first, second = np.linalg.inv(C), np.linalg.inv(covariance)
    B = C if preconditioned else np.eye(len(m))
    A = B @ (second - first)
    at = A @ centre - B @ (second @ mean - first @ m)
    return math.sqrt(np.trace(A @ spread @ A.T) + at @ at)


@pytest.mark.parametrize("seed", range(30))
def test_dense_matrices_agree(seed):
    problem = random(seed)
    p, q, s = problem.dense()
    exact, sparse, subset = problem.exact, problem.sparse, problem.subset
    for one, two, first, second in ((q, p, sparse, exact), (p, q, exact, sparse), (s, q, subset, sparse)):
        assert divergences.kl(first, second) == pytest.approx(dense_kl(one, two), rel=1e-7, abs=1e-8)
        assert divergences.wasserstein(first, second) == pytest.approx(dense_wasserstein(one, two), rel=1e-5, abs=1e-6)
        for nu, third in ((p, exact), (s, subset), ((np.zeros(len(p[0])), np.eye(len(p[0]))), "prior")):
            found = divergences.fisher(first, second, third), divergences.preconditioned_fisher(first, second, third)
            right = dense_fisher(one, two, nu, False), dense_fisher(one, two, nu, True)
            assert found == pytest.approx(right, rel=1e-6, abs=1e-8)
    # the missing evidence, and the values at other inputs, which lose information
    gap = exact.log_marginal_likelihood() - sparse.bound
    assert divergences.kl(sparse, exact) == pytest.approx(gap, rel=1e-7, abs=1e-8)


def test_degenerate_processes_are_infinitely_far():
    problem = PROBLEMS[0]
    degenerate, exact = problem.regressors, problem.exact
    for first, second in ((degenerate, exact), (exact, degenerate)):
        assert divergences.kl(first, second) == divergences.wasserstein(first, second) == math.inf
        assert divergences.fisher(first, second) == divergences.preconditioned_fisher(first, second) == math.inf
    # two of them lie in finitely many dimensions together
    other = fs.SubsetOfRegressors(problem.k, problem.noise, problem.X[:6] + 0.1).fit(problem.X, problem.y)
    assert 0.0 < divergences.wasserstein(degenerate, other) < math.inf
    assert divergences.wasserstein(degenerate, degenerate) < 1e-6


def test_a_process_is_at_no_distance_from_itself():
    problem = PROBLEMS[1]
    assert divergences.kl("prior", problem.exact) > 1.0
    for process in (problem.exact, problem.sparse, problem.subset):
        assert 0.0 <= divergences.kl(process, process) < 1e-12
        assert divergences.wasserstein(process, process) < 1e-6
        assert divergences.preconditioned_fisher(process, process) < 1e-9


def test_a_likelihood_of_labels_has_divergences_too():
    """Of two approximations of a classification the one with more points is nearer to a third with all of them."""
    problem = PROBLEMS[1]
    labels = (problem.y > 0.0).astype(float)

    def fit(Z):
        return fs.SparseGaussianProcess(problem.k, likelihoods.get("bernoulli-logistic"), Z).fit(problem.X, labels)

    reference = fit(problem.X)
    assert 0.0 < divergences.kl(fit(problem.X[:20]), reference) < divergences.kl(fit(problem.X[:4]), reference)


def test_regressors_have_the_mean_and_not_the_variance():
    k, X, y, Z = PROBLEMS[1].k, PROBLEMS[1].X, PROBLEMS[1].y, PROBLEMS[1].Z
    model, new = fs.SubsetOfRegressors(k, 0.1, Z).fit(X, y), np.vstack([X, [[40.0, 0.0]]])
    inside = np.linalg.inv(k(Z) + k(Z, X) @ k(X, Z) / 0.1)
    mean, sd = model.predict(new, return_std=True)
    np.testing.assert_allclose(mean, k(new, Z) @ inside @ k(Z, X) @ y / 0.1, atol=1e-9)
    np.testing.assert_allclose(sd**2, np.einsum("nm,ml,nl->n", k(new, Z), inside, k(new, Z)), atol=1e-9)
    assert sd[-1] < 1e-9
    refuse(model.certify, "KL of this one to the exact process is infinite")
    draws = model.sample(new, np.vstack([np.zeros(8), np.eye(8)]))
    np.testing.assert_allclose(np.sum((draws[1:] - draws[0]) ** 2, axis=0), sd**2, atol=1e-12)


ONE, TWO = PROBLEMS
OTHER = fs.ExactGaussianProcess(Matern12(), 0.1).fit(TWO.X, TWO.y)
test_bad_input_is_refused = refused(
    (lambda: fs.SubsetOfRegressors(TWO.k, 0.0), "noise_variance must be a positive"),
    (lambda: divergences.kl(TWO.exact, OTHER), "p must be a process with the covariance"),
    (lambda: divergences.kl(fs.ExactGaussianProcess(TWO.k, 0.1), OTHER), "q must be a fitted Gaussian process"),
)
