"""Random regressions, with a sparse and an exact Gaussian process of each, for claims about approximations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, covariances, likelihoods
from particlegvi.verification.claim import Check, Checks, Claim
from particlegvi.verification.picture import Picture

NEW = 40  # inputs at which errors are measured
ROUNDING = 1e-6  # relative rounding of an exact process in double precision


def within(quantity: str, ratios: np.ndarray) -> Check:
    """The largest of some values over their bounds, which is at most 1 but for rounding."""
    return Check(f"largest {quantity}", float(np.max(ratios)), 1.0 + ROUNDING)


class Bounded(Claim):
    """A claim that one number of each random problem bounds another one."""

    problems = 100
    axes: ClassVar[tuple[str, str]]  # labels of the axes: the bound, and the bounded number
    ends: ClassVar[tuple[float, float]]  # of both axes
    quantities: ClassVar[tuple[str, ...]] = ("W2 over its bound",)  # names of the ratios of `numbers`

    def drawn(self, seed: int) -> Iterator[Any]:
        """The random problems."""
        return regressions(seed, self.problems)

    def numbers(self, each: Any, wrong: bool) -> tuple[float, ...]:
        """The bound and the bounded number of a problem, and ratios, of which none may exceed 1."""
        raise NotImplementedError

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        bound, bounded, *ratios = np.array([self.numbers(each, wrong) for each in self.drawn(seed)]).T
        picture.dots(bound, bounded, "random problems", markersize=4).diagonal(self.ends)
        picture.frame(*self.axes, "lower right", log="xy", xlim=self.ends, ylim=self.ends)
        return tuple(map(within, self.quantities, ratios))


class Regression(NamedTuple):
    """Two processes fitted to the same data, and inputs around them."""

    sparse: SparseGaussianProcess
    exact: ExactGaussianProcess
    inputs: np.ndarray  # (n, dim)

    def errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Differences of the means, and the two standard deviations, sparse and exact; and the prior variances."""
        (mean, sd), (right, exact_sd) = (each.predict(self.inputs, True) for each in (self.sparse, self.exact))
        return mean - right, sd, exact_sd, self.exact.covariance.diagonal(self.inputs)


def regressions(seed: int, count: int) -> Iterator[Regression]:
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
        yield Regression(sparse, exact, np.vstack([X, r.uniform(-3.0, 3.0, (NEW, dim))]))
