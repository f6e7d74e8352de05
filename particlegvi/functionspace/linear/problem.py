"""Bayesian linear regression, the settings of a fit, and its solution."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.linear.sets import Sets
from particlegvi.integrators.schedules import Schedule

FAMILIES = ("full", "factorised")
ADAM = "adam"
OPTIMISERS = ("optimum", ADAM)


class LinearProblem:
    """``y = F w + noise`` with w ~ N(0, I) and F the features (n, k).

    Attributes
    ----------
    gram : array (k, k)
        G = F^T F / s2.
    shift : array (k,)
        F^T y / s2.
    precision : array (k, k)
        G + I, the precision of the posterior.
    """

    def __init__(self, features: Array, y: Array, noise_variance: float) -> None:
        self.features, self.y, self.noise_variance = features, y, noise_variance
        self.gram = features.T @ features / noise_variance
        self.shift = features.T @ y / noise_variance
        self.precision = self.gram + np.eye(self.size)
        self._factor = linalg.cholesky(self.precision, lower=True)

    @property
    def size(self) -> int:
        """The number of weights, k."""
        return self.features.shape[1]

    def posterior(self) -> tuple[Array, Array]:
        """The mean (k,) and the covariance (k, k) of the weights given y."""
        inverse = linalg.cho_solve((self._factor, True), np.eye(self.size))
        return linalg.cho_solve((self._factor, True), self.shift), 0.5 * (inverse + inverse.T)

    def log_marginal_likelihood(self) -> float:
        """log p(y)."""
        mean = linalg.cho_solve((self._factor, True), self.shift)
        squares = float(self.y @ (self.y - self.features @ mean)) / self.noise_variance
        log_root = float(np.sum(np.log(self._factor.diagonal())))
        return -0.5 * (squares + len(self.y) * math.log(2.0 * math.pi * self.noise_variance)) - log_root

    def expected_log_likelihood(self, mean: Array, covariance: Array) -> float:
        """E log p(y | w) for w of this mean and covariance, in nats."""
        left = self.y - self.features @ mean
        squares = float(left @ left) / self.noise_variance + float(np.sum(self.gram * covariance))
        return -0.5 * (squares + len(self.y) * math.log(2.0 * math.pi * self.noise_variance))

    def divergence(self, mean: Array, covariance: Array) -> float:
        """KL(N(mean, covariance), posterior), in nats, for a regular covariance."""
        values = linalg.eigvalsh(self._factor.T @ covariance @ self._factor) - 1.0
        if np.any(values <= -1.0):
            return math.inf
        pull = self._factor.T @ mean - linalg.solve_triangular(self._factor, self.shift, lower=True)
        return float(0.5 * (np.sum(values - np.log1p(values)) + pull @ pull))


class Settings(NamedTuple):
    """Settings of the search for a solution."""

    family: str  # one of FAMILIES
    optimiser: str  # one of OPTIMISERS
    steps: int  # largest number of iterations
    step_size: float | Schedule  # step size of Adam
    draws: int  # functions of the spectral estimator
    record_every: int  # steps of Adam between records; 0 for none
    seed: int


class Records(NamedTuple):
    """Recorded states of Adam."""

    steps: NDArray[np.int64]  # (records,)
    means: Array  # (records, k)
    covariances: Array  # (records, k, k)


class Solution(NamedTuple):
    """A Gaussian distribution of the weights."""

    mean: Array  # (k,)
    covariance: Array  # (k, k)
    rank: int  # rank of the covariance
    facts: Facts
    records: Records | None = None
    averaged: tuple[Array, Array] | None = None  # mean and covariance, from the last tenth of Adam's states


Term: TypeAlias = Callable[[LinearProblem, Sets, Settings], Solution]
