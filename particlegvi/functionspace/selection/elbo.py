"""Inducing points that maximise the evidence lower bound, with a Gaussian likelihood."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.reverse import factor, in_points, through_factor
from particlegvi.functionspace.selection.search import begin, minimise, placed
from particlegvi.functionspace.selection.selection import Selection, Targets
from particlegvi.tools.registry import named

ROWS = 256  # of the diagonal of k(X, X) at a time


@named("elbo", uses_targets=True)
def elbo(covariance: Covariance, X: Array, count: int, seed: int, targets: Targets) -> Selection:
    """L-BFGS on the bound, with its exact gradient, from greedy points or those given.

    O(n M^2) time for each step. The bound has several maxima; the one found depends on the start. The facts have
    ``start``, ``iterations``, ``converged``, the ``objective`` (minus the bound, in nats) before and after, and
    ``at_bound``.

    Source: Titsias (2009), (9).
    """
    problem = CollapsedBound(covariance, X, targets.y, targets.noise_variance)
    start, origin = begin(covariance, X, count, seed, targets)
    points, facts = minimise(lambda Z: problem.at(Z)[:2], start, X)
    return placed("elbo", points, count, seed, {"start": origin, **facts})


class CollapsedBound(NamedTuple):
    """Minus the evidence lower bound as a function of the inducing points and of all hyperparameters."""

    covariance: Covariance
    X: Array
    y: Array
    noise_variance: float

    def at(self, Z: Array) -> tuple[float, Array, Array]:
        """The value at points (M, dim), its gradient in them (M, dim), and the weights of `in_hyperparameters`.

        With L L^T = k(Z, Z), C = L^-1 k(Z, X), A = I + C C^T / s2, c = C y, t = tr(k(X, X)) - tr(C C^T):

            2 value = n log(2 pi s2) + log det A + y^T y / s2 - c^T A^-1 c / s2^2 + t / s2.
        """
        value, weights = self._derive(Z)
        return value, in_points(self.covariance, Z, weights[:, : len(Z)], (self.X, weights[:, len(Z) :])), weights

    def in_hyperparameters(self, Z: Array, weights: Array) -> Array:
        """The gradient in the log parameters of the covariance and, last, in the log noise variance."""
        k, X, y, noise = self
        M = len(Z)
        gradient = k.log_parameter_gradient(Z, None, weights[:, :M])
        gradient += k.log_parameter_gradient(Z, X, weights[:, M:])
        for first in range(0, len(X), ROWS):
            rows = X[first : first + ROWS]
            gradient += k.log_parameter_gradient(rows, None, np.eye(len(rows)) * (0.5 / noise))
        L, C, G, A = self._matrices(Z)
        inverse = linalg.cho_solve((A, True), np.eye(M))
        c = C @ y
        mean = inverse @ c / noise
        left = float(k.diagonal(X).sum()) - float(np.trace(G))
        of_determinant = np.sum(inverse * G) / noise
        squares = y @ y / noise - 2.0 * (c @ mean) / noise + mean @ G @ mean / noise
        return np.append(gradient, 0.5 * (len(y) - of_determinant - squares - left / noise))

    def _matrices(self, Z: Array) -> tuple[Array, Array, Array, Array]:
        L = factor(self.covariance(Z))
        C = linalg.solve_triangular(L, self.covariance(Z, self.X), lower=True)
        G = C @ C.T
        return L, C, G, linalg.cholesky(np.eye(len(Z)) + G / self.noise_variance, lower=True)

    def _derive(self, Z: Array) -> tuple[float, Array]:
        _, X, y, noise = self
        L, C, G, A = self._matrices(Z)
        one = np.eye(len(Z))
        inverse = linalg.cho_solve((A, True), one)
        c = C @ y
        mean = inverse @ c / noise
        left = float(self.covariance.diagonal(X).sum()) - float(np.trace(G))
        constant = len(y) * math.log(2.0 * math.pi * noise) + 2.0 * float(np.sum(np.log(A.diagonal())))
        value = 0.5 * (constant + (float(y @ y) - float(c @ mean) + left) / noise)
        # gradients in G, then in C, then in k(Z, X) and through L in k(Z, Z)
        in_g = 0.5 * (inverse + np.outer(mean, mean) - one) / noise
        in_c = 2.0 * in_g @ C - np.outer(mean, y) / noise
        across = linalg.solve_triangular(L, in_c, lower=True, trans="T")
        return value, np.hstack([through_factor(L, -across @ C.T), across])
