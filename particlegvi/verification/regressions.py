"""Random regressions, with a sparse and an exact Gaussian process of each, for claims about approximations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, covariances, likelihoods
from particlegvi.verification.claim import Check

NEW = 40  # inputs at which errors are measured
ROUNDING = 1e-6  # relative rounding of an exact process in double precision


def within(quantity: str, ratios: np.ndarray) -> Check:
    """The largest of some values over their bounds, which is at most 1 but for rounding."""
    return Check(f"largest {quantity}", float(np.max(ratios)), 1.0 + ROUNDING)


def bounded(
    quantities: tuple[str, ...], problems: Iterable[Any], ratios: Callable[[Any], tuple[float, ...]]
) -> tuple[Check, ...]:
    """Some numbers of each random problem over their bounds, of which none may exceed 1."""
    table = np.array([ratios(problem) for problem in problems])
    return tuple(map(within, quantities, table.T))


class RegressionData(NamedTuple):
    """Two processes fitted to the same data, and inputs around them."""

    sparse: SparseGaussianProcess
    exact: ExactGaussianProcess
    inputs: np.ndarray  # (n, dim)

    def errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Differences of the means, and the two standard deviations, sparse and exact; and the prior variances."""
        (mean, sd), (right, exact_sd) = (fit.predict(self.inputs, True) for fit in (self.sparse, self.exact))
        return mean - right, sd, exact_sd, self.exact.covariance.diagonal(self.inputs)


def regressions(seed: int, count: int) -> Iterator[RegressionData]:
    """Random regressions: 1 to 4 inputs, 8 to 40 rows, at most half as many inducing points; a fifth has targets 0."""
    r = np.random.default_rng(seed)
    for number in range(count):
        dim, n = int(r.integers(1, 5)), int(r.integers(8, 41))
        kernel = (covariances.SquaredExponential, covariances.Matern52, covariances.Matern12)[number % 3]
        k = kernel(r.uniform(0.5, 3.0, dim), float(r.uniform(0.3, 3.0)))
        noise = float(10.0 ** r.uniform(-3.0, 0.0))
        X = r.uniform(-2.0, 2.0, (n, dim))
        y = np.sin(2.0 * X[:, 0]) + 0.5 * X.sum(axis=1) + math.sqrt(noise) * r.normal(size=n)
        if number % 5 == 0:
            y = np.zeros(n)
        sparse = SparseGaussianProcess(k, likelihoods.Gaussian(noise), X[: int(r.integers(1, n // 2 + 1))]).fit(X, y)
        exact = ExactGaussianProcess(k, noise).fit(X, y)
        yield RegressionData(sparse, exact, np.vstack([X, r.uniform(-3.0, 3.0, (NEW, dim))]))
