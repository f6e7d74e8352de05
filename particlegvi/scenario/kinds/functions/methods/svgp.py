"""Sparse Gaussian processes as methods of a scenario: SVGP with points or features, and the subset of regressors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from particlegvi.contracts import Array, Facts, Likelihood, StepProgress, Storage
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import divergences, selection
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.certificate import Fitted, certify
from particlegvi.functionspace.gp.coefficient_law import Law
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess, SubsetOfRegressors
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.scenario.kinds.functions.features import features_of
from particlegvi.scenario.kinds.functions.keys import MOST_FEATURES
from particlegvi.scenario.kinds.functions.methods.gp import OfGaussianNoise, gaussian
from particlegvi.scenario.kinds.functions.problem import Fit, FunctionProblem, GaussianPosterior
from particlegvi.tools.arguments import flag, whole, wholes
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import one_of

ERRORS = 1.959964  # standard deviations on either side of the mean have 95% of a Gaussian
GRID = 1000  # inputs at which a process is compared with the exact one


class WithPlacement:
    """The base of models with inducing points.

    Parameters
    ----------
    placement : str
        A rule of `particlegvi.functionspace.selection`.
    inducing_points : int, optional
        Number of inducing points; the scenario's number if not given.
    compare : bool
        Whether ``summary.json`` has the distance to the exact process, which takes O(n^3).
    """

    def __init__(self, placement: str = "greedy", inducing_points: int | None = None, compare: bool = False) -> None:
        self.placement = one_of("selection", placement, selection.names())
        self.inducing_points = None if inducing_points is None else whole("inducing_points", inducing_points, 1)
        self.compare = flag("compare", compare)

    def chosen_points(self, problem: FunctionProblem, number: int | None = None) -> Array | int:
        """So many inducing points, or the method's own number; without one, the inducing points of the scenario."""
        return problem.chosen_points(self.inducing_points if number is None else number)


class Sparse(WithPlacement):
    """The base of sparse Gaussian processes: their fit, and the process of a stored fit."""

    def fit(self, problem: FunctionProblem, progress: StepProgress | None, storage: Storage | None) -> Fit:
        with one_blas_thread():
            model = self._model(problem).fit(problem.X, problem.y)
            draws = model.law.draws(noise.normals(problem.seed, "draws", problem.particles, model.basis.size))
        facts = {**model.facts, **self._facts(problem, model)}
        steps = 0 if facts["method"] == "closed form" else facts["iterations"]  # without iterations of a point search
        return Fit(draws[None], np.array([steps]), facts, {**packed(model.basis), **model.law._asdict()})

    def restore(self, problem: FunctionProblem, fit: Fit) -> GaussianPosterior:
        """The process as it was after its fit."""
        law = Law(*(fit.arrays[name] for name in Law._fields))
        model = self._model(problem)
        model.restored(unpacked(problem.kernel, model.inducing_points, fit.arrays), law)
        return GaussianPosterior(model, problem.particles, model.basis.size, problem.seed)

    def _model(self, problem: FunctionProblem, number: int | None = None) -> SparseGaussianProcess:
        raise NotImplementedError

    def _facts(self, problem: FunctionProblem, model: SparseGaussianProcess) -> Facts:
        """Facts beside those of the model."""
        return compared(problem, model) if self.compare else {}


