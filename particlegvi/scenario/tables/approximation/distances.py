"""The distance of an approximation from the exact process: at the test rows, and as a process."""

from __future__ import annotations

import math

import numpy as np

from particlegvi import metrics
from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, SubsetOfRegressors, divergences
from particlegvi.scenario.tables.approximation.exact import ApproximationSettings, Exact, exact_process
from particlegvi.scenario.tables.approximation.models import fitted
from particlegvi.scenario.tables.problem import Problem
from particlegvi.scenario.tables.settings import Task


def score(task: Task, settings: ApproximationSettings, problem: Problem) -> dict[str, float]:
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
    found = {
        "mean_error": float(np.sqrt(np.mean(error**2))),
        "sd_error": float(np.sqrt(np.mean((sd - exact.sd) ** 2))),
        "worst": float(np.max(np.abs(error) / exact.sd)),
        "rmse": metrics.root_mean_squared_error(problem.test.y, mean),
        "iterations": float(iterations),
    }
    if not isinstance(process, SubsetOfRegressors):
        found["kl"] = max(_kl(process, problem, exact), 0.0)
        if exact.process is not None:
            found["kl_reversed"] = max(divergences.kl(exact.process, process), 0.0)
            found["pf"] = divergences.preconditioned_fisher(process, exact.process)
    return found


def _kl(process: SparseGaussianProcess | ExactGaussianProcess, problem: Problem, exact: Exact) -> float:
    """KL to the exact process: the log evidence minus the bound of the approximation.

    For the posterior of some rows, it is the log evidence minus the log evidence of these rows, minus the expected log
    density of all other targets.
    """
    if isinstance(process, SparseGaussianProcess):
        return exact.evidence - process.bound
    seen = {tuple(row) for row in process.X.tolist()}
    unseen = np.array([tuple(row) not in seen for row in problem.train.X.tolist()])
    if not unseen.any():
        return 0.0
    mean, sd = process.predict(problem.train.X[unseen], return_std=True)
    noise = exact.noise_variance
    squares = float(np.sum((problem.train.y[unseen] - mean) ** 2 + sd**2))
    expected = -0.5 * (squares / noise + int(unseen.sum()) * math.log(2.0 * math.pi * noise))
    return exact.evidence - process.log_marginal_likelihood() - expected
