"""Gaussian Wasserstein inference as a method of a scenario, with estimates of its distance by (4.15)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, StepProgress, Storage
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import means
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.prediction.posterior import Marginals
from particlegvi.functionspace.wasserstein.inference import GaussianWasserstein
from particlegvi.functionspace.wasserstein.process_distance import (
    CovarianceFunction,
    estimated_w2_squared,
    process_w2_squared,
    thesis_eigenvalues,
)
from particlegvi.functionspace.wasserstein.rules import checked_rule, checked_weight
from particlegvi.scenario.kinds.functions.methods.gp import OfGaussianNoise, gaussian
from particlegvi.scenario.kinds.functions.methods.svgp import WithPlacement
from particlegvi.scenario.kinds.functions.problem import Fit, FunctionProblem
from particlegvi.tools.arguments import whole, wholes
from particlegvi.tools.quoting import refuse

MEANS = ("inducing", "network")
ROUNDING = 1e-9  # relative to the largest eigenvalue; smaller ones count as zero
MOST = 2000


class GWI(OfGaussianNoise, WithPlacement):
    """A Gaussian process by the objective of Gaussian Wasserstein inference (`functionspace.GaussianWasserstein`).

    Parameters
    ----------
    mean : str
        "inducing", least squares on the functions of the inducing points (GWI-SVGP), or "network" (GWI-net).
    hidden, epochs, step_size, batch_size
        Parameters of the network; see `functionspace.means.MeanNetwork`.
    w2_weight : float or str
        The weight w of W2^2, or "unsquared" for (4.12), or "code" for the authors' program.
    covariance : str
        "closed" or "svgp".
    placement, inducing_points
        As for `WithPlacement`; the placement "elbo" learns the inducing points by the evidence bound.
    coordinates : int, optional
        Number of the first coordinates of the inputs that are used; all if not given.
    estimate : list of int, optional
        Numbers of points for further estimates of W2^2 from the prior by (4.15), for the figure ``estimates``.
    draws : int
        Number of draws of the points of each estimate.
    """

    name = "GWI"

    def __init__(
        self,
        mean: str = "inducing",
        hidden: Sequence[int] = (10, 10),
        epochs: int = 1000,
        step_size: float = 1e-2,
        batch_size: int = 1000,
        w2_weight: float | str = 1.0,
        *,
        covariance: str = "closed",
        placement: str = "greedy",
        inducing_points: int | None = None,
        coordinates: int | None = None,
        estimate: Sequence[int] | None = None,
        draws: int = 6,
    ) -> None:
        super().__init__(placement, inducing_points)
        if not isinstance(mean, str) or mean not in MEANS:
            raise refuse("mean", mean, " or ".join(f'"{word}"' for word in MEANS))
        self.mean = mean
        self.network = means.MeanNetwork(hidden, epochs, step_size, batch_size)
        self.w2_weight, self.covariance = checked_weight(w2_weight), checked_rule(covariance)
        self.coordinates = None if coordinates is None else whole("coordinates", coordinates, 1)
        self.estimates = None if estimate is None else Estimates(estimate, draws)

    def fits(self, kernel: Covariance, inputs: int) -> None:
        """Refuse coordinates that the inputs do not have."""
        if self.coordinates is not None and self.coordinates > inputs:
            raise refuse("coordinates", self.coordinates, f"a whole number from 1 to {inputs}, the inputs of the data")
        kernel(np.zeros((1, self.coordinates or inputs)))

    def fit(self, problem: FunctionProblem, progress: StepProgress | None, storage: Storage | None) -> Fit:
        model = self._model(problem).fit(problem.X[:, : self.coordinates], problem.y, None, progress)
        facts = {
            **model.info_, "objective": model.objective_, "w2": model.w2_squared_, "shrinkage": model.shrinkage_,
            "likelihood": problem.likelihood.facts(),
        }  # fmt: skip
        if self.estimates is not None:
            used = problem.X[:, : self.coordinates]
            facts["estimates"] = self.estimates.of(problem.kernel, model.covariance, used, problem.seed)
        posterior = WassersteinPosterior(model, problem.particles, self.coordinates)
        arrays = {**packed(model.basis), **model.state()}
        return Fit(posterior.sample(problem.X)[None], np.array([0]), facts, arrays)

    def restore(self, problem: FunctionProblem, fit: Fit) -> WassersteinPosterior:
        """The process as it was after its fit."""
        model = self._model(problem)
        model.restored(unpacked(problem.kernel, model.inducing_points, fit.arrays), fit.arrays)
        return WassersteinPosterior(model, problem.particles, self.coordinates)

    def _model(self, problem: FunctionProblem) -> GaussianWasserstein:
        Z = self.chosen_points(problem)
        return GaussianWasserstein(
            problem.kernel,
            gaussian(problem.likelihood),
            Z[:, : self.coordinates] if isinstance(Z, np.ndarray) else Z,
            copy(self.network) if self.mean == "network" else means.Inducing(),
            self.w2_weight,
            self.covariance,
            placement=self.placement,
            seed=problem.seed,
        )


@dataclass
class WassersteinPosterior:
    """The marginals and the samples of a fitted `GaussianWasserstein`.

    The model uses the first ``coordinates`` of an input, all for None.
    """

    model: GaussianWasserstein
    draws: int  # number of functions that are sampled
    coordinates: int | None

    def marginals(self, X: Array) -> Marginals:
        """The distribution of the function at each input: one Gaussian."""
        mean, sd = self.model.predict(X[:, : self.coordinates], return_std=True)
        return Marginals(mean[None], sd**2)

    def sample(self, X: Array) -> Array:
        """Draws of the function at these inputs together, (draws, n)."""
        return self.model.sample(X[:, : self.coordinates], self.draws)


class Estimates:
    """Estimates of W2^2 from the prior to itself and to the posterior, over the trace of the prior.

    ``points`` has numbers of points X_S; each estimate is made for so many ``draws`` of X_S.
    """

    def __init__(self, points: Sequence[int], draws: int) -> None:
        self.points = wholes("estimate", points, MOST)
        self.draws = whole("draws", draws, 2, 1000)

    @one_blas_thread()
    def of(self, prior: CovarianceFunction, posterior: CovarianceFunction, X: Array, seed: int) -> Facts:
        """The exact distances, mean and sd of the estimates, and the share of negative or complex eigenvalues.

        The spectrum belongs to the first draw with the largest number of points, and to the distance to the posterior.
        """
        if max(self.points) > len(X):
            raise refuse("estimate", max(self.points), f"numbers of at most {len(X)}, the rows of the data")
        trace = float(np.mean(np.diagonal(prior(X))))
        facts: Facts = {"points": self.points, "draws": self.draws, "inputs": X.shape[1]}
        random = np.random.default_rng(seed)
        places = [[X[random.choice(len(X), number, replace=False)] for _ in range(self.draws)]
                  for number in self.points]  # fmt: skip
        for name, other in (("itself", prior), ("posterior", posterior)):
            values = np.array([
                [estimated_w2_squared(prior, other, X, part) for part in drawn]
                for drawn in places
            ]) / trace  # fmt: skip
            exact = 0.0 if other is prior else process_w2_squared(prior, other, X) / trace
            facts[name] = {"exact": exact, "mean": values.mean(axis=1).tolist(),
                           "sd": values.std(axis=1, ddof=1).tolist()}  # fmt: skip
        spectra = [thesis_eigenvalues(prior, posterior, X, part) for part in places[-1]]
        bad = [improper(part) for part in spectra]
        order = np.argsort(-np.abs(spectra[0]), kind="stable")
        facts["improper"] = float(np.mean([part.mean() for part in bad]))
        facts["spectrum"] = {"sizes": np.abs(spectra[0])[order].tolist(), "improper": bad[0][order].tolist()}
        return facts


def improper(eigenvalues: NDArray[np.complex128]) -> NDArray[np.bool_]:
    """Whether each eigenvalue is negative or complex beyond rounding; a product of two covariances has none such."""
    least = ROUNDING * np.abs(eigenvalues).max(initial=0.0)
    return np.asarray((eigenvalues.real < -least) | (np.abs(eigenvalues.imag) > least))
