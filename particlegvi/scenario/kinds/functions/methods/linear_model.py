"""Bayesian linear regression on the functions k(., z_m) as a method of a scenario."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from particlegvi.contracts import Array, Facts, StepProgress, Storage
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.linalg import root
from particlegvi.functionspace.linear.bayesian import BayesianLinearRegression
from particlegvi.functionspace.linear.sets import data_and_box
from particlegvi.functionspace.prediction.posterior import Marginals
from particlegvi.scenario.kinds.functions.methods.gp import OfGaussianNoise, gaussian
from particlegvi.scenario.kinds.functions.problem import Fit, FunctionProblem
from particlegvi.tools.arguments import whole, wholes

MOST = 1000  # largest number of inputs in a set
SETS = 200  # number of sets at which the values of a fit are compared with values of the prior


class BLR(OfGaussianNoise):
    """``y = sum_m w_m k(x, z_m) + noise`` with w ~ N(0, I) and the scenario's inducing points z_m.

    Parameters
    ----------
    kl, family, points, optimiser, steps
        Parameters of `particlegvi.functionspace.BayesianLinearRegression`, which takes the seed of the run.
    sizes : list of int, optional
        Numbers of inputs in a set for further fits, compared with the prior at such sets: for the figure
        ``measurement``.
    """

    name = "BLR"

    def __init__(
        self, kl: str = "exact", family: str = "full", points: int = 10, optimiser: str = "optimum",
        steps: int | None = None, sizes: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        self._settings: Facts = {"kl": kl, "family": family, "optimiser": optimiser, "steps": steps}
        self.points = whole("points", points, 1)
        BayesianLinearRegression(np.asarray, **self._settings)  # it checks them
        self.sizes = [] if sizes is None else wholes("sizes", sizes, MOST)

    def fit(self, problem: FunctionProblem, progress: StepProgress | None, storage: Storage | None) -> Fit:
        model = self._model(problem, self.points)
        numbers = {
            "objective": model.objective, "kl_to_posterior": model.kl_to_posterior(),
            "kl_to_prior": model.kl_to_prior(), "log_marginal_likelihood": model.log_marginal_likelihood(),
        }  # fmt: skip
        facts: Facts = {**model.facts, **{key: finite(number) for key, number in numbers.items()}}
        if self.sizes:
            facts["sizes"] = [self._compared(problem, number) for number in self.sizes]
        arrays = {"mean": model.mean, "covariance": model.covariance}
        return Fit(_draws(problem, arrays)[None], np.array([0]), facts, arrays)

    def restore(self, problem: FunctionProblem, fit: Fit) -> Posterior:
        """The distribution of the function as it was after the fit."""
        return Posterior(problem, fit.arrays)

    def _model(self, problem: FunctionProblem, points: int) -> BayesianLinearRegression:
        noise_variance = gaussian(problem.likelihood).noise_variance
        return BayesianLinearRegression(
            lambda X: _features(problem, X), noise_variance, points=points, seed=problem.seed, **self._settings
        ).fit(problem.X, problem.y)

    def _compared(self, problem: FunctionProblem, points: int) -> Facts:
        """KL of the fit with this number of inputs to the posterior and the prior: of weights, and at random sets."""
        model = self._model(problem, points)
        random = np.random.default_rng([problem.seed, points])
        at = [model.kl_to_prior(data_and_box(random, problem.X, points)) for _ in range(SETS)]
        numbers = {"kl_to_posterior": model.kl_to_posterior(), "kl_to_prior": model.kl_to_prior(),
                   "kl_at_sets": float(np.mean(at))}  # fmt: skip
        return {"points": points, **{key: finite(number) for key, number in numbers.items()}}


def finite(number: float) -> float | str:
    """The number, or "infinity", which JSON does not have."""
    return number if math.isfinite(number) else "infinity"


class Posterior:
    """The marginals and the samples of a linear model with Gaussian weights."""

    def __init__(self, problem: FunctionProblem, arrays: dict[str, Array]) -> None:
        self.problem, self.arrays = problem, arrays

    def marginals(self, X: Array) -> Marginals:
        """The distribution of the function at each input: one Gaussian."""
        with one_blas_thread():
            phi = _features(self.problem, X)
            mean, covariance = self.arrays["mean"], self.arrays["covariance"]
            variances = np.maximum(np.einsum("nk,kl,nl->n", phi, covariance, phi, optimize=True), 0.0)
            return Marginals((phi @ mean)[None], variances)

    def sample(self, X: Array) -> Array:
        """Draws of the function at these inputs together, (draws, n)."""
        return _draws(self.problem, self.arrays) @ _features(self.problem, X).T


def _draws(problem: FunctionProblem, arrays: dict[str, Array]) -> Array:
    with one_blas_thread():
        half = root(arrays["covariance"], float(arrays["covariance"].diagonal().max()))
        normals = noise.normals(problem.seed, "draws", problem.particles, len(half))
        return np.asarray(arrays["mean"] + normals @ half.T)


def _features(problem: FunctionProblem, X: Array) -> Array:
    """k(x_n, z_m); if the inducing points are given by number, they are spread evenly along each column of the data."""
    Z = problem.inducing_points
    if isinstance(Z, int):
        Z = np.linspace(problem.X.min(axis=0), problem.X.max(axis=0), Z)
    return problem.kernel(X, Z)
