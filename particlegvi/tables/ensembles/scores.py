"""The scores of a model of the table."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.metrics import gaussian_nll
from particlegvi.tables.cells import Cell
from particlegvi.tables.ensembles.models import predicted
from particlegvi.tables.ensembles.problems import Problem, problem
from particlegvi.tables.ensembles.settings import EnsembleSettings
from particlegvi.tools.errors import Diverged

LEAST = 1e-75  # spread that counts


def measure(cell: Cell, settings: EnsembleSettings, given: Problem | None = None) -> dict[str, float]:
    """Fit and score: a pure function of the cell and the settings.

    Returns
    -------
    dict
        ``rmse``, and ``nll`` and ``coverage_90`` of the predictive mixture; of ensembles also ``nll_spread``, the
        thesis's score, in which the spread of the members is all the variance, and ``spread``. They are in the target's
        units under the protocol "standard", and of the scaled target under the thesis's, where ``leaked`` is the share
        of the test rows that were trained on. A cell whose networks ran away has ``diverged`` alone.
    """
    task = problem(cell.row, cell.protocol, cell.split) if given is None else given
    y, scale = task.test.y, task.scale
    try:
        with one_blas_thread():  # matrices factored by two come out with other last bits
            found = predicted(cell.model, task, settings)
    except Diverged:
        return {"diverged": 1.0}
    below = found.mixture.cdf(y)
    scores = {
        "rmse": float(np.sqrt(np.mean((y - found.mixture.mean()) ** 2))) * scale,
        "nll": -float(np.mean(found.mixture.log_density(y))) + math.log(scale),
        "coverage_90": float(np.mean((below > 0.05) & (below < 0.95))),
        "leaked": task.leaked,
    }
    if len(found.members) > 1:
        spread = np.maximum(found.members.std(axis=0, ddof=1), LEAST)
        scores["nll_spread"] = gaussian_nll(y, found.members.mean(axis=0), spread) + math.log(scale)
        scores["spread"] = float(spread.mean()) * scale
    return scores
