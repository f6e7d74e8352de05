"""The covariance and the noise that PLS and SVGP share, as in the thesis (D.14.1)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.functionspace import fit_hyperparameters
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.covariances.base import Covariance
from particlegvi.tables.problems import Problem
from particlegvi.tables.settings import Settings

START = math.log(2.0)  # where the thesis's program begins: gpytorch's defaults


class Hyperparameters(NamedTuple):
    covariance: Covariance
    noise_variance: float


def hyperparameters(problem: Problem, settings: Settings) -> Hyperparameters:
    """Those of the highest marginal likelihood of a regression on the training rows; found once for each problem.

    The covariance is squared exponential with a lengthscale for each input. A classification is a regression on the
    labels -1 and 1. From more than 2000 rows (1000 in classification) subsets are drawn, 10 (5) under the thesis's
    protocol and 3 of 1000 otherwise. The thesis's search begins at lengthscales of log 2 whatever the units of the
    inputs are.
    """
    if "hyperparameters" not in problem.shared:
        X, y = problem.train
        classes = problem.task == "classification"
        as_thesis = not problem.protocol.scale_inputs
        begin = START if as_thesis else math.sqrt(X.shape[1])
        covariance, noise, _ = fit_hyperparameters(
            SquaredExponential(lengthscale=np.full(X.shape[1], begin), variance=START if as_thesis else 1.0),
            X,
            2.0 * y - 1.0 if classes else y,
            START if as_thesis else 0.1,
            threshold=(1000 if classes else 2000) if as_thesis else 1000,
            subsets=(5 if classes else 10) if as_thesis else 3,
            seed=settings.seed,
        )
        problem.shared["hyperparameters"] = Hyperparameters(covariance, noise)
    return problem.shared["hyperparameters"]
