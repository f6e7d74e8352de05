"""Table 6.2 of the thesis, made again: projected Langevin sampling and a sparse Gaussian process on sixteen data sets.

``protocols`` prepares the data, ``models`` has the models.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi import metrics
from particlegvi.metrics.calibration import conformal_radius, variance_factor
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions.protocols import PROTOCOLS, problem
from particlegvi.scenario.tables.problem import Classes, Numbers, Problem
from particlegvi.scenario.tables.settings import TableSettings, Task

__all__ = ["problem", "score"]

COVERAGE = 0.9  # probability of the conformal intervals


def score(task: Task, settings: TableSettings, problem: Problem) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        In regression ``nll`` (tempered on the validation rows), ``nll_untempered``, ``mae`` and ``rmse``, all of the
        scaled target, ``variance_factor``, and the ``coverage`` of conformal intervals made for 90%. In classification
        ``auc`` and ``accuracy`` in per cent, ``nll`` and ``brier``.
    """
    predicted = models.get(task.model)(problem, settings)
    if isinstance(predicted, Classes):
        return _classification(problem, predicted)
    return _regression(problem, predicted)


def _classification(problem: Problem, predicted: Classes) -> dict[str, float]:
    y, probability = problem.test.y, predicted.probability
    return {
        "auc": 100.0 * metrics.area_under_curve(y, probability),
        "accuracy": 100.0 * metrics.accuracy(y, probability),
        # a logistic fit of separable classes is certain, and one mistake would make the mean infinite
        "nll": metrics.bernoulli_nll(y, np.clip(probability, 1e-12, 1.0 - 1e-12)),
        "brier": metrics.brier_score(y, probability),
    }


def _regression(problem: Problem, predicted: Numbers) -> dict[str, float]:
    validation = (problem.validation.y, predicted.validation_mean, predicted.validation_sd)
    y, mean, sd = problem.test.y, predicted.mean, predicted.sd
    factor = PROTOCOLS[problem.protocol].tempering * variance_factor(*validation)
    width = conformal_radius(*validation, COVERAGE) * sd
    return {
        "nll": metrics.gaussian_nll(y, mean, math.sqrt(factor) * sd),
        "nll_untempered": metrics.gaussian_nll(y, mean, sd),
        "mae": metrics.mean_absolute_error(y, mean),
        "rmse": metrics.root_mean_squared_error(y, mean),
        "variance_factor": factor,
        "coverage": metrics.coverage(y, mean - width, mean + width),
    }
