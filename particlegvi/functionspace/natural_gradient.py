"""The Gaussian law of coefficients that makes the evidence lower bound largest, for any likelihood."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.functionspace.checks import Array

HALVINGS = 40


class Law(NamedTuple):
    """A Gaussian law by its mean, its precision matrix and the precision's lower Cholesky factor."""

    mean: Array
    precision: Array
    factor: Array

    def variances(self, features: Array) -> Array:
        """The variance of ``features @ u``, shape (n,)."""
        return np.sum(linalg.solve_triangular(self.factor, features.T, lower=True) ** 2, axis=0)

    def divergence(self) -> float:
        """KL(self, N(0, I)), in nats."""
        trace = np.sum(linalg.solve_triangular(self.factor, np.eye(len(self.mean)), lower=True) ** 2)
        log_root = np.sum(np.log(self.factor.diagonal()))
        return float(0.5 * (trace + self.mean @ self.mean - len(self.mean)) + log_root)


def law(mean: Array, precision: Array) -> Law | None:
    """The Gaussian law, or None where the precision is not positive definite, or not finite."""
    if not np.all(np.isfinite(precision)):
        return None
    try:
        return Law(mean, precision, linalg.cholesky(precision, lower=True))
    except linalg.LinAlgError:
        return None


class Bound:
    """``sum_n E log p(y_n | f_n) - KL(law, N(0, I))`` with ``f_n ~ N(e_n . mean, e_n . covariance e_n + left_n)``.

    The expectations are sums at Gauss-Hermite nodes; the gradients are those of these sums.

    Parameters
    ----------
    likelihood
        With ``log_density(y, f)`` and ``slope(f, y)``, minus its derivative in f.
    features : array (n, size)
        e.
    left : array (n,)
        What the residual adds to the variance.
    targets : array (n,)
    nodes : int
    """

    def __init__(self, likelihood: Any, features: Array, left: Array, targets: Array, nodes: int) -> None:
        self.likelihood, self.features, self.left, self.y = likelihood, features, left, targets[:, None]
        self.nodes, weights = np.polynomial.hermite_e.hermegauss(nodes)
        self.weights = weights / math.sqrt(2.0 * math.pi)

    def __call__(self, law: Law) -> float:
        """In nats; minus infinity where it is not defined."""
        f, _ = self._nodes(law)
        with np.errstate(all="ignore"):
            value = np.sum(self.likelihood.log_density(self.y, f) @ self.weights) - law.divergence()
        return float(value) if np.isfinite(value) else -math.inf

    def derivatives(self, law: Law) -> tuple[Array, Array]:
        """Minus the gradient in the mean (size,), and the precision (size, size) that the law would have if the
        expected curvatures of the cost were its own: at the maximum it does."""
        f, sd = self._nodes(law)
        slopes = self.likelihood.slope(f, self.y) * self.weights
        gradient = self.features.T @ slopes.sum(axis=1) + law.mean
        curvatures = slopes @ self.nodes / sd
        return gradient, np.eye(len(law.mean)) + (self.features.T * curvatures) @ self.features

    def _nodes(self, law: Law) -> tuple[Array, Array]:
        sd = np.sqrt(law.variances(self.features) + self.left)
        sd = np.maximum(sd, 1e-150)  # features that are all 0 far from every inducing point
        return (self.features @ law.mean)[:, None] + sd[:, None] * self.nodes, sd


def climb(bound: Bound, mean: Array, most_iterations: int, tolerance: float) -> tuple[Law, float, dict[str, Any]]:
    """Natural gradient ascent of a bound from N(mean, I): the law, the bound there, and how it went.

    ``precision <- (1 - s) precision + s wanted`` and then ``mean <- mean - s precision^-1 gradient``, with the step s
    halved until the bound does not fall. A Gaussian likelihood takes one step. It ends where the squared length of the
    natural gradient (in the Fisher metric, about twice what is left to gain) is below the tolerance.

    Raises
    ------
    ValueError
        If the bound is not finite where it begins.

    Source: Khan and Rue (2023), (4), (11).
    """
    here = Law(mean, np.eye(len(mean)), np.eye(len(mean)))
    height, size = bound(here), 1.0
    if height == -math.inf:
        raise ValueError(
            "the evidence lower bound is not finite where the climb begins; likelier values of f are needed as start"
        )
    steps, converged = 0, False
    while not converged and steps < most_iterations:
        gradient, wanted = bound.derivatives(here)
        converged = _squared_length(here, gradient, wanted) < tolerance
        if not converged:
            moved = _step(bound, here, height, gradient, wanted, min(1.0, 2.0 * size))
            if moved is None:
                break
            here, height, size = moved
            steps += 1
    return here, height, {"method": "natural gradient", "iterations": steps, "converged": converged}


def _step(
    bound: Bound, here: Law, height: float, gradient: Array, wanted: Array, size: float
) -> tuple[Law, float, float] | None:
    """The first law that is not lower, trying steps of ``size`` and its halves, with its bound and its step."""
    for _ in range(HALVINGS):
        moved = law(here.mean, (1.0 - size) * here.precision + size * wanted)
        if moved is not None:
            moved = moved._replace(mean=here.mean - size * linalg.cho_solve((moved.factor, True), gradient))
            reached = bound(moved)
            if reached >= height - 1e-12 * abs(height):
                return moved, reached, size
        size *= 0.5
    return None


def _squared_length(here: Law, gradient: Array, wanted: Array) -> float:
    in_mean = linalg.solve_triangular(here.factor, gradient, lower=True)
    half = linalg.solve_triangular(here.factor, wanted - here.precision, lower=True)
    in_precision = linalg.solve_triangular(here.factor, half.T, lower=True)
    return float(np.sum(in_mean**2) + 0.5 * np.sum(in_precision**2))
