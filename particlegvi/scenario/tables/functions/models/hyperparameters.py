"""The covariance and the noise that PLS and SVGP share, as in the thesis (D.14.1)."""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.functionspace import fit_hyperparameters
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.hyperparameters import classification_covariance, regression_covariance
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.scenario.tables.functions.protocols import PROTOCOLS
from particlegvi.scenario.tables.functions.settings import ProjectedSettings
from particlegvi.scenario.tables.problem import Problem


class Hyperparameters(NamedTuple):
    covariance: Covariance
    noise_variance: float  # used in regression only


def hyperparameters(problem: Problem, settings: ProjectedSettings) -> Hyperparameters:
    """The hyperparameters of highest marginal likelihood on training rows, computed once for each problem.

    The covariance is a squared exponential with a lengthscale for each input; in classification under the standardised
    protocol it has one lengthscale for all inputs.
    """
    find = _as_standardised if PROTOCOLS[problem.protocol].scale_inputs else _as_in_the_thesis
    return problem.once("hyperparameters", lambda: find(problem, settings))


def _as_standardised(problem: Problem, settings: ProjectedSettings) -> Hyperparameters:
    X, y = problem.train
    if problem.task == "classification":
        return Hyperparameters(classification_covariance(X, y, seed=settings.seed), 1.0)
    return Hyperparameters(*regression_covariance(X, y, seed=settings.seed))


def _as_in_the_thesis(problem: Problem, settings: ProjectedSettings) -> Hyperparameters:
    """Fit regressions, also to labels, on all rows or on subsets of neighbouring rows, and average the parameters.

    The search begins in the units of the inputs. The thesis's program begins at log 2 in any units. Its optimiser,
    with steps of constant size, may leave this start; L-BFGS stays there on several sets, as the objective is flat.
    """
    X, y = problem.train
    classes = problem.task == "classification"
    found = fit_hyperparameters(
        SquaredExponential(lengthscale=math.sqrt(X.shape[1]) * column_sd(X), variance=1.0),
        X,
        2.0 * y - 1.0 if classes else y,
        noise_variance=0.1,
        threshold=1000 if classes else 2000,
        subsets=min(settings.subsets, 5 if classes else 10),
        seed=settings.seed,
    )
    return Hyperparameters(*found[:2])
