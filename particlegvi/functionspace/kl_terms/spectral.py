"""The mean over random sets A of KL of the values, with the entropy of Q_A by the spectral Stein estimator."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace.kl_terms.adam import descend
from particlegvi.functionspace.kl_terms.problem import LinearProblem, Settings, Solution
from particlegvi.functionspace.measurement.row_space import row_space
from particlegvi.functionspace.measurement.sets import Sets
from particlegvi.functionspace.scores.spectral import Spectral
from particlegvi.tools.registry import named

STREAM = 18  # of the draws of functions


@named("spectral")
def spectral(problem: LinearProblem, sets: Sets, settings: Settings) -> Solution:
    """Adam, with another random set A and other draws of functions at each step; there is no optimum to compute.

    With draws f = F_A (m + L z) the gradient of minus the entropy is the mean of score(f) df/d(m, L), where the score,
    the gradient of log q_A, is estimated from the draws. The other half of KL is exact.

    Source: Sun, Zhang, Shi and Grosse (2019), (9), as Burt, Ober, Garriga-Alonso and van der Wilk (2020) use it.
    """
    random, another = np.random.default_rng([STREAM, settings.seed]), sets.steps()
    number = 0

    def gradient(mean: Array, L: Array) -> tuple[Array, Array]:
        nonlocal number
        features = another()
        U = row_space(features)
        z = random.normal(size=(settings.draws, problem.size))
        estimate = Spectral((mean + z @ L.T) @ features.T)
        number += estimate.eigenfunctions
        scores = estimate() @ features
        in_mean = U.T @ (U @ mean) - problem.shift + problem.gram @ mean + scores.mean(axis=0)
        return in_mean, problem.gram @ L + U.T @ (U @ L) + scores.T @ z / settings.draws

    found = descend(problem, gradient, settings)
    return found._replace(facts={**found.facts, "draws": settings.draws, "eigenfunctions": number / settings.steps})