class SVGP(Sparse):
    """The best approximation by inducing values; see `particlegvi.functionspace.SparseGaussianProcess`.

    Parameters
    ----------
    placement, inducing_points, compare
        As for `WithPlacement`; the placements "elbo" and "fisher" need the Gaussian likelihood.
    features : table, optional
        Functionals instead of inducing points: ``{name = "fourier", low, high, frequencies, ends}`` or
        ``{name = "windows", low, high, count, width}``, evenly placed; or ``{name = "mercer", mean, sd, size}``.
    sizes : list of int, optional
        Numbers of inducing points or features for which the bound is computed as well, for the figure
        ``bound``.
    """

    name = "SVGP"

    def __init__(
        self,
        placement: str = "greedy",
        inducing_points: int | None = None,
        compare: bool = False,
        features: Facts | None = None,
        sizes: Sequence[int] | None = None,
    ) -> None:
        super().__init__(placement, inducing_points, compare)
        self.features = features
        self.sizes = [] if sizes is None else wholes("sizes", sizes, MOST_FEATURES)

    def check(self, likelihood: Likelihood) -> None:
        """Refuse a likelihood with a pole (its bound has no maximum), and a search unless it is Gaussian."""
        if self.compare or selection.uses_targets(self.placement):
            gaussian(likelihood)
        if likelihood.even:
            raise ValueError(
                f"the likelihood {likelihood.name} has a pole at f = 0, where the bound of SVGP has no maximum; "
                "leave the method out, or use PLS"
            )

    def fits(self, kernel: Covariance, inputs: int) -> None:
        """Refuse features that the covariance does not allow, or with another number of inputs."""
        if self.features is not None:
            for number in (None, *self.sizes):
                features_of(self.features, kernel, inputs, number)

    def _facts(self, problem: FunctionProblem, model: SparseGaussianProcess) -> Facts:
        facts = {"bound": model.bound, "likelihood": problem.likelihood.facts(), **super()._facts(problem, model)}
        return facts | ({"bounds": [self._bound(problem, number) for number in self.sizes]} if self.sizes else {})

    def guaranteed(self, problem: FunctionProblem, fit: Fit, X: Array) -> tuple[Array, Array] | None:
        """The ends of a band at inputs (n, dim) within which the 95% band of the exact process lies, (n,) each.

        None if the likelihood is not Gaussian, if means or slopes were observed, or without inducing points.
        """
        if not isinstance(problem.likelihood, Gaussian) or problem.observed is not None or self.features is not None:
            return None
        basis, law = Nystroem.restore(problem.kernel, fit.arrays), Law(*(fit.arrays[name] for name in Law._fields))
        certificate = certify(Fitted(basis, law, problem.X, problem.y, problem.likelihood.noise_variance))
        mean, reach = basis.features(X) @ law.mean, ERRORS * certificate.sd_range(X)[1] + certificate.mean_error(X)
        return mean - reach, mean + reach

    def _bound(self, problem: FunctionProblem, number: int) -> Facts:
        """The evidence lower bound for this number of points, frequencies or windows, and the number of features."""
        if self.features is None and number > len(problem.X):
            raise refuse("sizes", number, f"numbers of at most {len(problem.X)}, the rows of the data")
        with one_blas_thread():
            model = self._model(problem, number).fit(problem.X, problem.y)
        return {"number": number, "features": model.basis.size, "bound": model.bound}

    def _model(self, problem: FunctionProblem, number: int | None = None) -> SparseGaussianProcess:
        if self.features is not None:
            of = features_of(self.features, problem.kernel, problem.X.shape[1], number)
            return SparseGaussianProcess(problem.kernel, problem.likelihood, of, seed=problem.seed)
        points = self.chosen_points(problem, number)
        return SparseGaussianProcess(
            problem.kernel, problem.likelihood, points, seed=problem.seed, placement=self.placement
        )


def compared(problem: FunctionProblem, model: SparseGaussianProcess) -> Facts:
    """KL to the exact process in nats, and root mean square errors of mean and sd over the range of the data."""
    exact = ExactGaussianProcess(problem.kernel, gaussian(problem.likelihood).noise_variance)
    exact.fit(problem.X, problem.y)
    grid = np.linspace(problem.X.min(axis=0), problem.X.max(axis=0), GRID)
    (mean, sd), (right, exact_sd) = model.predict(grid, True), exact.predict(grid, True)
    divergence = divergences.kl(model, exact)
    errors = [float(np.sqrt(np.mean(error**2))) for error in (mean - right, sd - exact_sd)]
    shown = divergence if np.isfinite(divergence) else "infinity"
    return {"exact": {"kl": shown, "mean_error": errors[0], "sd_error": errors[1]}}


class SoR(OfGaussianNoise, Sparse):
    """The degenerate process of M regressors; see `particlegvi.functionspace.SubsetOfRegressors`."""

    name = "SoR"

    def _model(self, problem: FunctionProblem, number: int | None = None) -> SubsetOfRegressors:
        noise_variance = gaussian(problem.likelihood).noise_variance
        points = self.chosen_points(problem)
        return SubsetOfRegressors(problem.kernel, noise_variance, points, self.placement, problem.seed)
