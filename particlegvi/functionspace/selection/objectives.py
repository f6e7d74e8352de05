"""Inducing points by an objective, with a Gaussian likelihood: the evidence lower bound, or the Fisher divergence.

For the bound the parts of k(Z, X) are made in blocks of rows of X that stay in the processor's cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance, padded
from particlegvi.functionspace.linalg import factor, in_gram, in_points
from particlegvi.functionspace.selection.rules import Selection, Targets, searched
from particlegvi.tools.registry import named

ROWS = 768  # largest number of rows of a block
GROUPS = 8  # largest number of groups of blocks; their sums are added in a fixed order on any number of threads


class Scratch:
    """Memory for the blocks, reused by all steps of a search: allocating it takes as long as the products of a step."""

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = ()
        self.blocks: list[Array] = []  # (M + 1, columns) each
        self.weights: list[Array] = []  # flat, one for each group

    def fit(self, M: int, columns: int, blocks: int, groups: int) -> None:
        """Allocate the memory, unless it is already large enough."""
        if self.shape != (M, columns, blocks, groups):
            self.shape = (M, columns, blocks, groups)
            self.blocks = [np.empty((M + 1, columns)) for _ in range(blocks)]
            self.weights = [np.empty((M, columns)) for _ in range(groups)]


class Blocks:
    """The rows of X in blocks, and the blocks in groups that are computed in parallel."""

    def __init__(self, k: Covariance, Z: Array, X: Array, y: Array, scratch: Scratch) -> None:
        self.k, self.Z, self.y, self.scratch = k, Z, y, scratch
        count = -(-len(X) // ROWS)
        size = -(-len(X) // count)
        self.parts = [slice(first, first + size) for first in range(0, len(X), size)]
        self.groups = np.array_split(np.arange(len(self.parts)), min(GROUPS, len(self.parts)))
        scratch.fit(len(Z), padded(size), len(self.parts), len(self.groups))
        self.between = [k.between(Z, X[part], padded(size)) for part in self.parts]

    def forward(self, L: Array) -> tuple[Array, Array]:
        """G = C C^T and c = C y for C = L^-1 k(Z, X); the blocks become [C; y]."""
        M = len(L)
        G, c = np.zeros((len(self.groups), M, M)), np.zeros((len(self.groups), M))

        def work(group: int, number: int) -> None:
            both, y = self.scratch.blocks[number], self.y[self.parts[number]]
            self.between[number].fill(both[:M])
            both[M, : len(y)], both[M, len(y) :] = y, 0.0
            blas.dtrsm(1.0, L, both[:M].T, side=1, lower=1, trans_a=1, overwrite_b=1)
            G[group] += both[:M] @ both[:M].T
            c[group] += both[:M] @ both[M]

        self._each(work)
        return G.sum(axis=0), c.sum(axis=0)

    def backward(self, back: Array) -> tuple[Array, Array]:
        """The gradients in Z and in the log parameters; the gradient in k(Z, X) is back (M, M + 1) @ [C; y]."""
        in_points = np.zeros((len(self.groups), *self.Z.shape))
        in_logs = np.zeros((len(self.groups), len(self.k.log_parameters())))

        def work(group: int, number: int) -> None:
            weights = np.matmul(back, self.scratch.blocks[number], out=self.scratch.weights[group])
            of_points, of_logs = self.between[number].gradients(weights)
            in_points[group] += of_points
            in_logs[group] += of_logs

        self._each(work)
        return in_points.sum(axis=0), in_logs.sum(axis=0)

    def _each(self, work: Callable[[int, int], None]) -> None:
        """``work(group, number)`` for every block, in order within a group."""

        def several(first: int, last: int) -> None:
            for group in range(first, last):
                for number in self.groups[group]:
                    work(group, number)

        threads.split(several, len(self.groups))


@named("elbo", uses_targets=True)
def elbo(covariance: Covariance, X: Array, count: int, seed: int, targets: Targets) -> Selection:
    """L-BFGS on the bound, with its exact gradient, from greedy points or from given points.

    Each step takes O(n M^2) time. The bound has several maxima, so that the result depends on the start. The facts have
    ``start``, ``iterations``, ``converged``, the ``objective`` (minus the bound, in nats) before and after,
    ``at_bound``, and ``kink`` if the covariance has a kink, as Matern-1/2 has.

    Source: Titsias (2009), (9).
    """
    problem = CollapsedBound(covariance, X, targets.y, targets.noise_variance)
    return searched("elbo", problem.at, covariance, X, count, seed=seed, targets=targets)


class BoundDerivatives(NamedTuple):
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

    def at(self, Z: Array) -> tuple[float, Array]:
        """The value at points (M, dim), and its gradient in them (M, dim)."""
        return self.everywhere(Z)[:2]

    @one_blas_thread()
    def everywhere(self, Z: Array) -> tuple[float, Array, Array]:
        """The value and its gradients in the points (M, dim) and in the log parameters and the log noise variance.

        With L L^T = k(Z, Z), C = L^-1 k(Z, X), A = I + C C^T / s2, c = C y, t = tr(k(X, X)) - tr(C C^T):

            2 value = n log(2 pi s2) + log det A + y^T y / s2 - c^T A^-1 c / s2^2 + t / s2.

        The rows are taken in blocks that stay in the processor's cache, in parallel on all threads.
        """
        k, X, noise, M = self.covariance, self.X, self.noise_variance, len(Z)
        L = factor(k(Z))
        blocks = Blocks(k, Z, X, self.y, self.scratch or Scratch())
        derived = self._derive(L, *blocks.forward(L))
        across, in_logs = blocks.backward(derived.back)
        among = np.zeros((M, padded(M)))
        np.multiply(derived.among, 2.0, out=among[:, :M])
        of_points, twice = k.between(Z, Z, among.shape[1]).gradients(among)
        in_logs += 0.5 * twice + k.diagonal_gradient(X, np.full(len(X), 0.5 / noise))
        return derived.value, of_points + across, np.append(in_logs, derived.in_log_noise)

    def _derive(self, L: Array, G: Array, c: Array) -> BoundDerivatives:
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
        # The gradients in G, then in C (2 in_g C - mean y^T / noise), and in k(Z, X).
        in_g = 0.5 * (inverse + np.outer(mean, mean) - one) / noise
        back = linalg.solve_triangular(L, np.column_stack([2.0 * in_g, -mean / noise]), lower=True, trans="T")
        among = in_gram(L, back[:, :-1] @ G + np.outer(back[:, -1], c))
        squares = float(y @ y) - 2.0 * float(c @ mean) + float(mean @ G @ mean)
        in_log_noise = 0.5 * (len(y) - (float(np.sum(inverse * G)) + squares + left) / noise)
        return BoundDerivatives(value, among, in_log_noise, back)


REGRESSORS = 3  # regressors of nu for each inducing point: with one for each, nu would miss most of the error
PRIOR_ROWS = 1024  # rows of k(X, X) in a block


@named("fisher", uses_targets=True)
def fisher(covariance: Covariance, X: Array, count: int, seed: int, targets: Targets) -> Selection:
    """L-BFGS on the squared divergence, with its exact gradient, from greedy points or from given points.

    The third process nu is a `SubsetOfRegressors` on 3 M random rows, or on all rows. Each step takes O(n M^2) time,
    two to three times that of "elbo", and the start O(n^2 M). A small value guarantees nothing, since nu has a finite
    rank. The facts are the same as for "elbo", with the squared divergence as the ``objective``, and the number of
    ``regressors``.

    Source: Huggins, Campbell, Kasprzak and Broderick (2019), proposition 5.1 with its missing factors.
    """
    number = min(REGRESSORS * count, len(X))
    rows = preprocessing.order(seed, "regressors", len(X))[:number]
    problem = SquaredDivergence(covariance, X, targets, X[np.sort(rows)])
    return searched("fisher", problem.at, covariance, X, count, seed=seed, targets=targets, regressors=number)


class SquaredDivergence:
    """The squared preconditioned Fisher divergence from the exact process, as a function of the inducing points.

    The regressors of nu have the mean k(T, R) a and the covariance k(T, R) C C^T k(R, T). With N = (C, a),
    S = k(X, R) N and V the same with y taken from the last column; P = L^-1 k(Z, X), G = P P^T and A = I + G / s2:

        s2^2 d^2 = |A^-1 (P S - G W)|^2 - |P V|^2 + tr(V^T k(X, X) V),    W = L^-1 k(Z, R) N.

    The last term does not depend on Z.
    """

    def __init__(self, covariance: Covariance, X: Array, targets: Targets, regressors: Array) -> None:
        self.covariance, self.X, self.noise_variance = covariance, X, targets.noise_variance
        self.regressors, y = regressors, targets.y
        L = factor(covariance(regressors))
        P = linalg.solve_triangular(L, covariance(regressors, X), lower=True)
        A = linalg.cholesky(np.eye(len(L)) + P @ P.T / self.noise_variance, lower=True)
        half = linalg.solve_triangular(A, linalg.solve_triangular(L, np.eye(len(L)), lower=True), lower=True).T
        mean = half @ (linalg.solve_triangular(A, P @ y, lower=True) / self.noise_variance)
        self.weights = np.column_stack([half, mean])
        self.at_rows = covariance(X, regressors) @ self.weights
        self.errors = self.at_rows.copy()
        self.errors[:, -1] -= y
        blocks = [slice(first, first + PRIOR_ROWS) for first in range(0, len(X), PRIOR_ROWS)]
        self.constant = sum(float(np.sum(self.errors[b] * (covariance(X[b], X) @ self.errors))) for b in blocks)

    def at(self, Z: Array) -> tuple[float, Array]:
        """The value at points (M, dim), and its gradient in them (M, dim)."""
        k, noise = self.covariance, self.noise_variance
        L = factor(k(Z))
        P = linalg.solve_triangular(L, k(Z, self.X), lower=True)
        W = linalg.solve_triangular(L, k(Z, self.regressors) @ self.weights, lower=True)
        G = P @ P.T
        A = linalg.cholesky(np.eye(len(Z)) + G / noise, lower=True)
        U = linalg.cho_solve((A, True), P @ self.at_rows - G @ W)
        explained = P @ self.errors
        value = float(np.sum(U**2) - np.sum(explained**2)) + self.constant
        # The gradients in the bracket, in G, in P and W, and in k(Z, .).
        in_bracket = linalg.cho_solve((A, True), 2.0 * U)
        in_g = -in_bracket @ (U / noise + W).T
        in_p = (in_g + in_g.T) @ P + in_bracket @ self.at_rows.T - 2.0 * explained @ self.errors.T
        across = linalg.solve_triangular(L, in_p, lower=True, trans="T")
        along = linalg.solve_triangular(L, -G @ in_bracket, lower=True, trans="T")
        among = in_gram(L, across @ P.T + along @ W.T)
        gradient = in_points(k, Z, among, (self.X, across), (self.regressors, along @ self.weights.T))
        return value / noise**2, gradient / noise**2
