"""Pathfinder: the best normal approximation along the path of an optimiser (Zhang, Carpenter, Gelman, Vehtari 2022).

L-BFGS goes downhill from a point. Its steps and the changes of the gradient give an estimate H of the inverse Hessian
at every point of the path (their algorithm 3), hence the normal N(x - H g, H) there. The normal with the largest
evidence lower bound, estimated from a few draws, is the result (algorithm 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.simulation.sampling.posterior import Energy

MEMORY = 30  # steps of the optimiser that count in the estimate of the inverse Hessian
MOST_STEPS = 500
DRAWS = 8  # for the evidence lower bound of one normal
SPAN = 20.0  # normals at points whose energy is so many dimensions above the lowest are not tried
MOST_TRIED = 4


class NormalApproximation(NamedTuple):
    """A normal approximation."""

    bound: float  # evidence lower bound, estimated
    mean: Array  # (dim,)
    root: Array  # (dim, dim), lower triangular: the covariance is root root^T

    def log_density(self, points: Array) -> Array:
        """At points (n, dim), an array (n,), without the constant dim log(2 pi) / 2."""
        from scipy.linalg import solve_triangular

        standard = solve_triangular(self.root, (points - self.mean).T, lower=True)
        return -0.5 * (standard**2).sum(axis=0) - np.log(np.diag(self.root)).sum()


class PathPoint(NamedTuple):
    """A point of a path."""

    point: Array  # (dim,)
    energy: float
    gradient: Array  # (dim,)


def descent(posterior: Energy, start: Array, slope: float = 0.0, most: int = MOST_STEPS) -> list[PathPoint]:
    """The path of L-BFGS from ``start`` (dim,): the points at which the energy fell, from the first on."""
    from scipy.optimize import minimize

    path: list[PathPoint] = []

    def energy_and_gradient(x: Array) -> tuple[float, Array]:
        energy, gradient = posterior(x[None])
        if not np.isfinite(energy[0]):
            return 1e300, np.zeros_like(x)  # the line search goes back
        if not path or energy[0] < path[-1].energy:
            path.append(PathPoint(x.copy(), float(energy[0]), gradient[0]))
        return float(energy[0]), gradient[0]

    options = {"maxiter": most, "maxcor": MEMORY, "maxls": 20, "ftol": 1e-14, "gtol": slope}
    with np.errstate(all="ignore"):
        minimize(energy_and_gradient, start, jac=True, method="L-BFGS-B", options=options)
    return path


class InverseHessian:
    """The estimate of the inverse Hessian from the last steps of a path: BFGS updates of a diagonal matrix."""

    def __init__(self, dim: int) -> None:
        self.diagonal = np.ones(dim)
        self.pairs: list[tuple[Array, Array]] = []  # steps and changes of the gradient

    def take_in(self, step: Array, change: Array) -> None:
        """Count a step and the change of the gradient in it, unless the curvature along it is not positive.

        The diagonal follows the update of Gilbert and Lemarechal (1989), as in Pathfinder.
        """
        product = float(change @ step)
        if product <= 1e-12 * float(change @ change):
            return
        a = float(change @ (self.diagonal * change))
        c = float(step @ (step / self.diagonal))
        inverse = a / (product * self.diagonal) + change**2 / product
        inverse -= a * step**2 / (product * c * self.diagonal**2)
        self.diagonal = 1.0 / inverse
        self.pairs = [*self.pairs, (step, change)][-MEMORY:]

    def matrix(self) -> Array:
        """The estimate, (dim, dim)."""
        estimate = np.diag(self.diagonal)
        for step, change in self.pairs:
            scaled = estimate @ change / (change @ step)
            factor = 1.0 / (change @ step) + (change @ scaled) / (change @ step)
            estimate = estimate - np.outer(scaled, step) - np.outer(step, scaled) + factor * np.outer(step, step)
        return 0.5 * (estimate + estimate.T)


def best_gaussian(posterior: Energy, path: list[PathPoint], random: np.random.Generator) -> NormalApproximation | None:
    """The normal with the largest evidence lower bound along a path, or None."""
    if len(path) < 2:
        return None
    enough = path[-1].energy + SPAN * posterior.dim
    first = next(number for number, step in enumerate(path) if step.energy <= enough)
    tried = set(np.unique(np.linspace(max(first, 1), len(path) - 1, MOST_TRIED).round()).astype(int).tolist())
    inverse = InverseHessian(posterior.dim)
    best = None
    for number in range(1, len(path)):
        before, here = path[number - 1], path[number]
        inverse.take_in(here.point - before.point, here.gradient - before.gradient)
        if number in tried:
            gaussian = _gaussian(posterior, here, inverse.matrix(), random)
            if gaussian is not None and (best is None or gaussian.bound > best.bound):
                best = gaussian
    return best


def _gaussian(
    posterior: Energy, step: PathPoint, covariance: Array, random: np.random.Generator
) -> NormalApproximation | None:
    """The normal at a point of a path, with its bound; None where the estimate is not positive definite."""
    try:
        root = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    mean = step.point - covariance @ step.gradient
    standard = random.standard_normal((DRAWS, len(mean)))
    energy, _ = posterior(mean + standard @ root.T)
    if not np.all(np.isfinite(energy)):
        return None
    entropy = np.log(np.diag(root)).sum() + 0.5 * len(mean) * np.log(2.0 * np.pi)
    return NormalApproximation(float(np.mean(0.5 * (standard**2).sum(axis=1) - energy) + entropy), mean, root)
