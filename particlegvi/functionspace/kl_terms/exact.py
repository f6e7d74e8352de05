"""KL of the weights: variational inference as usual, in closed form for both families."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace.kl_terms.problem import LinearProblem, Settings, Solution
from particlegvi.functionspace.measurement.sets import Sets
from particlegvi.tools.registry import named


@named("exact")
def exact(problem: LinearProblem, sets: Sets, settings: Settings) -> Solution:
    """The posterior; of the factorised distributions the one with its mean and the inverse diagonal of its precision.

    Source: Bishop (2006), 10.1.2.
    """
    mean, covariance = problem.posterior()
    if settings.family == "factorised":
        covariance = np.diag(1.0 / problem.precision.diagonal())
    return Solution(mean, covariance, problem.size, {"method": "closed form", "iterations": 0, "converged": True})
