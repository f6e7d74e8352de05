"""The problem of a fit of functions, its stored result, and posteriors that are Gaussian processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, StepProgress
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.prediction.posterior import Marginals


class FunctionProblem(NamedTuple):
    """Data, the prior of the function, and the settings of the fit."""

    kernel: Covariance
    likelihood: Likelihood
    X: Array  # (n, inputs)
    y: Array  # (n,)
    inducing_points: Array | int  # (M, inputs)
    particles: int
    steps: int | None
    step_size: float | None  # see `ProjectedLangevinSampler`
    seed: int
    observed: Functionals | None = None

    def chosen_points(self, number: int | None) -> Array | int:
        """This number of inducing points, at most that of the data; None for the inducing points of the scenario."""
        if number is not None and number > len(self.X):
            most = f"at most the number of data, which is {len(self.X)}"
            raise ValueError(f"inducing_points must be {most}, not {number}")
        return self.inducing_points if number is None else number


class Fit(NamedTuple):
    """The result of a fit, as a folder stores it."""

    # (records, particles, dim): coefficients of the particles; for the exact process, values of the function at the
    # data
    positions: Array
    steps: NDArray[np.int64]  # (records,): step numbers of the records
    info: Facts  # facts that JSON can hold
    arrays: dict[str, Array]  # further arrays that the posterior needs, by name


@runtime_checkable
class Followable(Protocol):
    """A model that moves particles step by step, and can record them."""

    def follow(self, problem: FunctionProblem, progress: StepProgress | None = None, /) -> Fit: ...  # with records


@runtime_checkable
class Fitting(Protocol):
    """A model with settings that do not fit every covariance or number of inputs."""

    def fits(self, kernel: Covariance, inputs: int, /) -> None: ...  # a ValueError where they do not


@runtime_checkable
class Certifying(Protocol):
    """A model that guarantees a band for the exact process."""

    def guaranteed(self, problem: FunctionProblem, fit: Fit, X: Array, /) -> tuple[Array, Array] | None: ...


@dataclass
class GaussianPosterior:
    """The marginals and the samples of a model whose posterior is a Gaussian process.

    A sample takes one normal for each of the ``size`` coefficients and one for each input.
    """

    model: ExactGaussianProcess | SparseGaussianProcess
    draws: int  # number of functions that are sampled
    size: int
    seed: int

    def marginals(self, X: Array | Functionals) -> Marginals:
        """The distribution of the function at each input, or of each functional of it: one Gaussian."""
        with one_blas_thread():
            if isinstance(X, np.ndarray):
                mean, sd = self.model.predict(X, return_std=True)
            else:
                assert isinstance(self.model, ExactGaussianProcess)
                mean, sd = self.model.predict(X, return_std=True)
        return Marginals(mean[None], sd**2)

    def sample(self, X: Array) -> Array:
        """Draws of the function at these inputs together, (draws, n)."""
        normals = noise.normals(self.seed, "draws", self.draws, self.size + len(X))
        with one_blas_thread():
            return self.model.sample(X, normals)
