"""Default covariances: a squared exponential, with parameters fitted to the training rows.

The inputs have mean 0 and standard deviation 1. Distances between them are about ``sqrt(dim)``, and the searches begin
at this lengthscale. If there are many rows, a random part of them is used. Rows with equal inputs and targets count
once, since exact repetitions would make the noise vanish. The linear algebra library uses one thread, since the last
bits depend on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.covariances.squared_exponential import SquaredExponential
from particlegvi.functionspace.gp.hyperparameters import fit_hyperparameters
from particlegvi.functionspace.gp.laplace import fit_classification_hyperparameters
from particlegvi.tools.arguments import points, vector

REGRESSION_ROWS = 1000
SEARCHED_POINTS = 100  # number of inducing points in a search by the evidence lower bound
CLASSIFICATION_ROWS = 500


def default_kernel(inputs: int, shared: bool = False) -> Covariance:
    """The start of a search: a squared exponential with a lengthscale for each input, or a shared one."""
    middle = math.sqrt(inputs)
    return SquaredExponential(middle, 4.0) if shared else SquaredExponential(np.full(inputs, middle), 1.0)


@one_blas_thread()
def regression_covariance(
    X: ArrayLike, y: ArrayLike, kernel: KernelLike | None = None, noise_variance: float = 0.1, seed: int = 0
) -> tuple[Covariance, float]:
    """Fit the covariance and the noise variance to targets (n,) of mean 0 and standard deviation 1.

    The start is ``kernel``, by default with a lengthscale for each input. Two searches are made, one with a tenth of
    the noise and one with shorter lengthscales, and the likelier result is taken: a search from long lengthscales and
    much noise may explain all targets as noise. If all targets are 0, the start is returned unchanged.
    """
    x, t = _some(X, y, REGRESSION_ROWS, seed)
    start = covariances.of(default_kernel(x.shape[1]) if kernel is None else kernel)
    if not np.any(t):
        return start, noise_variance
    begin = ((start, 0.1 * noise_variance), (_shorter(start), noise_variance))
    found = [fit_hyperparameters(k, x, t, noise) for k, noise in begin]
    covariance, noise, _ = max(found, key=lambda fit: fit[2]["fits"][0]["log_marginal_likelihood"]["after"])
    return covariance, noise


@one_blas_thread()
def regression_covariance_by_bound(
    X: ArrayLike, y: ArrayLike, kernel: KernelLike | None = None, noise_variance: float = 0.1,
    inducing_points: int = SEARCHED_POINTS, seed: int = 0,
) -> tuple[Covariance, float, Facts]:  # fmt: skip
    """Fit the covariance and the noise variance by the highest evidence lower bound on all distinct rows; with facts.

    The better of two searches is taken: one from ``kernel``, by default with lengthscales of 1, and one from
    lengthscales of sqrt(dim) (`fit_hyperparameters`). Both use the given number of inducing points. If all targets are
    0, the start is returned unchanged, without facts.
    """
    x, t = _some(X, y, len(points("X", X)), seed)
    start = covariances.of(SquaredExponential(np.ones(x.shape[1]), 1.0) if kernel is None else kernel)
    if not np.any(t):
        return start, noise_variance, {}
    return fit_hyperparameters(start, x, t, noise_variance, bound="elbo", inducing_points=inducing_points, seed=seed)


@one_blas_thread()
def classification_covariance(
    X: ArrayLike, labels: ArrayLike, kernel: KernelLike | None = None, seed: int = 0
) -> Covariance:
    """Fit the covariance to labels (n,), 0 and 1, with the logistic link.

    The start is ``kernel``, by default with one lengthscale for all inputs: labels hold little information. With a
    lengthscale for each input the predictions of held-out rows were worse on most data sets of the thesis.
    """
    x, y = _some(X, labels, CLASSIFICATION_ROWS, seed)
    start = covariances.of(default_kernel(x.shape[1], shared=True) if kernel is None else kernel)
    if len(np.unique(y)) < 2:  # the rows drawn at random miss a rare class
        return start
    return fit_classification_hyperparameters(start, x, y)[0]


def _shorter(covariance: Covariance) -> Covariance:
    short = ["lengthscale" in name for name in covariance.parameter_names()]
    return covariance.with_log_parameters(covariance.log_parameters() + np.where(short, math.log(0.3), 0.0))


def _some(X: ArrayLike, y: ArrayLike, most: int, seed: int) -> tuple[Array, Array]:
    x = points("X", X)
    t = vector("y", y, len(x))
    distinct = np.sort(np.unique(np.column_stack([x, t]), axis=0, return_index=True)[1])
    rows = distinct[preprocessing.order(seed, "subsets", len(distinct))[:most]]
    return x[rows], t[rows]
