"""The sparse variational Gaussian process as a method of a scenario."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Likelihood, StepProgress, Storage
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.gp.natural_gradient import Law
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.kinds.functions.problem import Fit, FunctionProblem, GaussianPosterior


class SVGP:
    """The best approximation by inducing values; see `particlegvi.functionspace.SparseGaussianProcess`."""

    name = "SVGP"

    def check(self, likelihood: Likelihood) -> None:
        """Refuse a likelihood with a pole, whose bound has no maximum."""
        if likelihood.even:
            raise ValueError(
                f"the likelihood {likelihood.name} has a pole at f = 0, where the bound of SVGP has no maximum; "
                "leave the method out, or use PLS"
            )

    def fit(
        self, problem: FunctionProblem, progress: StepProgress | None = None, storage: Storage | None = None
    ) -> Fit:
        with one_blas_thread():
            model = self._model(problem).fit(problem.X, problem.y, keeper=storage)
            size = model.basis.size
            normals = noise.normals(problem.seed, "draws", problem.particles, size)
            draws = linalg.solve_triangular(model.law.factor, normals.T, lower=True, trans="T").T + model.law.mean
        arrays = {**packed(model.basis), **model.law._asdict()}
        facts = {**model.facts, "bound": model.bound, "likelihood": problem.likelihood.facts()}
        return Fit(draws[None], np.array([facts["iterations"]]), facts, arrays)

    def restore(self, problem: FunctionProblem, fit: Fit) -> GaussianPosterior:
        """The process as it was after its fit."""
        law = Law(*(fit.arrays[name] for name in Law._fields))
        model = self._model(problem).restored(unpacked(problem.kernel, fit.arrays), law)
        return GaussianPosterior(model, problem.particles, model.basis.size, problem.seed)

    def _model(self, problem: FunctionProblem) -> SparseGaussianProcess:
        return SparseGaussianProcess(problem.kernel, problem.likelihood, problem.inducing_points, seed=problem.seed)
