"""The scores of a model of Table 4.1, honestly or as the published program's post-processing does."""

from __future__ import annotations

import math

import numpy as np

from particlegvi import metrics
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tables.cells import Cell
from particlegvi.tables.models.predictions import Numbers
from particlegvi.tables.wasserstein.models import predicted, validation_nll
from particlegvi.tables.wasserstein.problems import TRIALS, Problem, Trials, problem
from particlegvi.tables.wasserstein.settings import WassersteinSettings

# The largest factor of the variances: none, the 1 of the thesis's text, the 2 of its program.
MOST = {"standardised": math.inf, "thesis": 1.0, "best-of-30": 2.0}
CENTRAL = 1.6448536269514722  # standard deviations that hold 90% of a Gaussian


def measure(cell: Cell, settings: WassersteinSettings, given: Problem | Trials | None = None) -> dict[str, float]:
    """Fit and score: a pure function of the cell and the settings.

    Returns
    -------
    dict
        In the units of the target ``nll``, with the variances times the best factor on the validation rows that the
        protocol allows; ``nll_free``, with the best one of all; ``nll_untempered``; ``rmse``; the ``coverage_90`` of
        the central 90% interval; and ``variance_factor``, the best one. Under "best-of-30" ``nll`` is the lowest test
        score of the trials, beside it ``nll_median`` and ``nll_validation``, of the trial that the validation rows
        choose. A model that does not take so many rows has no scores.
    """
    task = problem(cell.row, cell.protocol, cell.split) if given is None else given
    with one_blas_thread():  # matrices factored by two come out with other last bits
        return _selected(cell, settings, task) if isinstance(task, Trials) else _honest(cell.model, settings, task)


def _honest(model: str, settings: WassersteinSettings, task: Problem) -> dict[str, float]:
    found = predicted(model, task, settings)
    return {} if found is None else _scored(task, found)


def _scored(task: Problem, found: Numbers) -> dict[str, float]:
    y, unit = task.test.y, math.log(task.scale)
    factor = float(np.mean(((task.validation.y - found.validation_mean) / found.validation_sd) ** 2))
    allowed = min(factor, MOST[task.protocol])
    wide = CENTRAL * math.sqrt(allowed) * found.sd
    return {
        "nll": metrics.gaussian_nll(y, found.mean, math.sqrt(allowed) * found.sd) + unit,
        "nll_free": metrics.gaussian_nll(y, found.mean, math.sqrt(factor) * found.sd) + unit,
        "nll_untempered": metrics.gaussian_nll(y, found.mean, found.sd) + unit,
        "rmse": metrics.root_mean_squared_error(y, found.mean) * task.scale,
        "coverage_90": metrics.coverage(y, found.mean - wide, found.mean + wide),
        "variance_factor": factor,
    }


def _selected(cell: Cell, settings: WassersteinSettings, fold: Trials) -> dict[str, float]:
    """The trials of a fold: the lowest test score, which the program reports, and two honest scores beside it."""
    tests, held, errors = [], [], []
    for number in range(TRIALS):
        task = fold.problem(number)
        found = predicted(cell.model, task, settings)
        assert found is not None
        scores = _scored(task, found)
        tests.append(scores["nll"])
        errors.append(scores["rmse"])
        held.append(validation_nll(task, found) + math.log(task.scale))
    lowest = int(np.argmin(tests))
    return {
        "nll": tests[lowest],
        "nll_validation": tests[int(np.argmin(held))],
        "nll_median": float(np.median(tests)),
        "rmse": errors[lowest],
    }
