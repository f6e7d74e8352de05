"""The covariance of a basis that minimises the objective of Gaussian Wasserstein inference: a convex problem."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg, optimize

from particlegvi.contracts import Array
from particlegvi.functionspace.residuals.conditional import root


def optimal(prior: Array, features: Array, start: Array, price: float) -> Array:
    """The S = L L^T that minimises price tr C_Q - 2 tr (C_P^1/2 C_Q C_P^1/2)^1/2, by L-BFGS.

    Parameters
    ----------
    prior : array (n, n)
        k(X, X), n times C_P.
    features : array (n, size)
        e(X), with n C_Q = k(X, X) - e e^T + e S e^T.
    start : array (size, size)
        S to begin with, diagonal.
    price : float
        1 + n / (2 s2 w): of the trace of C_Q in the data's cost and in W2^2.
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
        slope = 2.0 * price * moved - 2.0 * pulled
        value = price * float(np.sum(moved**2)) - 2.0 * float(singular.sum())
        return value, (features.T @ slope / math.sqrt(n)).ravel()

    options = {"maxiter": 500, "ftol": 1e-15}
    found = optimize.minimize(value_and_slope, np.sqrt(start).ravel(), jac=True, method="L-BFGS-B", options=options)
    lower = found.x.reshape(start.shape)
    return np.asarray(lower @ lower.T)
