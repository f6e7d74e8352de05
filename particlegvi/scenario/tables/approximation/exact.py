"""The data of Figures 3 to 5 of Huggins et al. (2019) as their program has them, and the exact process.

Rows are permuted once by a generator of the seed 1; inputs are rotated and scaled to the covariance 1 on the training
rows, targets have mean 0 and standard deviation 1 there. Trials differ in the start of the inducing points.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.datasets import load
from particlegvi.functionspace import ExactGaussianProcess, fit_hyperparameters
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.scenario.tables.problem import Part, Problem
from particlegvi.tools.quoting import refuse

POINTS = 200  # number of inducing points in the search for hyperparameters, from the source
ITERATIONS = 150  # largest number of iterations of this search
NOISE = 0.1  # noise variance at the start of this search
FEW = 1500  # largest number of rows for comparing whole processes in both directions, in O(n^3)


class Rows(NamedTuple):
    """A data set: its training and test rows, and the regressors of nu (Table 1 of the source)."""

    train: int
    test: int
    regressors: int


SETS = {
    "synthetic": Rows(1000, 1000, 100),
    "airfoil": Rows(1103, 400, 100),
    "wine-white": Rows(3898, 1000, 300),
    "abalone": Rows(3177, 1000, 300),
    "power": Rows(7568, 2000, 700),
}


class Exact(NamedTuple):
    """The exact process of a data set: its hyperparameters, its evidence, and its law at the test rows.

    For at most `FEW` rows it also holds the process itself.
    """

    covariance: Covariance
    noise_variance: float
    evidence: float
    mean: Array
    sd: Array
    process: ExactGaussianProcess | None


def problem(row: str, protocol: str, split: int) -> Problem:
    """A data set; the protocol is the number of inducing points, the split the number of a random start."""
    if int(protocol) > SETS[row].train:
        raise refuse("sizes", int(protocol), f"numbers of at most {SETS[row].train}, the training rows of {row}")
    train, test = _prepared(row)
    return Problem(row=row, protocol=protocol, split=split, train=train, test=test)


@lru_cache(maxsize=2)
def _prepared(row: str) -> tuple[Part, Part]:
    """Training and test rows."""
    train, test, _ = SETS[row]
    random = np.random.RandomState(1)
    if row == "synthetic":
        X = random.rand(train + test, 1)
        y = (np.sin(12.0 * X) + 0.66 * np.cos(25.0 * X) + 0.1 * random.randn(train + test, 1) + 3.0)[:, 0]
    else:
        data = load(row)
        order = random.permutation(len(data.y))
        X, y = data.X[order], data.y[order]
    y = (y - y[:train].mean()) / y[:train].std(ddof=1)
    variances, directions = np.linalg.eigh(np.atleast_2d(np.cov(X[:train], rowvar=False)))
    # The sign of an eigenvector is arbitrary: make the largest entry of each positive.
    largest = directions[np.argmax(np.abs(directions), axis=0), np.arange(len(variances))]
    X = (X - X[:train].mean(axis=0)) @ (directions * np.sign(largest) / np.sqrt(variances))
    held = slice(train, train + test)
    return Part(X[:train].copy(), y[:train].copy()), Part(X[held].copy(), y[held].copy())


@lru_cache(maxsize=2)
def exact_process(row: str) -> Exact:
    """The exact process with the hyperparameters of the highest evidence lower bound, of two searches."""
    (X, y), (new, _) = _prepared(row)
    start = SquaredExponential(np.ones(X.shape[1]), 1.0)
    points = min(POINTS, len(X) // 5)
    covariance, noise, _ = fit_hyperparameters(
        start, X, y, NOISE, bound="elbo", inducing_points=points, most_iterations=ITERATIONS
    )
    process = ExactGaussianProcess(covariance, noise).fit(X, y)
    mean, sd = process.predict(new, return_std=True)
    kept = process if len(X) <= FEW else None
    return Exact(covariance, noise, process.log_marginal_likelihood(), mean, sd, kept)
