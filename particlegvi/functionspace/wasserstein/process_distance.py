"""The squared 2-Wasserstein distance of Gaussian measures, and of Gaussian processes over an empirical measure.

With rho the empirical measure of n inputs X, two processes with covariances k and r are Gaussian measures of L2(rho),
and Gelbrich's formula gives (thesis 4.4.1, (4.11))

    W2^2 = 1/n |m - m'|^2 + tr K + tr R - 2 tr (K^1/2 R K^1/2)^1/2,       K = k(X, X) / n, R = r(X, X) / n.

The estimator (4.15) of the thesis takes the last trace from the eigenvalues of r(X_S, X) k(X, X_S) with a subset X_S.
This matrix is not symmetric: some eigenvalues are negative or complex, and the estimate of W2^2(P, P) is above 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.linalg import (
    CovarianceFunction,
    dense_factor,
    eigen_root,
    low_rank_factor,
    squared_bures_distance,
    symmetric,
    variances,
)
from particlegvi.tools import arguments

METHODS = ("auto", "exact", "low-rank", "points", "thesis")
MOST_EXACT = 5000  # largest number of rows for the dense method
AUTOMATIC = 800  # largest number of rows for which "auto" is exact
DEFAULT_POINTS = 100


class SquaredDistance(NamedTuple):
    """The squared 2-Wasserstein distance of two Gaussian measures.

    Attributes
    ----------
    value : float
        W2^2; 0 where rounding made it negative.
    error : float
        Bound on the error of ``value`` for "exact" (its rounding error) and "low-rank"; nan for the two estimates by
        points.
    method : str
    ranks : tuple of int
        Ranks of the factors of the two covariances.
    """

    value: float
    error: float
    method: str
    ranks: tuple[int, int]


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
    roots = [_root(key, each, len(m)) for key, each in
             (("covariance", covariance), ("other_covariance", other_covariance))]  # fmt: skip
    return float(np.sum((m - other) ** 2)) + squared_bures_distance(*roots)


def _root(key: str, matrix: ArrayLike, n: int) -> Array:
    """A factor A with A A^T = matrix."""
    allowed = f"a symmetric positive semi-definite array ({n}, {n})"
    found = arguments.array(key, matrix, allowed)
    if found.shape != (n, n):
        raise arguments.shaped(key, found, allowed)
    return eigen_root(key, symmetric(key, arguments.finite(key, found, allowed), allowed), allowed)


@one_blas_thread()
def process_w2_squared(
    k: CovarianceFunction,
    r: CovarianceFunction,
    X: ArrayLike,
    method: str = "auto",
    points: ArrayLike | int | None = None,
    *,
    seed: int = 0,
) -> SquaredDistance:
    """W2^2 between two Gaussian processes of the same mean, over the empirical measure of X.

    Parameters
    ----------
    k, r : covariances, or functions (A, B=None) of inputs (n, dim) and (m, dim) to (n, m)
    X : array (n, dim)
    method : str
        "exact": dense matrices, O(n^3). "low-rank": pivoted Cholesky factors of both, until the remainder is below
        1e-14 of the trace, with a bound on the error. "points": both processes restricted to the points X_S.
        "thesis": the thesis's estimator (4.15). "auto": "exact" up to 800 rows, then "low-rank".
    points : array (s, dim) or int, optional
        X_S for "points" and "thesis", or their number (100 if not given), drawn from X by the seed.

    Raises
    ------
    ValueError
        If "exact" is used for more than 5000 rows; if k or r is found not to be a covariance function: not symmetric,
        or with an eigenvalue that is negative beyond rounding.
    """
    x = arguments.points("X", X, least=1)
    for key, each in (("k", k), ("r", r)):
        if not callable(each) or not _is_covariance(each, x):
            raise arguments.refuse(key, each, "a covariance, or a function of two sets of inputs")
    if not isinstance(method, str) or method not in METHODS:
        raise arguments.refuse("method", method, f"one of {', '.join(METHODS)}")
    if method == "auto":
        method = "exact" if len(x) <= AUTOMATIC else "low-rank"
    if method == "exact":
        if len(x) > MOST_EXACT:
            gigabytes = 4 * 8 * len(x) ** 2 / 1e9
            raise ValueError(f'method must be "low-rank" for {len(x)} rows: "exact" takes {gigabytes:.1f} GB')
        return _exact(k, r, x)
    if method == "low-rank":
        return _low_rank(k, r, x)
    chosen = _points(points, x, seed)
    if method == "points":
        return _exact(k, r, chosen)._replace(method="points", error=float("nan"))
    return _thesis(k, r, x, chosen)


def _is_covariance(k: CovarianceFunction, x: Array) -> bool:
    """Whether the function returns one number for one pair of inputs."""
    try:
        return np.asarray(k(x[:1], x[:1]), dtype=np.float64).shape == (1, 1)
    except (TypeError, ValueError, AttributeError, IndexError):
        return False


def _exact(k: CovarianceFunction, r: CovarianceFunction, x: Array) -> SquaredDistance:
    both = {"k": k, "r": r}
    rounding = variances(both, x)[1]
    a, b = (dense_factor(key, each, x, rounding) for key, each in both.items())
    error = 1e-8 * float(np.sum(a * a) + np.sum(b * b))
    return SquaredDistance(squared_bures_distance(a, b), error, "exact", (a.shape[1], b.shape[1]))


def _low_rank(k: CovarianceFunction, r: CovarianceFunction, x: Array) -> SquaredDistance:
    diagonals, rounding = variances({"k": k, "r": r}, x)
    a, left_a = low_rank_factor("k", k, x, diagonals[0], rounding)
    b, left_b = low_rank_factor("r", r, x, diagonals[1], rounding)
    traces = float(np.sum(a * a)) + left_a, float(np.sum(b * b)) + left_b
    # W2 is a metric, so that leaving E out of K changes it by at most sqrt(tr E).
    moved = np.sqrt(left_a) + np.sqrt(left_b)
    value = squared_bures_distance(a, b)
    error = float(moved * (2.0 * np.sqrt(value) + moved)) + 1e-8 * sum(traces)
    return SquaredDistance(value, error, "low-rank", (a.shape[1], b.shape[1]))


def _points(points: ArrayLike | int | None, x: Array, seed: int) -> Array:
    if points is not None and not isinstance(points, int | np.integer):
        return arguments.points("points", points, x.shape[1], least=1)
    count = arguments.whole("points", DEFAULT_POINTS if points is None else points, 1)
    if count > len(x):
        if points is not None:
            raise arguments.refuse("points", points, f"at most {len(x)}, the rows of X")
        count = len(x)
    return x[np.sort(np.random.default_rng(arguments.seed(seed)).choice(len(x), count, replace=False))]


def _thesis(k: CovarianceFunction, r: CovarianceFunction, x: Array, chosen: Array) -> SquaredDistance:
    """The estimate by (4.14) and (4.15); of each eigenvalue's root the real part counts, 0 for a negative one."""
    n, s = len(x), len(chosen)
    if s > n:
        raise arguments.refuse("points", s, f'at most {n}, the rows of X, for the method "thesis"')
    both = {"k": k, "r": r}
    diagonals, rounding = variances(both, x)
    for key, each in both.items():
        dense_factor(key, each, chosen, rounding)  # refuses a function that is not a covariance
    eigenvalues = thesis_eigenvalues(k, r, x, chosen)
    roots = np.sqrt(np.maximum(eigenvalues.real, 0.0)).sum()
    traces = float((diagonals[0] + diagonals[1]).sum())
    return SquaredDistance(float(traces - 2.0 / np.sqrt(n * s) * float(roots)), float("nan"), "thesis", (s, s))


def thesis_eigenvalues(k: CovarianceFunction, r: CovarianceFunction, X: Array, chosen: Array) -> NDArray[np.complex128]:
    """The eigenvalues (s,) of r(X_S, X) k(X, X_S), whose roots (4.15) adds, with X_S the array ``chosen`` (s, dim).

    The matrix is not symmetric unless X_S = X.
    """
    return np.asarray(linalg.eigvals(np.asarray(r(chosen, X)) @ np.asarray(k(X, chosen))), dtype=np.complex128)
