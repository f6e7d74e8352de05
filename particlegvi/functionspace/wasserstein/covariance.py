"""The covariance r(x, x') = k(x, x') - e(x)^T e(x') + e(x)^T S e(x'), (4.18): three rules for the matrix S.

"closed" is S = I / a^2 with a = 1 + n / (2 s2 w), the minimiser of an upper bound of the objective. "optimal" is the S
that minimises the objective, a convex problem. "svgp" is the S of the sparse variational process, (B.59): it does not
depend on the weight w, and fits the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import linalg, optimize

from particlegvi.contracts import Array
from particlegvi.functionspace.linalg import root
from particlegvi.tools.quoting import refuse

RULES = ("closed", "optimal", "svgp")


def checked_rule(value: object) -> str:
    """Check the name of a rule."""
    if not isinstance(value, str) or value not in RULES:
        raise refuse("covariance", value, f"one of {', '.join(RULES)}")
    return value


def shrinkage(w2_weight: float, rows: int, noise_variance: float) -> float:
    """1 / a^2 = (1 + n / (2 s2 w))^-2 for n rows; 0 for a weight of 0."""
    return 0.0 if w2_weight == 0.0 else (1.0 + rows / (2.0 * noise_variance * w2_weight)) ** -2


def coefficient_covariance(
    rule: str, prior: Callable[[], Array], features: Array, noise_variance: float, w2_weight: float
) -> Array:
    """The matrix S, (size, size), by a rule.

    Parameters
    ----------
    rule : str
        One of `RULES`.
    prior : callable
        Returns k(X, X), (n, n); only "optimal" calls it.
    features : array (n, size)
        The features e(X).
    noise_variance, w2_weight : float
        s2 and w.
    """
    one, rows = np.eye(features.shape[1]), len(features)
    if rule == "svgp":
        return np.asarray(np.linalg.inv(one + features.T @ features / noise_variance))
    closed = shrinkage(w2_weight, rows, noise_variance) * one
    if rule == "closed" or w2_weight == 0.0:
        return closed
    return optimal(prior(), features, closed, rows / (2.0 * noise_variance * w2_weight) + 1.0)


def optimal(prior: Array, features: Array, start: Array, trace_weight: float) -> Array:
    """The S = L L^T that minimises c tr C_Q - 2 tr (C_P^1/2 C_Q C_P^1/2)^1/2, by L-BFGS.

    Parameters
    ----------
    prior : array (n, n)
        k(X, X), n times C_P.
    features : array (n, size)
        e(X), with n C_Q = k(X, X) - e e^T + e S e^T.
    start : array (size, size)
        S at the start, diagonal.
    trace_weight : float
        c = 1 + n / (2 s2 w): the trace of C_Q is part of the cost of the data and of W2^2.
    """
    n = len(prior)
    scale = float(np.trace(prior / n))
    a_root, residual = root(prior / n, scale), root((prior - features @ features.T) / n, scale)
    fixed = a_root.T @ residual

    def value_and_slope(flat: Array) -> tuple[float, Array]:
        lower = flat.reshape(start.shape)
        moved = features @ lower / math.sqrt(n)
        u, singular, v = linalg.svd(np.concatenate([fixed, a_root.T @ moved], axis=1), full_matrices=False)
        pulled = a_root @ (u @ v)[:, fixed.shape[1] :]
        slope = 2.0 * trace_weight * moved - 2.0 * pulled
        value = trace_weight * float(np.sum(moved**2)) - 2.0 * float(singular.sum())
        return value, (features.T @ slope / math.sqrt(n)).ravel()

    options = {"maxiter": 500, "ftol": 1e-15}
    found = optimize.minimize(value_and_slope, np.sqrt(start).ravel(), jac=True, method="L-BFGS-B", options=options)
    lower = found.x.reshape(start.shape)
    return np.asarray(lower @ lower.T)
