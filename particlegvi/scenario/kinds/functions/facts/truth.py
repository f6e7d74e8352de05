"""The error of the mean and the coverage of the band, if the true function is known."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.functions.run import FunctionRun

GRID = 200  # inputs at which the truth is compared
BAND = (0.05, 0.95)


@fact(20)
def truth(run: FunctionRun) -> Facts:
    """``truth``: ``rmse`` of the mean of y, and the part of the true function that the 90% band has ``covered``."""
    return {} if run.data.truth is None else {"truth": compared(run)}


def compared(run: FunctionRun) -> dict[str, float]:
    """Compare with the true function: the error of the mean of y, and the part that the 90% band covers.

    With one input they are compared at evenly spaced inputs over the range of the data, otherwise at the data.

    If the likelihood is even in f, the band is the band of |f|.
    """
    X, likelihood = run.problem.X, run.problem.likelihood
    low, high = run.data.window or (X.min(), X.max())
    grid = np.linspace(low, high, GRID)[:, None] if run.data.inputs == 1 else X
    f = run.data.value(grid)
    law = run.marginals(grid)
    error = law.expectation(likelihood.mean) - likelihood.mean(f)
    below = law.cdf(np.abs(f)) - law.cdf(-np.abs(f)) if likelihood.even else law.cdf(f)
    inside = (below >= BAND[0]) & (below <= BAND[1])
    return {"rmse": float(np.sqrt(np.mean(error**2))), "covered": float(inside.mean())}
