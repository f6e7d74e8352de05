"""The Gaussian distribution of coefficients with the highest evidence lower bound.

For a Gaussian likelihood it has a closed form; for any other likelihood natural gradients climb the bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Facts, Likelihood
from particlegvi.tools.errors import warn

HALVINGS = 40
MOST_STEPS = 200  # of natural gradients
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(20)  # an even number has no node at the mean


class Law(NamedTuple):
    """A Gaussian distribution by its mean, its precision matrix and the precision's lower Cholesky factor."""

    mean: Array
    precision: Array
    factor: Array

    def variances(self, features: Array) -> Array:
        """The variance of ``features @ u``, shape (n,)."""
        return np.sum(linalg.solve_triangular(self.factor, features.T, lower=True) ** 2, axis=0)

    def draws(self, normals: Array) -> Array:
        """Draws of u, shape (draws, size), from standard normals of that shape."""
        return linalg.solve_triangular(self.factor, normals.T, lower=True, trans="T").T + self.mean

    def divergence(self) -> float:
        """KL(self, N(0, I)), in nats."""
        trace = np.sum(linalg.solve_triangular(self.factor, np.eye(len(self.mean)), lower=True) ** 2)
        log_root = np.sum(np.log(self.factor.diagonal()))
        return float(0.5 * (trace + self.mean @ self.mean - len(self.mean)) + log_root)


def law(mean: Array, precision: Array) -> Law | None:
    """The Gaussian distribution, or None if the precision is not positive definite or not finite."""
    if not np.all(np.isfinite(precision)):
        return None
    try:
        return Law(mean, precision, linalg.cholesky(precision, lower=True))
    except linalg.LinAlgError:
        return None


class Bound:
    """``sum_n E log p(y_n | f_n) - KL(law, N(0, I))`` with f_n ~ N(e_n . mean, e_n . covariance e_n + left_n).

    The expectations are sums at Gauss-Hermite nodes; the gradients are the exact gradients of these sums. The features
    e are an array (n, size), and ``left`` (n,) are the variances of the residual.
    """

    weights = WEIGHTS / math.sqrt(2.0 * math.pi)

    def __init__(self, likelihood: Likelihood, features: Array, left: Array, targets: Array) -> None:
        self.likelihood, self.features, self.left, self.y = likelihood, features, left, targets[:, None]

    def __call__(self, law: Law) -> float:
        """The bound in nats; minus infinity if it is not defined."""
        f, _ = self._nodes(law)
        with np.errstate(all="ignore"):
            value = np.sum(self.likelihood.log_density(self.y, f) @ self.weights) - law.divergence()
        return float(value) if np.isfinite(value) else -math.inf

    def derivatives(self, law: Law) -> tuple[Array, Array]:
        """Minus the gradient in the mean (size,), and I + E^T diag(expected curvatures of the cost) E.

        At the maximum of the bound this matrix (size, size) is the precision of the distribution.
        """
        f, sd = self._nodes(law)
        slopes = self.likelihood.slope(f, self.y) * self.weights
        gradient = self.features.T @ slopes.sum(axis=1) + law.mean
        curvatures = slopes @ NODES / sd
        return gradient, np.eye(len(law.mean)) + (self.features.T * curvatures) @ self.features

    def _nodes(self, law: Law) -> tuple[Array, Array]:
        sd = np.sqrt(law.variances(self.features) + self.left)
        sd = np.maximum(sd, 1e-150)  # avoid 0: far from every inducing point all features are 0
        return (self.features @ law.mean)[:, None] + sd[:, None] * NODES, sd


def climb(bound: Bound, mean: Array, tolerance: float) -> tuple[Law, float, Facts]:
    """Natural gradient ascent of a bound from N(mean, I): the distribution, its bound, and facts about the ascent.

    ``precision <- (1 - s) precision + s wanted`` and then ``mean <- mean - s precision^-1 gradient``, with the step s
    halved until the bound does not fall. A Gaussian likelihood takes one step. The ascent ends when the squared length
    of the natural gradient (in the Fisher metric, about twice the remaining gain) is below the tolerance.

    Source: Khan and Rue (2023), (4), (11).
    """
    here = Law(mean, np.eye(len(mean)), np.eye(len(mean)))
    height, size, steps, converged = bound(here), 1.0, 0, False
    if height == -math.inf:
        raise ValueError(
            "start must be values of f where the evidence lower bound is finite,"
            " not values (zeros by default) at which the likelihood of y is 0"
        )
    while steps < MOST_STEPS:
        gradient, wanted = bound.derivatives(here)
        converged = _squared_length(here, gradient, wanted) < tolerance
        moved = None if converged else _step(bound, here, height, gradient, wanted, min(1.0, 2.0 * size))
        if moved is None:
            break
        here, height, size = moved
        steps += 1
    if steps == MOST_STEPS:
        warn(f"the evidence lower bound still grows after {MOST_STEPS} steps: this likelihood may have no highest one")
    return here, height, {"method": "natural gradient", "iterations": steps, "converged": converged}


def _step(
    bound: Bound, here: Law, height: float, gradient: Array, wanted: Array, size: float
) -> tuple[Law, float, float] | None:
    """Halve the step from ``size`` until the bound does not fall; return the distribution, its bound and the step."""
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


def collapsed(features: Array, left: Array, y: Array, noise_variance: float) -> tuple[Law, float]:
    """The optimal distribution for a Gaussian likelihood, with precision ``I + E^T E / noise``, and its lower bound.

    Source: Titsias (2009), (9), (10), in whitened coordinates.
    """
    precision = np.eye(features.shape[1]) + features.T @ features / noise_variance
    factor = linalg.cholesky(precision, lower=True)
    projected = features.T @ y / noise_variance
    mean = linalg.cho_solve((factor, True), projected)
    squares = float(y @ y) / noise_variance - projected @ mean  # y^T (E E^T + noise I)^-1 y
    log_determinant = 2.0 * np.sum(np.log(factor.diagonal())) + len(y) * math.log(2.0 * math.pi * noise_variance)
    return Law(mean, precision, factor), float(-0.5 * (squares + log_determinant + left.sum() / noise_variance))
