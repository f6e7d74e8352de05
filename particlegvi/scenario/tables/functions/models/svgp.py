"""The sparse variational Gaussian process, which the thesis compares PLS with."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace import SparseGaussianProcess, likelihoods
from particlegvi.functionspace.prediction.posterior import Marginals
from particlegvi.scenario.tables.functions.models.hyperparameters import hyperparameters
from particlegvi.scenario.tables.functions.models.model import table_model
from particlegvi.scenario.tables.functions.protocols import most_points
from particlegvi.scenario.tables.functions.settings import MOST, ProjectedSettings
from particlegvi.scenario.tables.problem import Classes, Numbers, Problem
from particlegvi.settings import checks

TOLERANCE = 1e-4  # the fit may stop so many nats below the best evidence bound


@table_model("svgp", inducing_points=checks.whole(1, MOST))
def svgp(problem: Problem, settings: ProjectedSettings, *, inducing_points: int | None = None) -> Numbers | Classes:
    """Inducing values at greedily chosen training inputs; their distribution in closed form, or by natural gradients.

    If ``inducing_points`` is None, the table's number is used.
    """
    k, noise = hyperparameters(problem, settings)
    points = most_points(problem, inducing_points or settings.inducing_points)
    if problem.task == "classification":
        bernoulli = likelihoods.Bernoulli()
        model = SparseGaussianProcess(k, bernoulli, points, tolerance=TOLERANCE, seed=settings.seed)
        mean, sd = model.fit(*problem.train).predict(problem.test.X, return_std=True)
        return Classes(Marginals(mean[None], sd**2).expectation(bernoulli.probability))
    gaussian = likelihoods.Gaussian(noise_variance=noise)
    model = SparseGaussianProcess(k, gaussian, points, seed=settings.seed).fit(*problem.train)
    (mean, sd), (v_mean, v_sd) = (model.predict(part.X, return_std=True) for part in (problem.test, problem.validation))
    return Numbers(mean, np.sqrt(sd**2 + noise), v_mean, np.sqrt(v_sd**2 + noise))
