"""Linear algebra of covariance matrices: factors that allow for rounding, derivatives through them, products in blocks.

`root` is a pivoted factor of any positive semi-definite matrix, `factor` a Cholesky factor with jitter for searches.
`dense_factor` and `low_rank_factor` factor k(X, X) / n = A A^T for a function k, and refuse k if it is not a covariance
function. They judge rounding relative to the largest variance, since a posterior covariance may be a small difference
of large numbers, and allow larger errors if k computes in single precision. `product` multiplies by k(X, X) in blocks
of rows, and `quadratic_bounds` bounds y^T C^-1 y from below by conjugate gradients.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.tools import arguments
from particlegvi.tools.errors import warn

CovarianceFunction: TypeAlias = Callable[..., Array]  # k(A, B), and k(A) for k(A, A)
TIES = 1e-6  # relative differences of standard deviations that order the pivots of equal ones
MOST_RANK = 1500
TOLERANCE = 1e-14  # part of the trace that a factor of low rank may leave
NEGATIVE, COARSE = 1e-8, 1e-5  # smaller negative parts of the largest variance are rounding, in float64 and in float32
ROWS = 64  # rows of a block for the diagonal
NUMBERS = "a covariance with finite numbers"
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


class Rounding(NamedTuple):
    """The largest variance, and the part of it that counts as rounding."""

    scale: float = 0.0
    part: float = NEGATIVE


def eigen_root(key: str, matrix: Array, allowed: str, rounding: Rounding = Rounding()) -> Array:  # noqa: B008
    """A with A A^T = matrix, for a symmetric matrix; a ValueError if an eigenvalue is negative beyond rounding."""
    values, vectors = linalg.eigh(matrix)
    if values[0] < -rounding.part * max(values[-1], rounding.scale):
        raise ValueError(f"{key} must be {allowed}, not one with the eigenvalue {values[0]:.3g}")
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def symmetric(key: str, matrix: Array, allowed: str, rounding: Rounding = Rounding()) -> Array:  # noqa: B008
    """Return the matrix; a ValueError if it is not symmetric up to rounding."""
    largest = max(np.abs(matrix).max(initial=0.0), rounding.scale)
    if not np.allclose(matrix, matrix.T, rtol=rounding.part, atol=0.1 * rounding.part * largest):
        raise ValueError(f"{key} must be {allowed}, not one that is not symmetric")
    return matrix


def gram(key: str, k: CovarianceFunction, x: Array, rounding: Rounding) -> Array:
    """Return k(X, X), (n, n), after checks of its shape, symmetry and numbers."""
    found = np.array(k(x, x), dtype=np.float64)
    if found.shape != (len(x), len(x)):
        raise arguments.shaped(f"{key}(X, X)", found, f"an array ({len(x)}, {len(x)})")
    return symmetric(key, arguments.finite(key, found, NUMBERS), "a covariance", rounding)


def dense_factor(key: str, k: CovarianceFunction, x: Array, rounding: Rounding) -> Array:
    """A factor (n, rank), exact to rounding; a ValueError if k is not a covariance function on X."""
    matrix = gram(key, k, x, rounding) / len(x)
    found = root(matrix, float(np.trace(matrix)))
    found = found[:, np.abs(found).any(axis=0)]
    # The remainder of a pivoted factor of a positive semi-definite matrix is small everywhere, also off the diagonal.
    if np.max(np.abs(matrix - found @ found.T)) > rounding.part * rounding.scale / len(x):
        return eigen_root(key, matrix, "a covariance", rounding._replace(scale=rounding.scale / len(x)))
    return found


def low_rank_factor(key: str, k: CovarianceFunction, x: Array, left: Array, rounding: Rounding) -> tuple[Array, float]:
    """A pivoted Cholesky factor (n, rank), and the trace of the remainder; a ValueError if k is not a covariance.

    ``left`` (n,) is the diagonal, from `variances`.
    """
    n = len(x)
    gram(key, k, x[:ROWS], rounding)
    whole, least = left.sum(), -rounding.part * rounding.scale / n
    found, rank, pivots = np.empty((0, n)), 0, []
    while rank < min(n, MOST_RANK) and left.sum() > TOLERANCE * whole:
        pivot = int(np.argmax(left))
        column = np.asarray(k(x, x[pivot : pivot + 1]))[:, 0] / n
        arguments.finite(key, column, NUMBERS)
        column = (column - found[:rank, pivot] @ found[:rank]) / np.sqrt(left[pivot])
        if rank == len(found):
            found = np.concatenate([found, np.empty((max(rank, 32), n))])
        found[rank] = column
        rank += 1
        left = left - column**2
        left[pivot] = 0.0
        pivots.append(pivot)
        lowest = int(np.argmin(left))
        if left[lowest] < least:  # k is not a covariance function, or computes in single precision
            eigen_root(key, gram(key, k, x[[*pivots, lowest]], rounding), "a covariance", rounding)
        left = np.maximum(left, 0.0)
    return found[:rank].T, float(left.sum())


def variances(functions: Mapping[str, CovarianceFunction], x: Array) -> tuple[list[Array], Rounding]:
    """k(x_n, x_n) / n, (n,), of each function, and the size of rounding; a ValueError if a variance is negative."""
    found = [_diagonal(key, k, x) for key, k in functions.items()]
    scale = float(np.max(np.abs(found), initial=0.0)) * len(x)
    single = any(np.asarray(k(x[:1], x[:1])).dtype != np.float64 for k in functions.values())
    rounding = Rounding(scale, COARSE if single else NEGATIVE)
    for key, each in zip(functions, found, strict=True):
        lowest = each.min(initial=0.0) * len(x)
        if lowest < -rounding.part * scale:
            raise ValueError(f"{key} must be a covariance, not one with the variance {lowest:.3g}")
    return found, rounding


def _diagonal(key: str, k: CovarianceFunction, x: Array) -> Array:
    """The diagonal of k(X, X) from small blocks, which any function of two sets of inputs can compute."""
    if isinstance(k, Covariance):
        return k.diagonal(x) / len(x)
    blocks = [np.asarray(k(block, block)).diagonal() for block in np.array_split(x, -(-len(x) // ROWS))]
    return arguments.finite(key, np.concatenate(blocks).astype(np.float64), NUMBERS) / len(x)


def factor(matrix: Array) -> Array:
    """The lower Cholesky factor of k(Z, Z) with the first jitter of the ladder that makes it positive definite."""
    largest = float(matrix.diagonal().max())
    for jitter in LADDER:
        try:
            return linalg.cholesky(matrix + jitter * largest * np.eye(len(matrix)), lower=True)
        except linalg.LinAlgError:
            continue
    raise ValueError("the covariance must be positive semi-definite, not one with a negative eigenvalue")


def through_factor(L: Array, in_factor: Array) -> Array:
    """The gradient (a symmetric matrix) in L L^T, from the gradient G in its lower Cholesky factor L.

    With S the lower triangle of L^T G, its diagonal halved, the result is the symmetric part of L^-T S L^-1.

    Source: Murray (2016), (10).
    """
    inside = np.tril(L.T @ np.tril(in_factor))
    inside.flat[:: len(L) + 1] *= 0.5
    left = linalg.solve_triangular(L, inside, lower=True, trans="T")
    both = linalg.solve_triangular(L, left.T, lower=True, trans="T")
    return 0.5 * (both + both.T)


def in_points(k: Covariance, Z: Array, among: Array, *others: tuple[Array, Array]) -> Array:
    """The gradient in Z of ``sum(among * k(Z, Z))`` plus all ``sum(w * k(Z, X))``; ``among`` is symmetric."""
    gradient = k.input_gradient(Z, Z, 2.0 * among)
    for X, weights in others:
        gradient += k.input_gradient(Z, X, weights)
    return gradient


ENTRIES = 2**20  # entries of k(X, X) in memory for each thread: 8 MiB, and again 8 MiB for each temporary
MANY = 50_000  # from so many rows on, a warning gives the expected time


def product(covariance: Covariance, X: Array, vectors: Array) -> Array:
    """``k(X, X) @ vectors`` for vectors (n, c): O(n^2 (dim + c)) time, O(n) memory for each thread and column.

    The blocks of rows are the same on any number of threads, and so is the result. Ctrl-C ends it within a block.
    """
    out = np.empty_like(vectors)
    rows = max(1, ENTRIES // max(len(X), 1))
    blocks = -(-len(X) // rows)

    stopped = threading.Event()

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            if stopped.is_set():
                return
            block = slice(number * rows, (number + 1) * rows)
            out[block] = covariance(X[block], X) @ vectors

    begun = time.perf_counter()
    done = 0
    if len(X) > MANY:
        work(0, 1)
        done = 1
        minutes = (time.perf_counter() - begun) * blocks / threads.count() / 60.0
        warn(f"a product with the kernel matrix of {len(X)} rows takes about {minutes:.0f} min")
    try:
        threads.split(lambda first, last: work(first + done, last + done), blocks - done)
    except BaseException:  # Ctrl-C reaches this thread only: stop the others, which would go on to the end
        stopped.set()
        raise
    return out


def quadratic_bounds(
    first: tuple[Array, Array],
    multiply: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    y: Array,
    steps: int,
) -> tuple[list[float], Array]:
    """Lower bounds on ``y^T C^-1 y`` for a positive definite C, one for each step, and the last vector v.

    The bound is ``2 v^T y - v^T C v``, which is at most ``y^T C^-1 y`` for every v. The vectors v are the iterates of
    conjugate gradients for ``C v = y``, so the bounds increase. There are fewer bounds than steps if y is 0, or if C v
    = y to rounding. ``first`` is the first direction p = P^-1 y, for P near C, with C p; ``multiply`` returns C p, and
    ``precondition`` P^-1 r, for vectors (n,).

    Source: Artemev, Burt and van der Wilk (2021), (11).
    """
    v, product_of_v = np.zeros_like(y), np.zeros_like(y)
    direction, along = first
    size = float(y @ direction)
    bounds: list[float] = []
    for step in range(steps):
        if not size > 0.0:
            break
        if step:
            along = multiply(direction)
        length = size / float(direction @ along)
        v = v + length * direction
        product_of_v = product_of_v + length * along
        bounds.append(float(2.0 * (v @ y) - v @ product_of_v))
        left = y - product_of_v
        z = precondition(left)
        before, size = size, float(left @ z)
        direction = z + (size / before) * direction
    return bounds, v
