"""Exact Gaussian process regression, in O(n^3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.linalg import lapack

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, functionals
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals, Points
from particlegvi.functionspace.linalg import root_for_draws
from particlegvi.tools.arguments import points, refuse, scale, vector
from particlegvi.tools.html import Card


class ExactGaussianProcess(Card):
    """``y_n = f(x_n) + noise`` with f a Gaussian process of mean zero and covariance k, in O(n^3).

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k.
    noise_variance : float
        Noise variance of an observation, positive.
    mean : function, optional
        The prior mean, mean(X) for inputs (n, dim), (n,). Zero if not given.

    Source: Rasmussen and Williams (2006), algorithm 2.1, (5.9).
    """

    def __init__(self, kernel: KernelLike, noise_variance: float, mean: Callable[[Array], Array] | None = None) -> None:
        self.covariance = covariances.of(kernel)
        self.noise_variance = scale("noise_variance", noise_variance)
        if mean is not None and not callable(mean):
            raise refuse("mean", mean, "a function of inputs, or None")
        self.mean = mean

    @one_blas_thread()
    def fit(self, X: ArrayLike | Functionals, y: ArrayLike) -> Self:
        """Condition on inputs (n, dim), or on n functionals, and targets (n,).

        Raises
        ------
        ValueError
            If k(X, X) + noise_variance I is not positive definite within rounding: the noise variance is too small for
            inputs so close to each other.
        """
        self.observed = functionals.of(X)
        self.X = self.observed.X if isinstance(self.observed, Points) else np.empty((0, self.observed.inputs))
        matrix = self.observed.gram(self.covariance)
        self.y = vector("y", y, len(matrix))
        self._left = self.y - self._mean(self.observed)
        matrix.flat[:: len(matrix) + 1] += self.noise_variance
        try:
            self._factor = linalg.cholesky(matrix, lower=True, overwrite_a=True)
        except linalg.LinAlgError:
            largest = float(self.observed.diagonal(self.covariance).max())
            raise ValueError(
                f"noise_variance must be larger than {self.noise_variance:.3g}: rounding makes the kernel matrix of "
                f"{len(matrix)} inputs with prior variance {largest:.3g} indefinite"
            ) from None
        self._weights = linalg.cho_solve((self._factor, True), self._left)
        return self

    @one_blas_thread()
    def predict(self, X: ArrayLike | Functionals, return_std: bool = False) -> Any:
        """The posterior mean of f, shape (n,), and with ``return_std`` its standard deviation, without the noise.

        If X is a set of functionals, the result is for these functionals of f: thesis (3.4) and (3.5), with the means
        that (3.4) omits.
        """
        x = self._places(X)
        cross = x.between(self.covariance, self.observed)
        mean = cross @ self._weights
        if self.mean is not None:
            mean = mean + self._mean(x)
        if not return_std:
            return mean
        half = linalg.solve_triangular(self._factor, cross.T, lower=True)
        return mean, np.sqrt(np.maximum(x.diagonal(self.covariance) - np.sum(half**2, axis=0), 0.0))

    def _places(self, X: ArrayLike | Functionals) -> Functionals:
        return X if isinstance(X, Functionals) else Points(points("X", X, self.observed.inputs))

    def _mean(self, x: Functionals) -> Array | float:
        return 0.0 if self.mean is None else vector("mean(X)", x.apply(self.mean), len(x))

    @one_blas_thread()
    def posterior_covariance(self, X: ArrayLike | Functionals) -> Array:
        """The posterior covariance of f(X), shape (n, n)."""
        x = self._places(X)
        half = linalg.solve_triangular(self._factor, self.observed.between(self.covariance, x), lower=True)
        return x.gram(self.covariance) - half.T @ half

    @one_blas_thread()
    def sample(self, X: ArrayLike | Functionals, normals: Array) -> Array:
        """Posterior draws of f(X), or of functionals of f, shape (draws, n), from standard normals (draws, n)."""
        scale = float(np.max(self._places(X).diagonal(self.covariance), initial=0.0))
        return self.predict(X) + normals @ root_for_draws(self.posterior_covariance(X), scale).T

    @one_blas_thread()
    def log_marginal_likelihood(self) -> float:
        """log p(y)."""
        n = len(self.y)
        log_root = np.sum(np.log(self._factor.diagonal()))
        return float(-0.5 * self._left @ self._weights - log_root - 0.5 * n * math.log(2.0 * math.pi))

    @one_blas_thread()
    def log_marginal_likelihood_gradient(self) -> Array:
        """The gradient of log p(y) in the log parameters of the covariance and, last, in the log noise variance."""
        if not isinstance(self.observed, Points):
            raise ValueError("the gradient of the log marginal likelihood needs a fit to points, not to functionals")
        inverse, _ = lapack.dpotri(self._factor, lower=1)
        # Half of d log p(y) / d matrix; dpotri fills one triangle only.
        half = 0.5 * (np.outer(self._weights, self._weights) - np.tril(inverse) - np.tril(inverse, -1).T)
        in_covariance = self.covariance.gradients(self.X, self.X, half)[1]
        return np.append(in_covariance, self.noise_variance * np.trace(half))
