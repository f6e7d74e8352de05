"""The sparse variational Gaussian process, which the thesis compares PLS with."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace import SparseGaussianProcess, likelihoods
from particlegvi.tables.models._hyperparameters import hyperparameters
from particlegvi.tables.models._latent import logistic_mean, scaled
from particlegvi.tables.models.predictions import Classes, Numbers
from particlegvi.tables.problems import Problem
from particlegvi.tables.settings import Settings


def svgp(problem: Problem, settings: Settings) -> Numbers | Classes:
    """Inducing values at greedily chosen training inputs, with a Gaussian law in closed form or by natural gradients."""
    k, noise = hyperparameters(problem, settings)
    points = problem.inducing_points(settings.inducing_points)
    if problem.task == "classification":
        model = SparseGaussianProcess(scaled(problem, settings), likelihoods.Bernoulli(), points, seed=settings.seed)
        return Classes(logistic_mean(*model.fit(*problem.train).predict(problem.test.X, return_std=True)))
    gaussian = likelihoods.Gaussian(noise_variance=noise)
    model = SparseGaussianProcess(k, gaussian, points, seed=settings.seed).fit(*problem.train)
    (mean, sd), (v_mean, v_sd) = (model.predict(part.X, return_std=True) for part in (problem.test, problem.validation))
    return Numbers(mean, np.sqrt(sd**2 + noise), v_mean, np.sqrt(v_sd**2 + noise))


svgp.name = "svgp"  # type: ignore[attr-defined]
