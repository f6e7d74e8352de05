"""Exact Gaussian process regression, and KL to it, in extended precision (64-bit mantissas) and written out.

A reference for certificates: its errors are about a thousand times smaller than those of the package.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

REAL = np.longdouble
PROFILES = {
    "squared-exponential": lambda s2: np.exp(-s2 / 2),
    "matern-52": lambda s2: (1 + np.sqrt(5 * s2) + 5 * s2 / 3) * np.exp(-np.sqrt(5 * s2)),
    "matern-12": lambda s2: np.exp(-np.sqrt(s2)),
}


def kernel(covariance, A, B):
    """k(A, B), from the name and the parameters of a stationary covariance."""
    scales = covariance.lengthscale.astype(REAL)
    differences = (A.astype(REAL)[:, None] - B.astype(REAL)[None]) / scales
    return REAL(covariance.variance) * PROFILES[covariance.name]((differences**2).sum(-1))


def cholesky(matrix):
    L = np.zeros_like(matrix)
    for j in range(len(matrix)):
        L[j, j] = np.sqrt(matrix[j, j] - L[j, :j] @ L[j, :j])
        L[j + 1 :, j] = (matrix[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    assert np.all(np.isfinite(L))
    return L


def solve(L, right):
    """L^-1 right, for a lower triangular L."""
    out = np.zeros_like(right)
    for i in range(len(L)):
        out[i] = (right[i] - L[i, :i] @ out[:i]) / L[i, i]
    return out


class Exact(NamedTuple):
    evidence: REAL  # log p(y)
    mean: np.ndarray  # at new inputs
    sd: np.ndarray


def exact(covariance, X, y, noise_variance, new):
    """Rasmussen and Williams (2006), (2.25), (2.26), (2.30)."""
    L = cholesky(kernel(covariance, X, X) + REAL(noise_variance) * np.eye(len(X)))
    a, H = solve(L, y.astype(REAL)[:, None])[:, 0], solve(L, kernel(covariance, X, new))
    evidence = -(a @ a) / 2 - np.log(L.diagonal()).sum() - len(X) * np.log(2 * REAL(np.pi)) / 2
    return Exact(evidence, H.T @ a, np.sqrt(np.maximum(REAL(covariance.variance) - (H**2).sum(0), 0)))


def bound(model, X, y, noise_variance):
    """The evidence lower bound of a fitted sparse process, E log p(y|f) - KL(q(u), p(u)).

    u = W^T f(Z) with the weights W of the model's basis, whose prior covariance is W^T k(Z, Z) W: the identity in the
    package, but for rounding. log p(y) minus this is KL(q, p) of the processes.
    """
    k, Z = model.covariance, model.basis.inducing_points
    W = model.basis.vectors.astype(REAL) / np.sqrt(REAL(len(Z)) * model.basis.eigenvalues.astype(REAL))
    L = cholesky(W.T @ kernel(k, Z, Z) @ W)
    e = kernel(k, X, Z) @ W
    one = np.eye(len(L)).astype(REAL)
    inverse, root = solve(L, one), solve(model.law.factor.astype(REAL), one)
    u, S = model.law.mean.astype(REAL), root.T @ root
    scaled = solve(L, u[:, None])[:, 0]
    divergence = (np.trace(inverse @ S @ inverse.T) + scaled @ scaled - len(u)) / 2
    divergence += np.log(L.diagonal()).sum() + np.log(model.law.factor.astype(REAL).diagonal()).sum()
    weights = solve(L, e.T).T @ inverse
    left = np.maximum(REAL(k.variance) - np.einsum("nm,nm->n", weights, e), 0)
    variances = left + np.einsum("nm,ml,nl->n", weights, S, weights)
    squares = ((y - weights @ u) ** 2 + variances) / REAL(noise_variance)
    return -(squares + np.log(2 * REAL(np.pi) * REAL(noise_variance))).sum() / 2 - divergence
