"""Exact Gaussian process regression, in O(n^3)."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.linalg import lapack

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.residuals.conditional import root
from particlegvi.tools.arguments import points, scale, vector
from particlegvi.tools.html import Card


class ExactGaussianProcess(Card):
    """``y_n = f(x_n) + noise`` with f a Gaussian process of mean zero and covariance k, in O(n^3).

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k.
    noise_variance : float
        Positive.

    Source: Rasmussen and Williams (2006), algorithm 2.1, (5.9).
    """

    def __init__(self, kernel: KernelLike, noise_variance: float) -> None:
        self.covariance = covariances.of(kernel)
        self.noise_variance = scale("noise_variance", noise_variance)

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Condition on inputs (n, dim) and targets (n,).

        Raises
        ------
        ValueError
            If X or y is no array of finite numbers of such shapes, or k(X, X) + noise_variance I is not positive
            definite within rounding: the noise variance is too small for inputs as near to each other as these.
        """
        self.X = points("X", X)
        self.y = vector("y", y, len(self.X))
        matrix = self.covariance(self.X)
        matrix.flat[:: len(matrix) + 1] += self.noise_variance
        try:
            self._factor = linalg.cholesky(matrix, lower=True, overwrite_a=True)
        except linalg.LinAlgError:
            largest = float(self.covariance.diagonal(self.X).max())
            raise ValueError(
                f"noise_variance is {self.noise_variance:.3g}, too small for rounding errors in a kernel matrix of "
                f"{len(self.X)} inputs with prior variance {largest:.3g}; a larger one is needed"
            ) from None
        self._weights = linalg.cho_solve((self._factor, True), self.y)
        return self

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The posterior mean of f, shape (n,), and with ``return_std`` its standard deviation, without the noise."""
        x = points("X", X, self.X.shape[1])
        cross = self.covariance(x, self.X)
        mean = cross @ self._weights
        if not return_std:
            return mean
        half = linalg.solve_triangular(self._factor, cross.T, lower=True)
        return mean, np.sqrt(np.maximum(self.covariance.diagonal(x) - np.sum(half**2, axis=0), 0.0))

    @one_blas_thread()
    def posterior_covariance(self, X: ArrayLike) -> Array:
        """The posterior covariance of f(X), shape (n, n)."""
        x = points("X", X, self.X.shape[1])
        half = linalg.solve_triangular(self._factor, self.covariance(self.X, x), lower=True)
        return self.covariance(x) - half.T @ half

    @one_blas_thread()
    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Posterior draws of f(X), shape (draws, n), from standard normals (draws, n)."""
        scale = float(np.max(self.covariance.diagonal(X), initial=0.0))
        return self.predict(X) + normals @ root(self.posterior_covariance(X), scale).T

    @one_blas_thread()
    def log_marginal_likelihood(self) -> float:
        """log p(y)."""
        n = len(self.y)
        log_root = np.sum(np.log(self._factor.diagonal()))
        return float(-0.5 * self.y @ self._weights - log_root - 0.5 * n * math.log(2.0 * math.pi))

    @one_blas_thread()
    def log_marginal_likelihood_gradient(self) -> Array:
        """Its gradient in the log parameters of the covariance and, last, in the log noise variance."""
        inverse, _ = lapack.dpotri(self._factor, lower=1)
        # half of d log p(y) / d matrix; dpotri fills one triangle
        half = 0.5 * (np.outer(self._weights, self._weights) - np.tril(inverse) - np.tril(inverse, -1).T)
        in_covariance = self.covariance.log_parameter_gradient(self.X, None, half)
        return np.append(in_covariance, self.noise_variance * np.trace(half))
