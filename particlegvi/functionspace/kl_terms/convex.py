"""The best Gaussian distribution for the mean of KL(Q_A, P_A) over sets A: a convex problem.

With U_A bases of the row spaces, P the mean of U_A^T U_A and H = G + P, the mean is H^-1 F^T y / s2 in every family,
and the covariance minimises the convex

    tr(H S) / 2 - mean of log det(U_A S U_A^T) / 2.

S = C L L^T C^T with C C^T = H^-1 and L triangular, its diagonal by logarithms, so that L-BFGS begins near and needs
some tens of steps. In a factorised family C and L are diagonal. Where no set sees a direction well, its variance falls
as long as the search goes on, for almost no gain: then the objective is determined, and KL to the posterior is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.kl_terms.problem import LinearProblem, Settings, Solution

NONE = 1e-12  # eigenvalues below this part of the largest are rounding
FAILED = 1e100  # the value where a covariance at a set is singular


def inverse(matrix: Array) -> Array:
    """The inverse of a positive semi-definite matrix, with the eigenvalues that are rounding left out."""
    half = _half_inverse(matrix)
    return half @ half.T


def _half_inverse(matrix: Array) -> Array:
    """C with C C^T the inverse; lower triangular where no eigenvalue is left out."""
    if not len(matrix):
        return matrix
    values, vectors = linalg.eigh(matrix)
    kept = values > NONE * max(values[-1], 0.0)
    half = vectors[:, kept] / np.sqrt(values[kept])
    return np.linalg.cholesky(half @ half.T) if np.all(kept) else np.asarray(half)


def best(problem: LinearProblem, bases: Sequence[Array], settings: Settings) -> Solution:
    """The minimiser over distributions of the family, for bases U_A (rank, k) of equally likely sets."""
    H = problem.gram + sum(U.T @ U for U in bases) / len(bases)
    mean = inverse(H) @ problem.shift
    if settings.family == "factorised":
        diagonal = H.diagonal()
        C = np.diag(np.divide(1.0, np.sqrt(diagonal), out=np.zeros(len(H)), where=diagonal > 0.0))
        pack: Packing = Diagonal(len(H))
    else:
        C = _half_inverse(H)
        pack = Triangular(C.shape[1])
    L, facts = _minimise(_objective([U @ C for U in bases]), pack, settings.steps)
    half = C @ L
    rank = int(np.sum(np.any(C != 0.0, axis=0)))
    return Solution(mean, half @ half.T, rank, {"method": "L-BFGS", **facts})


class Packing:
    """A lower triangular matrix as a vector; its diagonal is positive, and there by its logarithms."""

    def __init__(self, places: tuple[NDArray[np.intp], NDArray[np.intp]], size: int) -> None:
        self.places, self.size = places, size
        self._diagonal = np.flatnonzero(places[0] == places[1])

    def matrix(self, vector: Array) -> Array:
        """The matrix (size, size)."""
        entries = vector.copy()
        entries[self._diagonal] = np.exp(entries[self._diagonal])
        L = np.zeros((self.size, self.size))
        L[self.places] = entries
        return L

    def vector(self, L: Array) -> Array:
        """The vector of a matrix."""
        entries = L[self.places]
        entries[self._diagonal] = np.log(entries[self._diagonal])
        return entries

    def gradient(self, L: Array, in_matrix: Array) -> Array:
        """The gradient in the vector from that in the matrix."""
        entries = in_matrix[self.places]
        entries[self._diagonal] *= L.diagonal()
        return entries


class Triangular(Packing):
    """Of every lower triangular matrix."""

    def __init__(self, size: int) -> None:
        super().__init__(np.tril_indices(size), size)


class Diagonal(Packing):
    """Of diagonal ones."""

    def __init__(self, size: int) -> None:
        super().__init__((np.arange(size), np.arange(size)), size)


def _objective(bases: list[Array]) -> Callable[[Array], tuple[float, Array]]:
    """|L|^2 / 2 - mean of log det(V L L^T V^T) / 2 and its gradient in L; the sets of one rank together."""
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


def _minimise(objective: Callable[[Array], tuple[float, Array]], pack: Packing, steps: int) -> tuple[Array, Facts]:
    def packed(vector: Array) -> tuple[float, Array]:
        with np.errstate(over="ignore"):
            L = pack.matrix(vector)
        if not np.all(np.isfinite(L)):
            return FAILED, np.zeros_like(vector)
        value, gradient = objective(L)
        return value, pack.gradient(L, gradient)

    options = {"maxiter": steps, "maxfun": 2 * steps, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-7}
    begin = pack.vector(np.eye(pack.size))
    found = optimize.minimize(packed, begin, jac=True, method="L-BFGS-B", options=options)
    facts: Facts = {"iterations": int(found.nit), "converged": bool(found.success)}
    return pack.matrix(found.x), facts
