"""One cell of a table: a model on a row under a protocol and a split, scored on its test rows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from particlegvi import metrics
from particlegvi.calibration import conformal_radius, variance_factor
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tables import models
from particlegvi.tables.models.predictions import Classes, Numbers
from particlegvi.tables.problems import Problem, problem
from particlegvi.tables.settings import Settings
from particlegvi.tools import arguments

COVERAGE = 0.9  # what the conformal intervals promise


class Cell(NamedTuple):
    row: str
    model: str
    protocol: str
    split: int

    @property
    def name(self) -> str:
        """A name for its file."""
        return f"{self.row}.{self.model}.{self.protocol}.{self.split}"


def measure(cell: Cell, settings: Settings, given: Problem | None = None) -> dict[str, float]:
    """Fit and score: a pure function of the cell and the settings.

    Parameters
    ----------
    cell : Cell
    settings : Settings
    given : Problem, optional
        The problem of this cell, where it was made already: models of one problem share its covariance.

    Returns
    -------
    dict
        In regression ``nll`` (tempered on the validation rows), ``nll_untempered``, ``mae`` and ``rmse``, all of the
        scaled target, ``variance_factor``, and the ``coverage`` of conformal intervals made for 90%. In classification
        ``auc`` and ``accuracy`` in per cent, ``nll`` and ``brier``.

    Raises
    ------
    ValueError
        If the cell names what does not exist, or its data are missing.
    """
    _check(cell, settings, given)
    task = problem(cell.row, cell.protocol, cell.split) if given is None else given
    model = models.get(cell.model)
    with one_blas_thread():  # matrices factored by two come out with other last bits
        predicted = model(task, settings, **settings.own(cell.model))
    if isinstance(predicted, Classes):
        return _classification(task, predicted)
    return _regression(task, predicted)


def _check(cell: Any, settings: Any, given: Any) -> None:
    parts = [("cell", cell, Cell), ("settings", settings, Settings)]
    for key, value, kind in parts if given is None else [*parts, ("given", given, Problem)]:
        if not isinstance(value, kind):
            raise arguments.refuse(key, value, f"a {kind.__name__} of particlegvi.tables")
    # a cell is bad where the table of it alone would be
    Settings(rows=(cell.row,), models=(cell.model,), protocols=(cell.protocol,), first_split=cell.split)


def _classification(task: Problem, predicted: Classes) -> dict[str, float]:
    y, probability = task.test.y, predicted.probability
    return {
        "auc": 100.0 * metrics.area_under_curve(y, probability),
        "accuracy": 100.0 * metrics.accuracy(y, probability),
        # a logistic fit of separable classes is certain, and one such mistake would make the mean infinite
        "nll": metrics.bernoulli_nll(y, np.clip(probability, 1e-12, 1.0 - 1e-12)),
        "brier": metrics.brier_score(y, probability),
    }


def _regression(task: Problem, predicted: Numbers) -> dict[str, float]:
    validation = (task.validation.y, predicted.validation_mean, predicted.validation_sd)
    y, mean, sd = task.test.y, predicted.mean, predicted.sd
    factor = task.protocol.tempering * variance_factor(*validation)
    width = conformal_radius(*validation, COVERAGE) * sd
    return {
        "nll": metrics.gaussian_nll(y, mean, math.sqrt(factor) * sd),
        "nll_untempered": metrics.gaussian_nll(y, mean, sd),
        "mae": metrics.mean_absolute_error(y, mean),
        "rmse": metrics.root_mean_squared_error(y, mean),
        "variance_factor": factor,
        "coverage": metrics.coverage(y, mean - width, mean + width),
    }
