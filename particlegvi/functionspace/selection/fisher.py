"""Inducing points that minimise the preconditioned Fisher divergence to the exact posterior."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.linalg import factor, in_points, through_factor
from particlegvi.functionspace.selection.rules import Selection, Targets, searched
from particlegvi.tools.registry import named

REGRESSORS = 3  # regressors of nu for each inducing point: with one for each, nu would miss most of the error
ROWS = 1024  # rows of k(X, X) in a block


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
        blocks = [slice(first, first + ROWS) for first in range(0, len(X), ROWS)]
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
        # The gradients in the bracket, in G, then in P, in W, and through L.
        in_bracket = linalg.cho_solve((A, True), 2.0 * U)
        in_g = -in_bracket @ (U / noise + W).T
        in_p = (in_g + in_g.T) @ P + in_bracket @ self.at_rows.T - 2.0 * explained @ self.errors.T
        across = linalg.solve_triangular(L, in_p, lower=True, trans="T")
        along = linalg.solve_triangular(L, -G @ in_bracket, lower=True, trans="T")
        among = through_factor(L, -across @ P.T - along @ W.T)
        gradient = in_points(k, Z, among, (self.X, across), (self.regressors, along @ self.weights.T))
        return value / noise**2, gradient / noise**2
