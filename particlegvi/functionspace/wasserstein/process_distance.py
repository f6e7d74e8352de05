"""The squared 2-Wasserstein distance of Gaussian measures, and of Gaussian processes over an empirical measure.

With rho the empirical measure of n inputs X, two processes with covariances k and r are Gaussian measures of L2(rho),
and Gelbrich's formula gives (thesis 4.4.1, (4.11))

    W2^2 = 1/n |m - m'|^2 + tr K + tr R - 2 tr (K^1/2 R K^1/2)^1/2,       K = k(X, X) / n, R = r(X, X) / n.

The estimator (4.15) of the thesis takes the last trace from the eigenvalues of r(X_S, X) k(X, X_S) with a subset X_S.
This matrix is not symmetric: some eigenvalues are negative or complex, and the estimate of W2^2(P, P) is above 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.linalg import checked_root, squared_bures_distance
from particlegvi.tools import arguments

CovarianceFunction: TypeAlias = Callable[..., Array]  # k(A, B), for inputs (n, dim) and (m, dim)
MOST_EXACT = 5000  # largest number of rows
BLOCK = 64  # rows of a block for the diagonal
A_COVARIANCE = "a covariance, symmetric and positive semi-definite, with finite numbers"


def gaussian_w2_squared(
    mean: ArrayLike, covariance: ArrayLike, other_mean: ArrayLike, other_covariance: ArrayLike
) -> float:
    """W2^2 of N(mean, covariance) and N(other_mean, other_covariance). Its square root is the distance.

    Parameters
    ----------
    mean, other_mean : array (n,)
    covariance, other_covariance : array (n, n)
        Positive semi-definite.

    Source: Gelbrich (1990); thesis (4.11).
    """
    m = arguments.vector("mean", mean)
    other = arguments.vector("other_mean", other_mean, len(m))
    roots = []
    for key, matrix in (("covariance", covariance), ("other_covariance", other_covariance)):
        allowed = f"a symmetric positive semi-definite array ({len(m)}, {len(m)})"
        roots.append(checked_root(key, arguments.matrix(key, matrix, len(m), len(m)), allowed))
    return float(np.sum((m - other) ** 2)) + squared_bures_distance(*roots)


@one_blas_thread()
def process_w2_squared(k: CovarianceFunction, r: CovarianceFunction, X: ArrayLike) -> float:
    """W2^2 between two Gaussian processes of the same mean, over the empirical measure of X, in O(n^3).

    Rounding errors are at most 1e-8 of the sum of both traces.

    Parameters
    ----------
    k, r : covariances, or functions (A, B) of inputs (n, dim) and (m, dim) to (n, m)
    X : array (n, dim)

    Raises
    ------
    ValueError
        If X has more than 5000 rows; if k or r is not a covariance function at X.
    """
    x = _checked(k, r, X)
    if len(x) > MOST_EXACT:
        gigabytes = 4 * 8 * len(x) ** 2 / 1e9
        raise ValueError(f"X must have at most {MOST_EXACT} rows, not {len(x)}, which take {gigabytes:.1f} GB")
    return squared_bures_distance(*_roots(k, r, x))


@one_blas_thread()
def estimated_w2_squared(k: CovarianceFunction, r: CovarianceFunction, X: ArrayLike, points: ArrayLike) -> float:
    """The thesis's estimate (4.15) of `process_w2_squared` from inputs (n, dim) and ``points`` X_S (s, dim), s <= n.

    It is not 0 for a process and itself. Of each eigenvalue's root the real part counts, 0 for a negative one.
    """
    x = _checked(k, r, X)
    chosen = arguments.points("points", points, x.shape[1], least=1)
    n, s = len(x), len(chosen)
    if s > n:
        raise arguments.refuse("points", s, f"at most {n}, the rows of X")
    _roots(k, r, chosen)  # refuses a function that is not a covariance
    roots = np.sqrt(np.maximum(thesis_eigenvalues(k, r, x, chosen).real, 0.0)).sum()
    traces = sum(_trace(of, x) for of in (k, r)) / n
    return float(traces - 2.0 / np.sqrt(n * s) * float(roots))


def _checked(k: CovarianceFunction, r: CovarianceFunction, X: ArrayLike) -> Array:
    for key, function in (("k", k), ("r", r)):
        if not callable(function) or isinstance(function, type):
            raise arguments.refuse(key, function, "a covariance, or a function of two sets of inputs")
    return arguments.points("X", X, least=1)


def _roots(k: CovarianceFunction, r: CovarianceFunction, x: Array) -> list[Array]:
    """Factors of k(X, X) / n and r(X, X) / n."""
    n = len(x)
    matrices = [arguments.matrix(f"{key}(X, X)", of(x, x), n, n) / n for key, of in (("k", k), ("r", r))]
    scale = max(float(np.abs(matrix).max()) for matrix in matrices)
    return [checked_root(key, matrix, A_COVARIANCE, scale) for key, matrix in zip("kr", matrices, strict=True)]


def _trace(k: CovarianceFunction, x: Array) -> float:
    """The sum of k(x_n, x_n), from small blocks, which any function of two sets of inputs can compute."""
    return sum(float(np.trace(np.asarray(k(block, block)))) for block in np.array_split(x, -(-len(x) // BLOCK)))


def thesis_eigenvalues(k: CovarianceFunction, r: CovarianceFunction, X: Array, chosen: Array) -> NDArray[np.complex128]:
    """The eigenvalues (s,) of r(X_S, X) k(X, X_S), whose roots (4.15) adds, with X_S the array ``chosen`` (s, dim).

    The matrix is not symmetric unless X_S = X.
    """
    return np.asarray(linalg.eigvals(np.asarray(r(chosen, X)) @ np.asarray(k(X, chosen))), dtype=np.complex128)
