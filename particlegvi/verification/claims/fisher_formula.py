"""The preconditioned Fisher divergence in closed form, and the constant of the bound that it is for."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection import Targets
from particlegvi.functionspace.selection.objectives import SquaredDivergence
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

BATCH = 20_000


@claim("Huggins et al. (2019), (F.1); Proposition 5.1 with its missing factors", wrong="S without the square in it")
def pf_formula(seed: int, wrong: bool, *, draws: int = 200_000) -> Checks:
    """(F.1) equals the mean over functions of the squared norm in the divergence.

    25 rows, 6 inducing points, nu a subset of 10 regressors: the formula against the mean over functions drawn from
    nu of the squared norm that it stands for, in standard errors; and the package against both.

    Wrong: the matrix S of the formula without its square, Q (I - (Q + s2)^-1 Q).
    """
    r = np.random.default_rng(1)
    X = r.uniform(-2.0, 2.0, (25, 1))
    y = np.sin(2.0 * X[:, 0]) + 0.2 * r.normal(size=25)
    Z, R, noise = np.linspace(-2.0, 2.0, 6)[:, None], X[:10], 0.04
    k = covariances.SquaredExponential(0.7, 1.2)
    inner = np.linalg.inv(k(R) + k(R, X) @ k(X, R) / noise)
    weights = inner @ k(R, X) @ y / noise  # nu: mean k(., R) weights, covariance k(., R) inner k(R, .)
    formula = _printed(k, (X, y, Z), noise, (R, weights, inner), 1 if wrong else 2)

    S = np.vstack([X, Z])
    gram = k(S) + 1e-12 * np.eye(len(S))
    L = np.linalg.cholesky(gram)
    one = np.eye(len(S))
    H = L[: len(X)]
    across = np.linalg.solve(k(Z), k(Z, X)).T @ L[len(X) :]
    exact, shift = one + H.T @ H / noise, H.T @ y / noise
    covariance = np.linalg.inv(one + across.T @ across / noise)
    slope, start = covariance @ exact - one, covariance @ (across.T @ y / noise - shift)
    to_coordinates = np.linalg.solve(L, k(S, R))
    mean, half = to_coordinates @ weights, to_coordinates @ np.linalg.cholesky(inner)
    random = np.random.default_rng(seed)
    norms = np.concatenate([
        np.sum(((mean + random.normal(size=(BATCH, len(R))) @ half.T) @ slope.T + start) ** 2, axis=1)
        for _ in range(draws // BATCH)
    ])  # fmt: skip
    mean_norm, error = float(norms.mean()), float(norms.std() / math.sqrt(len(norms)))
    package = SquaredDivergence(k, X, Targets(y, noise), R).at(Z)[0]
    return (
        Check("distance of the formula to the mean, in errors of it", abs(formula - mean_norm) / error, chance.ERRORS),
        Check("difference of the package to the formula, relative", abs(package / formula - 1.0), 1e-5),
    )


def _printed(
    k: Covariance, data: tuple[np.ndarray, np.ndarray, np.ndarray], noise: float,
    nu: tuple[np.ndarray, np.ndarray, np.ndarray], power: int,
) -> float:  # fmt: skip
    """(F.1) over noise^2, by dense matrices."""
    X, y, Z = data
    R, weights, inner = nu
    n, A, B = len(X), k(X, R), k(Z, R)
    projection = np.linalg.solve(k(Z), k(Z, X)).T
    Q = projection @ k(Z, X)
    S = Q @ np.linalg.matrix_power(np.eye(n) - np.linalg.solve(Q + noise * np.eye(n), Q), power)
    v, u = A @ weights - y, A @ weights - projection @ (B @ weights)
    own, among, between = A @ inner @ A.T, B @ inner @ B.T, B @ inner @ A.T
    total = np.trace((own + np.outer(v, v)) @ (k(X) - Q)) + np.trace(own @ S)
    total += np.trace(among @ projection.T @ S @ projection) - 2.0 * np.trace(between @ S @ projection) + u @ S @ u
    return float(total) / noise**2
