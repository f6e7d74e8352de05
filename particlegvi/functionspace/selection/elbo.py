"""Inducing points that maximise the evidence lower bound, with a Gaussian likelihood."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.reverse import factor, in_points, through_factor
from particlegvi.functionspace.selection.search import begin, minimise, placed
from particlegvi.functionspace.selection.selection import Selection, Targets
from particlegvi.tools.registry import named

BLOCK = 1000  # rows at a time


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


class Weights(NamedTuple):
    """The gradient of the bound in k(Z, Z) (M, M), in k(Z, X) (M, n), and in the log noise variance."""

    among: Array
    across: Array
    in_log_noise: float


class Derived(NamedTuple):
    """The value, its gradients in k(Z, Z) and in the log noise, and what gives that in k(Z, X): back @ block."""

    value: float
    among: Array
    in_log_noise: float
    back: Array  # (M, M + 1)
    blocks: list[Array]  # (M + 1, rows) each: L^-1 k(Z, X), and y


class CollapsedBound(NamedTuple):
    """Minus the evidence lower bound as a function of the inducing points and of all hyperparameters."""

    covariance: Covariance
    X: Array
    y: Array
    noise_variance: float

    def at(self, Z: Array) -> tuple[float, Array, Weights]:
        """The value at points (M, dim), its gradient in them (M, dim), and what `in_hyperparameters` takes.

        With L L^T = k(Z, Z), C = L^-1 k(Z, X), A = I + C C^T / s2, c = C y, t = tr(k(X, X)) - tr(C C^T):

            2 value = n log(2 pi s2) + log det A + y^T y / s2 - c^T A^-1 c / s2^2 + t / s2.
        """
        derived = self._derive(Z, [(slice(None), self.covariance(Z, self.X))])
        weights = Weights(derived.among, derived.back @ derived.blocks[0], derived.in_log_noise)
        return derived.value, in_points(self.covariance, Z, weights.among, (self.X, weights.across)), weights

    def everywhere(self, Z: Array) -> tuple[float, Array, Array]:
        """The value, its gradient in the points (M, dim), and that in the log parameters and the log noise variance.

        The rows are taken in blocks that stay in the processor's cache.
        """
        k, X, noise = self.covariance, self.X, self.noise_variance
        parts = [slice(first, first + BLOCK) for first in range(0, len(X), BLOCK)]
        made = [k.with_gradients(Z, X[rows]) for rows in parts]
        derived = self._derive(Z, [(rows, between) for rows, (between, _) in zip(parts, made, strict=True)])
        in_points = k.input_gradient(Z, Z, 2.0 * derived.among)
        in_logs = k.log_parameter_gradient(Z, None, derived.among)
        for (_, pull), C in zip(made, derived.blocks, strict=True):
            of_points, of_logs = pull(derived.back @ C)
            in_points += of_points
            in_logs += of_logs
        in_logs += k.diagonal_log_parameter_gradient(X, np.full(len(X), 0.5 / noise))
        return derived.value, in_points, np.append(in_logs, derived.in_log_noise)

    def in_hyperparameters(self, Z: Array, weights: Weights) -> Array:
        """The gradient in the log parameters of the covariance and, last, in the log noise variance."""
        k, X, noise = self.covariance, self.X, self.noise_variance
        gradient = k.log_parameter_gradient(Z, None, weights.among)
        gradient += k.log_parameter_gradient(Z, X, weights.across)
        gradient += k.diagonal_log_parameter_gradient(X, np.full(len(X), 0.5 / noise))
        return np.append(gradient, weights.in_log_noise)

    def _derive(self, Z: Array, parts: list[tuple[slice, Array]]) -> Derived:
        """From k(Z, X) in blocks of rows of X."""
        k, X, y, noise = self
        M = len(Z)
        L = factor(k(Z))
        G, c, blocks = np.zeros((M, M)), np.zeros(M), []
        for rows, between in parts:
            C = np.empty((M + 1, between.shape[1]))  # y is the last row: one product adds the outer product with it
            C[:M], C[M] = between, y[rows]
            blas.dtrsm(1.0, L, C[:M].T, side=1, lower=1, trans_a=1, overwrite_b=1)
            G += C[:M] @ C[:M].T
            c += C[:M] @ C[M]
            blocks.append(C)
        one = np.eye(M)
        A = linalg.cholesky(one + G / noise, lower=True)
        inverse = linalg.cho_solve((A, True), one)
        mean = inverse @ c / noise
        left = float(k.diagonal(X).sum()) - float(np.trace(G))
        constant = len(y) * math.log(2.0 * math.pi * noise) + 2.0 * float(np.sum(np.log(A.diagonal())))
        value = 0.5 * (constant + (float(y @ y) - float(c @ mean) + left) / noise)
        # gradients in G, then in C (2 in_g C - mean y^T / noise), then in k(Z, X) and through L in k(Z, Z)
        in_g = 0.5 * (inverse + np.outer(mean, mean) - one) / noise
        back = linalg.solve_triangular(L, np.column_stack([2.0 * in_g, -mean / noise]), lower=True, trans="T")
        in_factor = -back[:, :-1] @ G - np.outer(back[:, -1], c)  # minus the gradient in k(Z, X) times C^T
        squares = float(y @ y) - 2.0 * float(c @ mean) + float(mean @ G @ mean)
        in_log_noise = 0.5 * (len(y) - (float(np.sum(inverse * G)) + squares + left) / noise)
        return Derived(value, through_factor(L, in_factor), in_log_noise, back, blocks)
