"""Inducing points that maximise the evidence lower bound, with a Gaussian likelihood."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.covariances.covariance import Covariance, padded
from particlegvi.functionspace.linalg import factor, in_points, through_factor
from particlegvi.functionspace.selection.blocks import Blocks, Scratch, projected
from particlegvi.functionspace.selection.search import begin, kink, minimise, placed
from particlegvi.functionspace.selection.selection import Selection, Targets
from particlegvi.tools.registry import named


@named("elbo", uses_targets=True)
def elbo(covariance: Covariance, X: Array, count: int, seed: int, targets: Targets) -> Selection:
    """L-BFGS on the bound, with its exact gradient, from greedy points or from given points.

    Each step takes O(n M^2) time. The bound has several maxima, so that the result depends on the start. The facts have
    ``start``, ``iterations``, ``converged``, the ``objective`` (minus the bound, in nats) before and after,
    ``at_bound``, and ``kink`` if the covariance has a kink, as Matern-1/2 has.

    Source: Titsias (2009), (9).
    """
    problem = CollapsedBound(covariance, X, targets.y, targets.noise_variance)
    start, origin = begin(covariance, X, count, seed, targets)
    points, facts = minimise(lambda Z: problem.at(Z)[:2], start, X)
    return placed("elbo", points, count, seed, {"start": origin, **facts, **kink(covariance)})


class Weights(NamedTuple):
    """The gradient of the bound in k(Z, Z) (M, M), in k(Z, X) (M, n), and in the log noise variance."""

    among: Array
    across: Array
    in_log_noise: float


class Derived(NamedTuple):
    """The value, its gradients in k(Z, Z) and the log noise, and the factor ``back`` of the one in k(Z, X)."""

    value: float
    among: Array
    in_log_noise: float
    back: Array  # (M, M + 1); the gradient in k(Z, X) is back @ [C; y]


class CollapsedBound(NamedTuple):
    """Minus the evidence lower bound as a function of the inducing points and of all hyperparameters."""

    covariance: Covariance
    X: Array
    y: Array
    noise_variance: float
    scratch: Scratch | None = None  # memory for a search that calls `everywhere` many times

    def at(self, Z: Array) -> tuple[float, Array, Weights]:
        """The value at points (M, dim), its gradient in them (M, dim), and the weights for `in_hyperparameters`.

        With L L^T = k(Z, Z), C = L^-1 k(Z, X), A = I + C C^T / s2, c = C y, t = tr(k(X, X)) - tr(C C^T):

            2 value = n log(2 pi s2) + log det A + y^T y / s2 - c^T A^-1 c / s2^2 + t / s2.
        """
        L, M = factor(self.covariance(Z)), len(Z)
        both = np.empty((M + 1, len(self.X)))
        both[:M], both[M] = self.covariance(Z, self.X), self.y
        derived = self._derive(L, *projected(L, both))
        weights = Weights(derived.among, derived.back @ both, derived.in_log_noise)
        return derived.value, in_points(self.covariance, Z, weights.among, (self.X, weights.across)), weights

    @one_blas_thread()
    def everywhere(self, Z: Array) -> tuple[float, Array, Array]:
        """The value and its gradients in the points (M, dim) and in the log parameters and the log noise variance.

        The rows are taken in blocks that stay in the processor's cache, in parallel on all threads.
        """
        k, X, noise, M = self.covariance, self.X, self.noise_variance, len(Z)
        L = factor(k(Z))
        blocks = Blocks(k, Z, X, self.y, self.scratch or Scratch())
        derived = self._derive(L, *blocks.forward(L))
        across, in_logs = blocks.backward(derived.back)
        among = np.zeros((M, padded(M)))
        np.multiply(derived.among, 2.0, out=among[:, :M])
        in_points, twice = k.between(Z, Z, among.shape[1]).gradients(among)
        in_logs += 0.5 * twice + k.diagonal_log_parameter_gradient(X, np.full(len(X), 0.5 / noise))
        return derived.value, in_points + across, np.append(in_logs, derived.in_log_noise)

    def in_hyperparameters(self, Z: Array, weights: Weights) -> Array:
        """The gradient in the log parameters of the covariance and, last, in the log noise variance."""
        k, X, noise = self.covariance, self.X, self.noise_variance
        gradient = k.log_parameter_gradient(Z, None, weights.among)
        gradient += k.log_parameter_gradient(Z, X, weights.across)
        gradient += k.diagonal_log_parameter_gradient(X, np.full(len(X), 0.5 / noise))
        return np.append(gradient, weights.in_log_noise)

    def _derive(self, L: Array, G: Array, c: Array) -> Derived:
        """The value and its gradients, from G = C C^T and c = C y."""
        k, X, y, noise = self[:4]
        M = len(L)
        one = np.eye(M)
        A = linalg.cholesky(one + G / noise, lower=True)
        inverse = linalg.cho_solve((A, True), one)
        mean = inverse @ c / noise
        left = float(k.diagonal(X).sum()) - float(np.trace(G))
        constant = len(y) * math.log(2.0 * math.pi * noise) + 2.0 * float(np.sum(np.log(A.diagonal())))
        value = 0.5 * (constant + (float(y @ y) - float(c @ mean) + left) / noise)
        # The gradients in G, then in C (2 in_g C - mean y^T / noise), then in k(Z, X), and through L in k(Z, Z).
        in_g = 0.5 * (inverse + np.outer(mean, mean) - one) / noise
        back = linalg.solve_triangular(L, np.column_stack([2.0 * in_g, -mean / noise]), lower=True, trans="T")
        in_factor = -back[:, :-1] @ G - np.outer(back[:, -1], c)  # minus the gradient in k(Z, X) times C^T
        squares = float(y @ y) - 2.0 * float(c @ mean) + float(mean @ G @ mean)
        in_log_noise = 0.5 * (len(y) - (float(np.sum(inverse * G)) + squares + left) / noise)
        return Derived(value, through_factor(L, in_factor), in_log_noise, back)
