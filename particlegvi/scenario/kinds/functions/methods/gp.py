"""The exact Gaussian process as a method of a scenario."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Likelihood, StepProgress, Storage
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.functionals import Intervals
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.scenario.kinds.functions.problem import Fit, FunctionProblem, GaussianPosterior
from particlegvi.tools.arguments import flag


class OfGaussianNoise:
    """The base of the methods for observations with Gaussian noise."""

    def check(self, likelihood: Likelihood) -> None:
        """Refuse a likelihood that is not Gaussian."""
        gaussian(likelihood)


class GP(OfGaussianNoise):
    """The posterior process under a Gaussian likelihood, in closed form; none of its arrays is stored.

    Parameters
    ----------
    centres : bool
        Whether means over intervals are taken for values at the centres, and slopes are left out, as in a model without
        functionals.
    """

    name = "GP"

    def __init__(self, centres: bool = False) -> None:
        self.centres = flag("centres", centres)

    def fit(self, problem: FunctionProblem, progress: StepProgress | None, storage: Storage | None) -> Fit:
        model = self._model(problem)
        facts = {"log_marginal_likelihood": model.log_marginal_likelihood()}
        return Fit(self._posterior(problem, model).sample(problem.X)[None], np.array([0]), facts, {})

    def restore(self, problem: FunctionProblem, fit: Fit) -> GaussianPosterior:
        return self._posterior(problem, self._model(problem))

    def _model(self, problem: FunctionProblem) -> ExactGaussianProcess:
        with one_blas_thread():
            model = ExactGaussianProcess(problem.kernel, gaussian(problem.likelihood).noise_variance)
            if problem.observed is None:
                return model.fit(problem.X, problem.y)
            if not self.centres:
                return model.fit(problem.observed, problem.y)
            means = sum(len(part) for part in problem.observed.parts() if isinstance(part, Intervals))
            return model.fit(problem.X[:means], problem.y[:means])

    def _posterior(self, problem: FunctionProblem, model: ExactGaussianProcess) -> GaussianPosterior:
        return GaussianPosterior(model, problem.particles, 0, problem.seed)


def gaussian(likelihood: Likelihood) -> Gaussian:
    """The likelihood, or a ValueError if it is not Gaussian."""
    if not isinstance(likelihood, Gaussian):
        raise ValueError(f"likelihood must be gaussian for this method with these settings, not {likelihood.name}")
    return likelihood
