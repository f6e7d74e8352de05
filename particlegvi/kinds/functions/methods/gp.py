"""The exact Gaussian process as a method of a scenario: what the others approximate."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.contracts import Storage
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.kinds.functions.problem import Fit, GaussianPosterior, Problem, Progress


class GP:
    """The posterior process under a Gaussian likelihood, in closed form: nothing of it needs to be kept."""

    name = "GP"

    def __init__(self) -> None:
        """There is nothing to set."""

    def check(self, likelihood: Any) -> None:
        """Refuse a likelihood with which the posterior is no Gaussian process."""
        if likelihood.name != "gaussian":
            raise ValueError(f"GP is exact for the likelihood gaussian only, not for {likelihood.name}")

    def fit(self, problem: Problem, progress: Progress | None = None, keeper: Storage | None = None) -> Fit:
        posterior = self._posterior(problem)
        facts = {"log_marginal_likelihood": posterior.model.log_marginal_likelihood()}
        return Fit(posterior.sample(problem.X)[None], np.array([0]), facts, {})

    def restore(self, problem: Problem, fit: Fit) -> GaussianPosterior:
        return self._posterior(problem)

    def _posterior(self, problem: Problem) -> GaussianPosterior:
        with one_blas_thread():
            model = ExactGaussianProcess(problem.kernel, problem.likelihood.noise_variance).fit(problem.X, problem.y)
        return GaussianPosterior(model, problem.particles, 0, problem.seed)
