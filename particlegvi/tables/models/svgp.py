"""The sparse variational Gaussian process, which the thesis compares PLS with."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace import SparseGaussianProcess, likelihoods
from particlegvi.functionspace.prediction import Marginals
from particlegvi.settings import checks
from particlegvi.tables.models.hyperparameters import hyperparameters
from particlegvi.tables.models.model import table_model
from particlegvi.tables.models.predictions import Classes, Numbers
from particlegvi.tables.problems import Problem
from particlegvi.tables.settings import MOST, Settings

TOLERANCE = 1e-4  # nats of the evidence bound that may be left to gain


@table_model("svgp", inducing_points=checks.whole(1, MOST))
def svgp(problem: Problem, settings: Settings, *, inducing_points: int | None = None) -> Numbers | Classes:
    """Inducing values at greedily chosen training inputs; their distribution in closed form, or by natural gradients.

    ``inducing_points`` is that of the table where it is None.
    """
    k, noise = hyperparameters(problem, settings)
    points = problem.inducing_points(inducing_points or settings.inducing_points)
    if problem.task == "classification":
        bernoulli = likelihoods.Bernoulli()
        model = SparseGaussianProcess(k, bernoulli, points, tolerance=TOLERANCE, seed=settings.seed)
        mean, sd = model.fit(*problem.train).predict(problem.test.X, return_std=True)
        return Classes(Marginals(mean[None], sd**2).expectation(bernoulli.probability))
    gaussian = likelihoods.Gaussian(noise_variance=noise)
    model = SparseGaussianProcess(k, gaussian, points, seed=settings.seed).fit(*problem.train)
    (mean, sd), (v_mean, v_sd) = (model.predict(part.X, return_std=True) for part in (problem.test, problem.validation))
    return Numbers(mean, np.sqrt(sd**2 + noise), v_mean, np.sqrt(v_sd**2 + noise))
