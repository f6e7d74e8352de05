"""The scores of an objective on a linear model: its predictions, and its distance from the posterior."""

from __future__ import annotations

import math

import numpy as np

from particlegvi import metrics
from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import BayesianLinearRegression, LinearRegression
from particlegvi.scenario.tables.linear.features import LinearSettings, features
from particlegvi.scenario.tables.problem import Problem
from particlegvi.scenario.tables.settings import Task

BY_ADAM = ("random-80-adam", "spectral-80")
START_SEED = 1000  # distance between the seeds of sets for neighbouring seeds


def score(task: Task, settings: LinearSettings, problem: Problem) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        ``nll`` and ``rmse`` of the test rows, for scaled targets; ``kl``, KL to the posterior of the weights in nats,
        or ``infinite`` = 1 if it is infinite; ``kl_averaged``, KL of Adam's average over its last tenth. Least squares
        on the inputs has no KL.
    """
    train, new = problem.train, problem.test.X
    if task.model == "linear":
        line = LinearRegression().fit(train.X, train.y)
        return _predicted(problem, line.predict(new, return_std=True), line.noise_variance)
    found = features(problem, settings.inducing_points)
    how: Facts = {"sets": settings.sets, "seed": START_SEED * settings.seed + task.split, **_objective(task.model)}
    how["steps"] = settings.steps if task.model in BY_ADAM else settings.iterations
    model = BayesianLinearRegression(found, found.noise_variance, **how).fit(train.X, train.y)
    scores = _predicted(problem, model.predict(new, return_std=True), found.noise_variance)
    divergence = model.kl_to_posterior()
    scores |= {"kl": divergence} if math.isfinite(divergence) else {"infinite": 1.0}
    if "kl_to_posterior_averaged" in model.facts:
        scores["kl_averaged"] = float(model.facts["kl_to_posterior_averaged"])
    return scores


def _objective(model: str) -> Facts:
    """The settings of `BayesianLinearRegression` for the name of a model."""
    if model == "exact":
        return {"kl": "exact"}
    if model == "factorised":
        return {"kl": "exact", "family": "factorised"}
    name, points, *how = model.split("-")
    kl = {"fixed": "fixed-points", "random": "random-points", "spectral": "spectral"}[name]
    return {"kl": kl, "points": int(points), "optimiser": "adam" if how else "optimum"}


def _predicted(problem: Problem, of_functions: tuple[Array, Array], noise_variance: float) -> dict[str, float]:
    mean, sd = of_functions
    return {
        "nll": metrics.gaussian_nll(problem.test.y, mean, np.sqrt(sd**2 + noise_variance)),
        "rmse": metrics.root_mean_squared_error(problem.test.y, mean),
    }
