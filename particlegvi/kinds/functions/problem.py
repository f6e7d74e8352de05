"""What is fitted, and what a fit leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array

Progress = Callable[[int, int], None]


class Problem(NamedTuple):
    """Data, and the law that the function has before they are seen.

    Attributes
    ----------
    kernel : Covariance
    likelihood : likelihood
    X, y : array (n, inputs), array (n,)
    inducing_points : array (M, inputs) or int
    particles : int
    steps : int or None
    step_size : float or None
        As `ProjectedLangevinSampler` has them.
    seed : int
    """

    kernel: Any
    likelihood: Any
    X: Array
    y: Array
    inducing_points: Any
    particles: int
    steps: int | None
    step_size: float | None
    seed: int


class Fit(NamedTuple):
    """What a folder keeps of a fit.

    Attributes
    ----------
    positions : array (records, particles, dim)
        Coefficients of the particles; for the exact process values of the function at the data.
    steps : array (records,)
        Step numbers of the records.
    info : dict
        JSON-able facts.
    arrays : dict
        What else it takes to make the posterior anew, by name.
    """

    positions: Array
    steps: NDArray[np.int64]
    info: dict[str, Any]
    arrays: dict[str, Array]


class GaussianPosterior:
    """The marginals and the samples of a model whose posterior is a Gaussian process.

    Parameters
    ----------
    model
        With ``predict(X, return_std=True)`` and ``sample(X, normals)``.
    draws : int
        How many functions are sampled.
    size : int
        Of the coefficients, for which a sample needs normals beside those of the inputs.
    seed : int
    """

    def __init__(self, model: Any, draws: int, size: int, seed: int) -> None:
        self.model = model
        self.draws = draws
        self.size = size
        self.seed = seed

    def marginals(self, X: Array) -> Any:
        """The law of the function at each input: one Gaussian."""
        from particlegvi.engine.numerics.threads import one_blas_thread
        from particlegvi.functionspace.prediction import Marginals

        with one_blas_thread():
            mean, sd = self.model.predict(X, return_std=True)
        return Marginals(mean[None], sd**2)

    def sample(self, X: Array) -> Array:
        """Draws of the function at these inputs together, (draws, n)."""
        from particlegvi.engine.numerics import noise
        from particlegvi.engine.numerics.threads import one_blas_thread

        normals = noise.normals(self.seed, "draws", self.draws, self.size + len(X))
        with one_blas_thread():
            return self.model.sample(X, normals)
