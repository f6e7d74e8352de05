"""Linear algebra of covariance matrices: factors that allow for rounding, derivatives through them, products in blocks.

`root` is a pivoted factor of any positive semi-definite matrix, `checked_root` refuses one that is no covariance, and
`factor` is a Cholesky factor with jitter for searches. `in_gram` is the one rule for gradients in k(Z, Z). `product`
multiplies by k(X, X) in blocks of rows.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.tools import arguments

TIES = 1e-6  # relative differences of standard deviations that order the pivots of equal ones
NEGATIVE = 1e-8  # smaller negative parts of the largest variance are rounding
LADDER = (1e-10, 1e-9, 1e-8, 1e-7, 1e-6)  # jitters, for searches only, relative to the largest prior variance


def root(covariance: Array, scale: float) -> Array:
    """A with ``A A^T = covariance``, positive semi-definite; pivots below the rounding of ``scale`` count as 0."""
    n = len(covariance)
    if n == 0:
        return covariance
    factor, pivots, rank, _ = lapack.dpstrf(covariance, tol=n * np.finfo(float).eps * scale, lower=1)
    factor = np.tril(factor)
    factor[:, rank:] = 0.0
    rows = np.empty_like(factor)
    rows[pivots - 1] = factor
    return rows


def root_for_draws(covariance: Array, scale: float) -> Array:
    """`root` with pivots in an order that rounding does not decide, so that draws agree with all kernels of BLAS.

    Where inputs have equal variances, as in a symmetric design, the last of them is the first pivot.
    """
    weight = 1.0 + TIES * np.arange(len(covariance)) / max(len(covariance), 1)
    return root(weight[:, None] * covariance * weight, scale) / weight[:, None]


def fixed_signs(vectors: Array) -> Array:
    """Eigenvectors, in columns, with signs that do not depend on the kernels of BLAS.

    The first entry is positive whose size is at least half of the largest. The largest one itself may change with
    rounding: in a symmetric design two entries are equal but for rounding. Eigenvectors of eigenvalues that are equal
    but for rounding are any basis of their space, with any signs.
    """
    large = np.abs(vectors) >= 0.5 * np.abs(vectors).max(axis=0, initial=0.0)
    first = vectors[large.argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(first < 0.0, -1.0, 1.0)


def directions(matrix: Array) -> tuple[Array, Array]:
    """The eigenvalues of a symmetric matrix, ascending, and its eigenvectors in columns with `fixed_signs`."""
    values, vectors = linalg.eigh(matrix)
    return values, fixed_signs(vectors)


def squared_bures_distance(a: Array, b: Array) -> float:
    """tr A + tr B - 2 tr (A^1/2 B A^1/2)^1/2 for A = a a^T and B = b b^T: the covariances' part of W2^2.

    The last trace is the nuclear norm of a^T b. Rounding below 0 counts as 0. Source: Gelbrich (1990).
    """
    cross = linalg.svdvals(a.T @ b).sum() if a.size and b.size else 0.0
    return max(float(np.sum(a * a) + np.sum(b * b) - 2.0 * cross), 0.0)


def checked_root(key: str, matrix: Array, allowed: str, scale: float = 0.0) -> Array:
    """A with A A^T = matrix, exact to rounding; a ValueError if the matrix is no covariance.

    Rounding is relative to the largest variance, of the matrix or the given ``scale``: a posterior covariance may be a
    small difference of large numbers.
    """
    arguments.finite(key, matrix, allowed)
    scale = max(scale, float(np.abs(matrix).max(initial=0.0)))
    if not np.allclose(matrix, matrix.T, rtol=NEGATIVE, atol=0.1 * NEGATIVE * scale):
        raise ValueError(f"{key} must be {allowed}, not one that is not symmetric")
    half = root(matrix, float(np.trace(matrix)))
    half = half[:, np.abs(half).any(axis=0)]
    # The remainder of a pivoted factor of a positive semi-definite matrix is small everywhere, also off the diagonal.
    if np.max(np.abs(matrix - half @ half.T), initial=0.0) <= NEGATIVE * scale:
        return half
    values, vectors = linalg.eigh(matrix)
    if values[0] < -NEGATIVE * max(values[-1], scale):
        raise ValueError(f"{key} must be {allowed}, not one with the eigenvalue {values[0]:.3g}")
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def factor(matrix: Array) -> Array:
    """The lower Cholesky factor of k(Z, Z) with the first jitter of the ladder that makes it positive definite."""
    largest = float(matrix.diagonal().max())
    for jitter in LADDER:
        try:
            return linalg.cholesky(matrix + jitter * largest * np.eye(len(matrix)), lower=True)
        except linalg.LinAlgError:
            continue
    raise ValueError("the covariance must be positive semi-definite, not one with a negative eigenvalue")


def in_gram(L: Array, products: Array) -> Array:
    """The gradient (a symmetric matrix) in k(Z, Z) = L L^T, from the gradients in matrices F = k(Z, .).

    It is the rule for every function of F^T k(Z, Z)^-1 F: such a function does not change if F becomes T F and k(Z, Z)
    becomes T k(Z, Z) T^T, so that 2 G k(Z, Z) + (gradient in F) F^T = 0 for its gradient G in k(Z, Z). ``products`` is
    (gradient in F) (L^-1 F)^T; with several matrices F it is the sum of theirs.
    """
    gradient = -0.5 * linalg.solve_triangular(L, products.T, lower=True, trans="T")
    return 0.5 * (gradient + gradient.T)


def in_points(k: Covariance, Z: Array, among: Array, *others: tuple[Array, Array]) -> Array:
    """The gradient in Z of ``sum(among * k(Z, Z))`` plus all ``sum(w * k(Z, X))``; ``among`` is symmetric."""
    gradient, _ = k.gradients(Z, Z, 2.0 * among)
    for X, weights in others:
        gradient = gradient + k.gradients(Z, X, weights)[0]
    return gradient


ENTRIES = 2**20  # entries of k(X, X) in memory for each thread: 8 MiB, and again 8 MiB for each temporary
WAVE = 64  # blocks that threads share at a time: Ctrl-C, which reaches one thread, ends the others with the wave


def product(covariance: Covariance, X: Array, vectors: Array) -> Array:
    """``k(X, X) @ vectors`` for vectors (n, c): O(n^2 (dim + c)) time, O(n) memory for each thread and column.

    The blocks of rows are the same on any number of threads, and so is the result.
    """
    out = np.empty_like(vectors)
    rows = max(1, ENTRIES // max(len(X), 1))
    starts = range(0, len(X), rows)
    for wave in (starts[first : first + WAVE] for first in range(0, len(starts), WAVE)):

        def work(first: int, last: int, wave: range = wave) -> None:
            for start in wave[first:last]:
                block = slice(start, start + rows)
                out[block] = covariance(X[block], X) @ vectors

        threads.split(work, len(wave))
    return out
