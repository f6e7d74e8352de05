"""The approximations of the table: each makes a process of a problem.

A trial begins at random rows, and so do the searches of "elbo" and "fisher", as in the source. "fisher" has the
regressors of Table 1 of the source; `particlegvi.functionspace.selection` would take three for each inducing point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace import (
    ExactGaussianProcess,
    SparseGaussianProcess,
    SubsetOfRegressors,
    likelihoods,
    selection,
)
from particlegvi.functionspace.selection.elbo import CollapsedBound
from particlegvi.functionspace.selection.fisher import SquaredDivergence
from particlegvi.functionspace.selection.rules import minimise
from particlegvi.scenario.tables.approximation.exact import SETS, Exact
from particlegvi.scenario.tables.problem import Problem

BY_SIZE = 1000  # distance of the random streams of neighbouring numbers of inducing points
BY_SEED = 10_000_000  # distance of the random streams of neighbouring seeds


class Fitted(NamedTuple):
    """An approximation, and the iterations of the search for its inducing points."""

    process: ExactGaussianProcess | SparseGaussianProcess | SubsetOfRegressors
    iterations: int = 0


class Start(NamedTuple):
    """The random rows of a trial: the start of the inducing points, and the regressors of nu."""

    rows: np.ndarray
    regressors: np.ndarray


def start(problem: Problem, seed: int) -> Start:
    """The random rows of a trial."""
    size = int(problem.protocol)
    random = np.random.default_rng(BY_SEED * seed + BY_SIZE * size + problem.split)
    n = len(problem.train.y)
    return Start(random.permutation(n)[:size], random.permutation(n)[: SETS[problem.row].regressors])


def fitted(model: str, problem: Problem, exact: Exact, seed: int, iterations: int) -> Fitted:
    """The process of a model; a search takes at most ``iterations`` iterations."""
    (X, y), k, noise = problem.train, exact.covariance, exact.noise_variance
    rows, regressors = start(problem, seed)
    if model == "subset":
        return Fitted(ExactGaussianProcess(k, noise).fit(X[rows], y[rows]))
    if model == "sor":
        return Fitted(SubsetOfRegressors(k, noise, X[rows]).fit(X, y))
    if model == "random":
        return Fitted(_sparse(problem, exact, X[rows]))
    if model == "greedy":
        return Fitted(_sparse(problem, exact, _greedy(problem, exact, seed)))
    if model in ("elbo", "sor-elbo"):
        points, taken = _elbo(problem, exact, X[rows], "random", iterations)
        if model == "elbo":
            return Fitted(_sparse(problem, exact, points), taken)
        return Fitted(SubsetOfRegressors(k, noise, points).fit(X, y), taken)
    if model == "elbo-greedy":
        points, taken = _elbo(problem, exact, _greedy(problem, exact, seed), "greedy", iterations)
        return Fitted(_sparse(problem, exact, points), taken)
    divergence = SquaredDivergence(k, X, selection.Targets(y, noise), X[np.sort(regressors)])
    points, facts = minimise(divergence.at, X[rows], X, iterations)
    return Fitted(_sparse(problem, exact, points), int(facts["iterations"]))


def _sparse(problem: Problem, exact: Exact, points: Array) -> SparseGaussianProcess:
    gaussian = likelihoods.Gaussian(noise_variance=exact.noise_variance)
    return SparseGaussianProcess(exact.covariance, gaussian, points).fit(*problem.train)


def _greedy(problem: Problem, exact: Exact, seed: int) -> Array:
    return selection.select("greedy", exact.covariance, problem.train.X, int(problem.protocol), seed).points


def _elbo(problem: Problem, exact: Exact, points: Array, name: str, iterations: int) -> tuple[Array, int]:
    """The points with the highest bound of a search, computed once for all models that use them."""
    return problem.once(name, lambda: _searched(problem, exact, points, iterations))


def _searched(problem: Problem, exact: Exact, points: Array, iterations: int) -> tuple[Array, int]:
    X, y = problem.train
    bound = CollapsedBound(exact.covariance, X, y, exact.noise_variance)
    found, facts = minimise(lambda Z: bound.at(Z)[:2], points, X, iterations)
    return found, int(facts["iterations"])
