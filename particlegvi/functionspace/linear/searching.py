"""Two searches for the best Gaussian distribution of the weights: L-BFGS on a convex problem, and Adam.

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

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import search
from particlegvi.functionspace.linear.problem import LinearProblem, LinearSolution, half_inverse, inverse
from particlegvi.functionspace.linear.sets import row_space
from particlegvi.functionspace.linear.spectral import spectral
from particlegvi.integrators.adam import direction
from particlegvi.integrators.schedules import Schedule

FAILED = 1e100  # value of the objective if a covariance at a set is singular
FAR = 1e100  # a weight beyond this shows that Adam has diverged: the prior of a weight is N(0, 1)
LAST = 10  # average the states of the last tenth of the steps
Gradient: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]  # at mean and root L: in both


def best(problem: LinearProblem, bases: Sequence[Array], family: str, steps: int) -> LinearSolution:
    """The minimiser over distributions of the family, for bases U_A (rank, k) of equally likely sets."""
    H = problem.gram + sum(U.T @ U for U in bases) / len(bases)
    mean = inverse(H) @ problem.shift
    if family == "factorised":
        diagonal = H.diagonal()
        C = np.diag(np.divide(1.0, np.sqrt(diagonal), out=np.zeros(len(H)), where=diagonal > 0.0))
        pack = Packing(len(H), diagonal=True)
    else:
        C = half_inverse(H)
        pack = Packing(C.shape[1])
    L, facts = _search(_objective([U @ C for U in bases]), pack, steps)
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


def in_values(U: Array, mean: Array, L: Array) -> tuple[Array, Array]:
    """The gradient of KL(Q_A, P_A) in the mean and in the root L, for a basis U of the row space at A."""
    moved = U @ L
    in_entropy = U.T @ np.linalg.solve(moved @ moved.T, moved) if len(U) else 0.0
    return U.T @ (U @ mean), U.T @ moved - in_entropy


def in_values_of_draws(features: Array, mean: Array, L: Array, normals: Array) -> tuple[Array, Array]:
    """`in_values` with the entropy of Q_A from draws of functions, for features at A and normals (draws, k).

    With draws f = F_A (m + L z) the gradient of minus the entropy is the mean of score(f) df/d(m, L), where the score,
    the gradient of log q_A, is estimated from the draws. The other half of KL is exact.

    Source: Sun, Zhang, Shi and Grosse (2019), (9), as Burt, Ober, Garriga-Alonso and van der Wilk (2020) use it.
    """
    U = row_space(features)
    scores = spectral((mean + normals @ L.T) @ features.T) @ features
    return U.T @ (U @ mean) + scores.mean(axis=0), U.T @ (U @ L) + scores.T @ normals / len(normals)


def descend(
    gradient: Gradient, batch: Callable[[], tuple[Array, Array]], size: int, *, family: str, steps: int,
    step_size: float | Schedule,
) -> LinearSolution:  # fmt: skip
    """Take the steps of Adam from the prior N(0, I); return the last state, and the mean of the last tenth.

    There are ``size`` weights. ``gradient`` is that of the KL term; ``batch`` returns ``gram`` and ``shift`` for each
    step.
    """
    k, pack = size, Packing(size, diagonal=family == "factorised")
    sizes = step_size.at(np.arange(steps)) if isinstance(step_size, Schedule) else np.full(steps, step_size)
    state = np.append(np.zeros(k), pack.vector(np.eye(k)))
    first, second, total = (np.zeros_like(state) for _ in range(3))
    averaged = max(steps // LAST, 1)
    for step in range(1, steps + 1):
        L = pack.matrix(state[k:])
        in_mean, in_root = gradient(state[:k], L)
        gram, shift = batch()
        slope = np.append(in_mean - shift + gram @ state[:k], pack.gradient(L, in_root + gram @ L))
        state = state - sizes[step - 1] * direction(slope, first, second, step)
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
