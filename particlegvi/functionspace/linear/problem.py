"""Bayesian linear regression in matrices.

Two searches for the best Gaussian distribution of the weights: L-BFGS on a convex problem, and Adam.

Let U_A be bases of the row spaces at sets A, P the mean of U_A^T U_A and H = G + P. For the mean of KL(Q_A, P_A) over
the sets, the best mean of Q is H^-1 F^T y / s2 in every family. The best covariance S minimises the convex function

    tr(H S) / 2 - mean of log det(U_A S U_A^T) / 2.

L-BFGS searches for S = C L L^T C^T with C C^T = H^-1 and L triangular, its diagonal given by logarithms. It begins near
the minimum and needs some tens of steps. In the factorised family C and L are diagonal. If no input set constrains a
direction, its variance keeps shrinking with negligible gain: then the objective converges, but KL to the posterior does
not.

Adam (Kingma and Ba 2015, algorithm 1) takes noisy gradients in the mean and in a root of the covariance, as Burt, Ober,
Garriga-Alonso and van der Wilk (2020) do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import search
from particlegvi.functionspace.linear.sets import Sets
from particlegvi.integrators.schedules import Schedule

FAMILIES = ("full", "factorised")
ADAM = "adam"
OPTIMISERS = ("optimum", ADAM)
NONE = 1e-12  # eigenvalues below this part of the largest are rounding
FAILED = 1e100  # value of the objective if a covariance at a set is singular
FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # constants of Adam
BATCHES = 19  # random stream for the rows of a step
FAR = 1e100  # a weight beyond this shows that Adam has diverged: the prior of a weight is N(0, 1)
LAST = 10  # average the states of the last tenth of the steps
Gradient: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]  # at mean and root L: in both


class LinearProblem:
    """``y = F w + noise`` with w ~ N(0, I) and F the features (n, k).

    The attributes are ``gram``, G = F^T F / s2; ``shift``, F^T y / s2; and ``precision``, G + I, that of the posterior.
    """

    def __init__(self, features: Array, y: Array, noise_variance: float) -> None:
        self.features, self.y, self.noise_variance = features, y, noise_variance
        self.gram = features.T @ features / noise_variance
        self.shift = features.T @ y / noise_variance
        self.precision = self.gram + np.eye(self.size)
        self._factor = linalg.cholesky(self.precision, lower=True)

    @property
    def size(self) -> int:
        return self.features.shape[1]

    def posterior(self) -> tuple[Array, Array]:
        """The mean (k,) and the covariance (k, k) of the weights given y."""
        inverse = linalg.cho_solve((self._factor, True), np.eye(self.size))
        return linalg.cho_solve((self._factor, True), self.shift), 0.5 * (inverse + inverse.T)

    def log_marginal_likelihood(self) -> float:
        mean = linalg.cho_solve((self._factor, True), self.shift)
        squares = float(self.y @ (self.y - self.features @ mean)) / self.noise_variance
        log_root = float(np.sum(np.log(self._factor.diagonal())))
        return -0.5 * (squares + len(self.y) * math.log(2.0 * math.pi * self.noise_variance)) - log_root

    def expected_log_likelihood(self, mean: Array, covariance: Array) -> float:
        """E log p(y | w) for w of this mean and covariance, in nats."""
        left = self.y - self.features @ mean
        squares = float(left @ left) / self.noise_variance + float(np.sum(self.gram * covariance))
        return -0.5 * (squares + len(self.y) * math.log(2.0 * math.pi * self.noise_variance))

    def batches(self, size: int, seed: int) -> Callable[[], tuple[Array, Array]]:
        """A function that returns ``gram`` and ``shift``: of all rows for the size 0 or n, else from random rows.

        Each call takes other rows, without replacement; its sums over these rows are multiplied by n / size.
        """
        if not 0 < size < len(self.y):
            return lambda: (self.gram, self.shift)
        random, number = np.random.default_rng([BATCHES, seed]), len(self.y)

        def drawn() -> tuple[Array, Array]:
            rows = random.choice(number, size, replace=False)
            scaled = self.features[rows].T * (number / (size * self.noise_variance))
            return scaled @ self.features[rows], scaled @ self.y[rows]

        return drawn

    def divergence(self, mean: Array, covariance: Array) -> float:
        """KL(N(mean, covariance), posterior), in nats, for a regular covariance."""
        root, failed = linalg.lapack.dpotrf(covariance, lower=1)
        if failed:
            return math.inf
        # eigenvalues of the product of the matrices would be lost below the rounding of the largest
        ratios = linalg.svdvals(self._factor.T @ root)
        pull = self._factor.T @ mean - linalg.solve_triangular(self._factor, self.shift, lower=True)
        return float(np.sum(0.5 * (ratios - 1.0) * (ratios + 1.0) - np.log(ratios)) + 0.5 * pull @ pull)


class LinearSettings(NamedTuple):
    """Settings of the search for a solution."""

    family: str  # one of FAMILIES
    optimiser: str  # one of OPTIMISERS
    steps: int  # largest number of iterations
    step_size: float | Schedule  # step size of Adam
    draws: int  # functions of the spectral estimator
    seed: int
    batch_size: int  # rows of the data in a step of Adam; 0 for all rows


class LinearSolution(NamedTuple):
    """A Gaussian distribution of the weights."""

    mean: Array  # (k,)
    covariance: Array  # (k, k)
    rank: int  # rank of the covariance
    facts: Facts
    averaged: tuple[Array, Array] | None = None  # mean and covariance, from the last tenth of Adam's states


Term: TypeAlias = Callable[[LinearProblem, Sets, LinearSettings], LinearSolution]


def inverse(matrix: Array) -> Array:
    """The inverse of a positive semi-definite matrix, without the eigenvalues that are rounding."""
    half = _half_inverse(matrix)
    return half @ half.T


def _half_inverse(matrix: Array) -> Array:
    """C with C C^T the inverse of the matrix; C is lower triangular if no eigenvalue is left out."""
    if not len(matrix):
        return matrix
    values, vectors = linalg.eigh(matrix)
    kept = values > NONE * max(values[-1], 0.0)
    half = vectors[:, kept] / np.sqrt(values[kept])
    return np.linalg.cholesky(half @ half.T) if np.all(kept) else np.asarray(half)


def best(problem: LinearProblem, bases: Sequence[Array], settings: LinearSettings) -> LinearSolution:
    """The minimiser over distributions of the family, for bases U_A (rank, k) of equally likely sets."""
    H = problem.gram + sum(U.T @ U for U in bases) / len(bases)
    mean = inverse(H) @ problem.shift
    if settings.family == "factorised":
        diagonal = H.diagonal()
        C = np.diag(np.divide(1.0, np.sqrt(diagonal), out=np.zeros(len(H)), where=diagonal > 0.0))
        pack = Packing(len(H), diagonal=True)
    else:
        C = _half_inverse(H)
        pack = Packing(C.shape[1])
    L, facts = _search(_objective([U @ C for U in bases]), pack, settings.steps)
    half = C @ L
    rank = int(np.sum(np.any(C != 0.0, axis=0)))
    return LinearSolution(mean, half @ half.T, rank, {"method": "L-BFGS", **facts})


class Packing:
    """A lower triangular or diagonal matrix as a vector, which holds the logarithms of its positive diagonal."""

    def __init__(self, size: int, diagonal: bool = False) -> None:
        self.size = size
        self.places = np.diag_indices(size) if diagonal else np.tril_indices(size)
        self._diagonal = np.flatnonzero(self.places[0] == self.places[1])

    def matrix(self, vector: Array) -> Array:
        entries = vector.copy()
        entries[self._diagonal] = np.exp(entries[self._diagonal])
        L = np.zeros((self.size, self.size))
        L[self.places] = entries
        return L

    def vector(self, L: Array) -> Array:
        entries = L[self.places]
        entries[self._diagonal] = np.log(entries[self._diagonal])
        return entries

    def gradient(self, L: Array, in_matrix: Array) -> Array:
        """The gradient in the vector, from the gradient in the matrix."""
        entries = in_matrix[self.places]
        entries[self._diagonal] *= L.diagonal()
        return entries


def _objective(bases: list[Array]) -> Callable[[Array], tuple[float, Array]]:
    """|L|^2 / 2 - mean of log det(V L L^T V^T) / 2 and its gradient in L; sets of equal rank are stacked."""
    ranks = sorted({len(V) for V in bases if len(V)})
    groups = [np.array([V for V in bases if len(V) == rank]) for rank in ranks]

    def at(L: Array) -> tuple[float, Array]:
        value, gradient = 0.5 * float(np.sum(L * L)), L.copy()
        for V in groups:
            count, rank, size = V.shape
            flat = V.reshape(-1, size)
            moved = (flat @ L).reshape(V.shape[0], rank, -1)
            inside = moved @ moved.transpose(0, 2, 1)
            sign, logs = np.linalg.slogdet(inside)
            if not np.all(sign > 0.0) or not np.all(np.isfinite(logs)):
                return FAILED, np.zeros_like(L)
            value -= 0.5 * float(logs.sum()) / len(bases)
            gradient -= flat.T @ np.linalg.solve(inside, moved).reshape(count * rank, -1) / len(bases)
        return value, gradient

    return at


def _search(objective: Callable[[Array], tuple[float, Array]], pack: Packing, steps: int) -> tuple[Array, Facts]:
    def packed(vector: Array) -> tuple[float, Array]:
        with np.errstate(over="ignore"):
            L = pack.matrix(vector)
        if not np.all(np.isfinite(L)):
            return FAILED, np.zeros_like(vector)
        value, gradient = objective(L)
        return value, pack.gradient(L, gradient)

    begin = pack.vector(np.eye(pack.size))
    end = search.minimise(packed, begin, maxiter=steps, maxfun=2 * steps, maxcor=30, ftol=1e-14, gtol=1e-7)
    return pack.matrix(end.at), {"iterations": end.iterations, "converged": end.converged}


def in_values(problem: LinearProblem, rows: Callable[[], Array], settings: LinearSettings) -> Gradient:
    """The gradient of KL(Q_A, P_A) - E log p(y | w); each call takes a new set A, by a basis of its row space."""
    batch = problem.batches(settings.batch_size, settings.seed)

    def gradient(mean: Array, L: Array) -> tuple[Array, Array]:
        U = rows()
        moved = U @ L
        in_entropy = U.T @ np.linalg.solve(moved @ moved.T, moved) if len(U) else 0.0
        gram, shift = batch()
        return U.T @ (U @ mean) - shift + gram @ mean, gram @ L + U.T @ moved - in_entropy

    return gradient


def descend(problem: LinearProblem, gradient: Gradient, settings: LinearSettings) -> LinearSolution:
    """Take the steps of Adam from the prior N(0, I); return the last state, and the mean of the last tenth."""
    k, steps = problem.size, settings.steps
    pack = Packing(k, diagonal=settings.family == "factorised")
    sizes = np.full(steps, settings.step_size)
    if isinstance(settings.step_size, Schedule):
        sizes = settings.step_size.at(np.arange(steps))
    state = np.append(np.zeros(k), pack.vector(np.eye(k)))
    first, second, total = (np.zeros_like(state) for _ in range(3))
    averaged = max(steps // LAST, 1)
    for step in range(1, steps + 1):
        L = pack.matrix(state[k:])
        in_mean, in_root = gradient(state[:k], L)
        slope = np.append(in_mean, pack.gradient(L, in_root))
        first += (1.0 - FIRST) * (slope - first)
        second += (1.0 - SECOND) * (slope * slope - second)
        scale = np.sqrt(second / (1.0 - SECOND**step)) + SMALL
        state = state - sizes[step - 1] * (first / (1.0 - FIRST**step) / scale)
        if not (np.max(np.abs(state[:k])) < FAR and np.max(np.abs(state[k:])) < np.log(FAR)):
            allowed = "small enough for Adam to keep its states finite"
            raise ValueError(f"step_size must be {allowed}, not {sizes[step - 1]:g} at step {step}")
        if step > steps - averaged:
            total += state / averaged
    facts: Facts = {"method": "Adam", "iterations": steps, "converged": None}
    return LinearSolution(*_law(state, k, pack), k, facts, _law(total, k, pack))


def _law(state: Array, k: int, pack: Packing) -> tuple[Array, Array]:
    L = pack.matrix(state[k:])
    return state[:k].copy(), L @ L.T
