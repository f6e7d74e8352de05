"""Bayesian linear regression in matrices, and the solutions in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Facts

NONE = 1e-12  # eigenvalues below this part of the largest are rounding
BATCHES = 19  # random stream for the rows of a step
CLOSED_FORM = {"method": "closed form", "iterations": 0, "converged": True}


class LinearProblem:
    """``y = F w + noise`` with w ~ N(0, I) and F the features (n, k).

    The attributes are ``gram``, G = F^T F / s2; ``shift``, F^T y / s2; and ``precision``, G + I, that of the posterior.
    """

    def __init__(self, features: Array, y: Array, noise_variance: float) -> None:
        self.features, self.y, self.noise_variance = features, y, noise_variance
        self.gram = features.T @ features / noise_variance
        self.shift = features.T @ y / noise_variance
        self.precision = self.gram + np.eye(self.size)
        self._factor = linalg.cholesky(self.precision, lower=True)

    @property
    def size(self) -> int:
        return self.features.shape[1]

    def posterior(self) -> tuple[Array, Array]:
        """The mean (k,) and the covariance (k, k) of the weights given y."""
        inverse = linalg.cho_solve((self._factor, True), np.eye(self.size))
        return linalg.cho_solve((self._factor, True), self.shift), 0.5 * (inverse + inverse.T)

    def log_marginal_likelihood(self) -> float:
        mean = linalg.cho_solve((self._factor, True), self.shift)
        squares = float(self.y @ (self.y - self.features @ mean)) / self.noise_variance
        log_root = float(np.sum(np.log(self._factor.diagonal())))
        return -0.5 * (squares + len(self.y) * math.log(2.0 * math.pi * self.noise_variance)) - log_root

    def expected_log_likelihood(self, mean: Array, covariance: Array) -> float:
        """E log p(y | w) for w of this mean and covariance, in nats."""
        left = self.y - self.features @ mean
        squares = float(left @ left) / self.noise_variance + float(np.sum(self.gram * covariance))
        return -0.5 * (squares + len(self.y) * math.log(2.0 * math.pi * self.noise_variance))

    def batches(self, size: int, seed: int) -> Callable[[], tuple[Array, Array]]:
        """A function that returns ``gram`` and ``shift``: of all rows for the size 0 or n, else from random rows.

        Each call takes other rows, without replacement; its sums over these rows are multiplied by n / size.
        """
        if not 0 < size < len(self.y):
            return lambda: (self.gram, self.shift)
        random, number = np.random.default_rng([BATCHES, seed]), len(self.y)

        def drawn() -> tuple[Array, Array]:
            rows = random.choice(number, size, replace=False)
            scaled = self.features[rows].T * (number / (size * self.noise_variance))
            return scaled @ self.features[rows], scaled @ self.y[rows]

        return drawn

    def divergence(self, mean: Array, covariance: Array) -> float:
        """KL(N(mean, covariance), posterior), in nats, for a regular covariance."""
        root, failed = linalg.lapack.dpotrf(covariance, lower=1)
        if failed:
            return math.inf
        # eigenvalues of the product of the matrices would be lost below the rounding of the largest
        ratios = linalg.svdvals(self._factor.T @ root)
        pull = self._factor.T @ mean - linalg.solve_triangular(self._factor, self.shift, lower=True)
        return float(np.sum(0.5 * (ratios - 1.0) * (ratios + 1.0) - np.log(ratios)) + 0.5 * pull @ pull)


class LinearSolution(NamedTuple):
    """A Gaussian distribution of the weights."""

    mean: Array  # (k,)
    covariance: Array  # (k, k)
    rank: int  # rank of the covariance
    facts: Facts
    averaged: tuple[Array, Array] | None = None  # mean and covariance, from the last tenth of Adam's states


def exact(problem: LinearProblem, family: str) -> LinearSolution:
    """The posterior; in the factorised family, its mean and the inverses of the diagonal of its precision.

    Source: Bishop (2006), 10.1.2.
    """
    mean, covariance = problem.posterior()
    if family == "factorised":
        covariance = np.diag(1.0 / problem.precision.diagonal())
    return LinearSolution(mean, covariance, problem.size, dict(CLOSED_FORM))


def at_one_set(problem: LinearProblem, U: Array) -> LinearSolution:
    """The best Gaussian distribution for KL at one set A; U (rank, k) is a basis of the row space of its features.

    With E a basis of the complement of U and G = F^T F / s2, the objective is

        (tr (G + U^T U) S - log det U S U^T) / 2 + (m^T (G + U^T U) m) / 2 - b^T m + constants.

    The entropy depends on U w only, so that the best w given U w = v has no variance: it is the least squares solution
    W v with W = U^T - E (E^T G E)^+ E^T G U^T. Then v is Gaussian with the precision W^T G W + I. So the
    covariance S = W (W^T G W + I)^-1 W^T has the rank of U, and KL(Q, posterior) is infinite below rank k.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), appendix E. It gives the mean only, and says that the
    projection is onto the column space of the features at A; in fact it is onto their row space.
    """
    G = problem.gram
    mean = inverse(G + U.T @ U) @ problem.shift
    E = linalg.null_space(U) if len(U) else np.eye(problem.size)
    W = U.T - E @ (inverse(E.T @ G @ E) @ (E.T @ G @ U.T))
    precision = W.T @ G @ W + np.eye(len(U))
    half = linalg.solve_triangular(linalg.cholesky(precision, lower=True), W.T, lower=True)
    return LinearSolution(mean, half.T @ half, len(U), dict(CLOSED_FORM))


def inverse(matrix: Array) -> Array:
    """The inverse of a positive semi-definite matrix, without the eigenvalues that are rounding."""
    half = half_inverse(matrix)
    return half @ half.T


def half_inverse(matrix: Array) -> Array:
    """C with C C^T the inverse of the matrix; C is lower triangular if no eigenvalue is left out."""
    if not len(matrix):
        return matrix
    values, vectors = linalg.eigh(matrix)
    kept = values > NONE * max(values[-1], 0.0)
    half = vectors[:, kept] / np.sqrt(values[kept])
    return np.linalg.cholesky(half @ half.T) if np.all(kept) else np.asarray(half)
