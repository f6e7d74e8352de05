"""The approximations of the table: each makes a process of a problem, and is scored by its distance from the exact one.

A trial begins at random rows, and so do the searches of "elbo" and "fisher", as in the source. "fisher" has the
regressors of Table 1 of the source; `particlegvi.functionspace.selection` would take three for each inducing point.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from particlegvi import metrics
from particlegvi.functionspace import (
    ExactGaussianProcess,
    SparseGaussianProcess,
    SubsetOfRegressors,
    divergences,
    likelihoods,
    selection,
)
from particlegvi.functionspace.selection.objectives import CollapsedBound, SquaredDivergence
from particlegvi.functionspace.selection.rules import place
from particlegvi.scenario.tables.approximation.exact import SETS, Exact, exact_process
from particlegvi.scenario.tables.problem import Problem
from particlegvi.scenario.tables.settings import TableSettings, Task

BY_SIZE = 1000  # distance of the random streams of neighbouring numbers of inducing points
BY_SEED = 10_000_000  # distance of the random streams of neighbouring seeds


class FittedProcess(NamedTuple):
    """An approximation, and the iterations of the search for its inducing points."""

    process: ExactGaussianProcess | SparseGaussianProcess | SubsetOfRegressors
    iterations: int = 0


class SearchStart(NamedTuple):
    """The random rows of a trial: the start of the inducing points, and the regressors of nu."""

    rows: np.ndarray
    regressors: np.ndarray


def start(problem: Problem, seed: int) -> SearchStart:
    """The random rows of a trial."""
    size = int(problem.protocol)
    random = np.random.default_rng(BY_SEED * seed + BY_SIZE * size + problem.split)
    n = len(problem.train.y)
    return SearchStart(random.permutation(n)[:size], random.permutation(n)[: SETS[problem.row].regressors])


def fitted(model: str, problem: Problem, exact: Exact, seed: int, iterations: int) -> FittedProcess:
    """The process of a model; a search takes at most ``iterations`` iterations."""
    (X, y), k, noise = problem.train, exact.covariance, exact.noise_variance
    rows, regressors = start(problem, seed)
    if model == "subset":
        return FittedProcess(ExactGaussianProcess(k, noise).fit(X[rows], y[rows]))
    first, taken = X[rows], 0
    if "greedy" in model:
        first = selection.select("greedy", k, X, int(problem.protocol), seed).points
    points = first
    if "elbo" in model:  # one search for all models that begin at these points
        bound = CollapsedBound(k, X, y, noise)
        search = partial(place, bound.at, first, X, iterations)
        points, facts = problem.once("greedy" if "greedy" in model else "random", search)
        taken = int(facts["iterations"])
    elif model == "fisher":
        divergence = SquaredDivergence(k, X, selection.Targets(y, noise), X[np.sort(regressors)])
        points, facts = place(divergence.at, first, X, iterations)
        taken = int(facts["iterations"])
    if model.startswith("sor"):
        return FittedProcess(SubsetOfRegressors(k, noise, points).fit(X, y), taken)
    gaussian = likelihoods.Gaussian(noise_variance=noise)
    return FittedProcess(SparseGaussianProcess(k, gaussian, points).fit(X, y), taken)


def score(task: Task, settings: TableSettings, problem: Problem) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        ``mean_error`` and ``sd_error``, root mean squares over the test rows, in standard deviations of the targets;
        ``worst``, the largest error of the mean in exact standard deviations there; ``rmse`` of the prediction; ``kl``
        to the exact process in nats, but not for regressors, whose KL is infinite; ``iterations`` of the search. For at
        most 1500 rows also ``kl_reversed``, from the exact process, and ``pf``, the preconditioned Fisher divergence
        under the exact process.
    """
    exact = exact_process(task.row)
    process, iterations = fitted(task.model, problem, exact, settings.seed, settings.iterations)
    mean, sd = process.predict(problem.test.X, return_std=True)
    error = mean - exact.mean
    scores = {
        "mean_error": float(np.sqrt(np.mean(error**2))),
        "sd_error": float(np.sqrt(np.mean((sd - exact.sd) ** 2))),
        "worst": float(np.max(np.abs(error) / exact.sd)),
        "rmse": metrics.root_mean_squared_error(problem.test.y, mean),
        "iterations": float(iterations),
    }
    if isinstance(process, SubsetOfRegressors):
        scores["infinite"] = 1.0  # its KL
    else:
        scores["kl"] = max(_kl(process, problem, exact), 0.0)
        if exact.process is not None:
            scores["kl_reversed"] = max(divergences.kl(exact.process, process), 0.0)
            scores["pf"] = divergences.preconditioned_fisher(process, exact.process)
    return scores


def _kl(process: SparseGaussianProcess | ExactGaussianProcess, problem: Problem, exact: Exact) -> float:
    """KL to the exact process: the log evidence minus the bound of the approximation.

    For the posterior of some rows, it is the log evidence minus the log evidence of these rows, minus the expected log
    density of all other targets.
    """
    if isinstance(process, SparseGaussianProcess):
        return exact.evidence - process.bound
    known = {tuple(row) for row in process.X.tolist()}
    unseen = np.array([tuple(row) not in known for row in problem.train.X.tolist()])
    if not unseen.any():
        return 0.0
    mean, sd = process.predict(problem.train.X[unseen], return_std=True)
    noise = exact.noise_variance
    squares = float(np.sum((problem.train.y[unseen] - mean) ** 2 + sd**2))
    expected = -0.5 * (squares / noise + int(unseen.sum()) * math.log(2.0 * math.pi * noise))
    return exact.evidence - process.log_marginal_likelihood() - expected
