"""A subset of regressors as a method of a scenario: the mean of a sparse process without its residual."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Likelihood, StepProgress, Storage
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import selection
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.gp.coefficient_law import Law
from particlegvi.functionspace.gp.subsets import SubsetOfRegressors
from particlegvi.scenario.kinds.functions.methods.gp import gaussian
from particlegvi.scenario.kinds.functions.methods.svgp import compared, number_of_points
from particlegvi.scenario.kinds.functions.problem import Fit, FunctionProblem, GaussianPosterior
from particlegvi.tools.arguments import flag, whole
from particlegvi.tools.registry import look_up


class SoR:
    """The degenerate process of M regressors; see `particlegvi.functionspace.SubsetOfRegressors`.

    Parameters
    ----------
    placement : str
        A rule of `particlegvi.functionspace.selection`.
    inducing_points : int, optional
        Number of inducing points; the scenario's number if not given.
    compare : bool
        Whether ``summary.json`` has the distance to the exact process, which takes O(n^3).
    """

    name = "SoR"

    def __init__(self, placement: str = "greedy", inducing_points: int | None = None, compare: bool = False) -> None:
        self.placement: str = look_up("selection", placement, dict.fromkeys(selection.names(), placement))
        self.inducing_points = None if inducing_points is None else whole("inducing_points", inducing_points, 1)
        self.compare = flag("compare", compare)

    def check(self, likelihood: Likelihood) -> None:
        """Refuse a likelihood that is not Gaussian."""
        gaussian(likelihood)

    def fit(
        self, problem: FunctionProblem, progress: StepProgress | None = None, storage: Storage | None = None
    ) -> Fit:
        with one_blas_thread():
            model = self._model(problem).fit(problem.X, problem.y)
            law, basis = model.law, model.with_residual.basis
            normals = noise.normals(problem.seed, "draws", problem.particles, basis.size)
            draws = linalg.solve_triangular(law.factor, normals.T, lower=True, trans="T").T + law.mean
        facts = {**model.facts, **(compared(problem, model, float("inf")) if self.compare else {})}
        return Fit(draws[None], np.array([0]), facts, {**packed(basis), **law._asdict()})

    def restore(self, problem: FunctionProblem, fit: Fit) -> GaussianPosterior:
        """The process as it was after its fit."""
        model = self._model(problem)
        law = Law(*(fit.arrays[name] for name in Law._fields))
        model.with_residual.restored(unpacked(problem.kernel, fit.arrays), law)
        return Degenerate(model, problem.particles, 0, problem.seed)

    def _model(self, problem: FunctionProblem) -> SubsetOfRegressors:
        noise_variance = gaussian(problem.likelihood).noise_variance
        points = number_of_points(problem, self.inducing_points)
        return SubsetOfRegressors(problem.kernel, noise_variance, points, self.placement, problem.seed)


class Degenerate(GaussianPosterior):
    """The marginals and samples of a degenerate process, whose functions lie in a space of few dimensions."""

    def sample(self, X: Array) -> Array:
        """Draws of the function at these inputs together, (draws, n)."""
        assert isinstance(self.model, SubsetOfRegressors)
        normals = noise.normals(self.seed, "draws", self.draws, len(self.model.law.mean))
        with one_blas_thread():
            return self.model.sample(X, normals)
