"""The posterior to sample: its settings, the data's cost and gradient at many particles, coordinates, and the mode."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.steps.projected import add_costs, slopes_in_place
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.newton import newton
from particlegvi.simulation.journal import Journal

COPIED = 2048  # rows of a copied block
ROWS = 512  # rows at a time: their values at all particles of a piece stay in the cache
PARTICLES = 128  # number of particles of a piece
SPAN = 16384  # least number of rows of a piece
MOST_SPANS = 8
WORTH_A_THREAD = 2_000_000  # multiplications that justify one more thread
SETTLED = 1e-9  # stop if half the squared length of a step, in units of the energy, is below this
SIGN_ROWS = 64  # number of rows with y >= 1 at which signs are recorded


class Coordinates(NamedTuple):
    """u = scales * (rotation z), for coefficients u and coordinates z in the rows of arrays (particles, dim)."""

    scales: Array
    rotation: Array

    def coefficients(self, z: Array) -> Array:
        return (z @ self.rotation.T) * self.scales

    def of(self, u: Array) -> Array:
        """The coordinates z of coefficients u."""
        return (u / self.scales) @ self.rotation

    def precision(self, prior_variances: Array) -> Array:
        """The precision matrix (dim, dim) of the prior of z, for independent u with these variances."""
        return self.rotation.T @ ((self.scales**2 / prior_variances)[:, None] * self.rotation)

    def features_in_place(self, features: Array) -> Array:
        """Replace the features (rows, dim) that multiply u, in place, by those that multiply z."""
        for low in range(0, len(features), COPIED):
            block = features[low : low + COPIED]
            block[...] = (block * self.scales) @ self.rotation
        return features


def weighted_gram(features: Array, weights: Array | None) -> Array:
    """features^T diag(weights) features, (dim, dim), symmetric, without a copy of the features."""
    rows, dim = features.shape
    total = np.zeros((dim, dim))
    for low in range(0, rows, COPIED):
        block = features[low : low + COPIED]
        total += block.T @ (block if weights is None else block * weights[low : low + COPIED, None])
    return 0.5 * (total + total.T)


class DataCost:
    """sum_n c(y_n, f_n) with f = features z, for particles z in the rows of an array (particles, dim).

    The features (rows, dim) are C-contiguous and are not copied.
    """

    def __init__(self, likelihood: Likelihood, features: Array, y: Array) -> None:
        self.likelihood = likelihood
        self.features = features
        self.y = y

    def costs(self, z: Array) -> Array:
        return self._sweep(z, None)[1]

    def forces(self, z: Array, slope: Likelihood | None = None) -> tuple[Array, Array]:
        """The gradient (particles, dim) and the cost (particles,); ``slope`` may give the gradient's likelihood."""
        return self._sweep(z, self.likelihood if slope is None else slope)

    def gradients(self, z: Array) -> Array:
        """The gradient (particles, dim)."""
        return self._sweep(z, self.likelihood, count=False)[0]

    def _sweep(self, z: Array, slope: Likelihood | None, count: bool = True) -> tuple[Array, Array]:
        rows = len(self.y)
        span = max(SPAN, -(-rows // MOST_SPANS))
        spans = [(low, min(low + span, rows)) for low in range(0, rows, span)]
        groups = [(low, min(low + PARTICLES, len(z))) for low in range(0, len(z), PARTICLES)]
        forces = np.zeros((len(spans), *z.shape)) if slope is not None else np.zeros((0, *z.shape))
        costs = np.zeros((len(spans), len(z)))
        cost_kernel = add_costs.for_terms(self.likelihood)
        slope_kernel = slopes_in_place.for_terms(slope) if slope is not None else None

        def piece(number: int) -> None:
            s, group = divmod(number, len(groups))
            a, b = groups[group]
            low, high = spans[s]
            columns = z[a:b].T
            for row in range(low, high, ROWS):
                block = self.features[row : min(row + ROWS, high)]
                observed = self.y[row : min(row + ROWS, high)]
                values = block @ columns
                if count:
                    cost_kernel(self.likelihood, values, observed, costs[s, a:b])
                if slope_kernel is not None:
                    slope_kernel(slope, values, observed)
                    forces[s, a:b] += values.T @ block

        def pieces(begin: int, end: int) -> None:
            for number in range(begin, end):
                piece(number)

        total = len(spans) * len(groups)
        work = rows * z.shape[0] * z.shape[1] / max(total, 1)
        threads.split(pieces, total, least=1 if work > WORTH_A_THREAD else total)
        return (_sum(forces) if slope is not None else z), _sum(costs)


def _sum(parts: Array) -> Array:
    total = parts[0] if len(parts) else np.zeros(parts.shape[1:])
    for part in parts[1:]:
        total += part
    return total


class QuadraticCost:
    """`DataCost` for a quadratic cost, from the Gram matrix: the rows are read once.

    The cost is ``z G z / 2 - b z + c``, with G = w features^T features, b = w features^T y, c = w y^T y / 2 and the
    constant curvature w of c.
    """

    def __init__(self, weight: float, features: Array, y: Array) -> None:
        self.gram = weight * weighted_gram(features, None)
        self.linear = np.zeros(features.shape[1])
        for low in range(0, len(y), ROWS):
            self.linear += weight * (y[low : low + ROWS] @ features[low : low + ROWS])
        self.constant = 0.5 * weight * float(y @ y)

    def moved(self, where: Coordinates) -> QuadraticCost:
        other = QuadraticCost.__new__(QuadraticCost)
        other.gram = where.rotation.T @ (where.scales[:, None] * self.gram * where.scales) @ where.rotation
        other.linear = (self.linear * where.scales) @ where.rotation
        other.constant = self.constant
        return other

    def costs(self, z: Array) -> Array:
        return np.einsum("jm,jm->j", z, 0.5 * (z @ self.gram) - self.linear) + self.constant

    def gradients(self, z: Array) -> Array:
        return z @ self.gram - self.linear


def find_mode(cost: DataCost, precision: Array, start: Array) -> tuple[Array, float]:
    """A local minimum of sum_n c(y_n, f_n) + z precision z / 2 near ``start`` (dim,), and its value.

    Newton's method with the Fisher information instead of the curvature, so that every step descends.
    """
    likelihood = cost.likelihood

    def energy(z: Array) -> float:
        return float(cost.costs(z[None])[0] + 0.5 * z @ precision @ z)

    def step(z: Array) -> tuple[Array, float]:
        f = cost.features @ z
        gradient = likelihood.slope(f, cost.y) @ cost.features + precision @ z
        hessian = weighted_gram(cost.features, likelihood.information(f)) + precision
        direction = linalg.solve(hessian, gradient, assume_a="pos")
        return direction, float(gradient @ direction)

    return newton(energy, step, np.array(start, dtype=np.float64), SETTLED)


def mode_of_quadratic(cost: QuadraticCost, precision: Array) -> tuple[Array, float]:
    """The minimum of the quadratic cost plus z precision z / 2, and its value."""
    z = linalg.solve(cost.gram + precision, cost.linear, assume_a="pos")
    return z, float(cost.costs(z[None])[0] + 0.5 * z @ precision @ z)


class CostTask(NamedTuple):
    """A posterior of coefficients, and the settings of the sampler."""

    likelihood: Likelihood
    X: Array  # (rows, inputs)
    y: Array  # (rows,)
    features: Array  # e_m(x_n), (rows, dim), C-contiguous; a plan may overwrite them
    prior_variances: Array  # of the coefficients, (dim,)
    particles: int
    steps: int | None  # None if the plan chooses
    step_size: float | None  # None if the plan chooses
    initial: Array | None  # coefficients at the start, (particles, dim); None for draws from the prior
    seed: int
    journal: Journal  # stores the results of the work before the first step

    def signed_features(self) -> Array | None:
        """The features of some rows with y >= 1 if the likelihood has a pole at f = 0; otherwise None.

        After a plan was chosen, the features are in the plan's coordinates.
        """
        rows = np.flatnonzero(self.y > 0.0)
        if not self.likelihood.even or not len(rows):
            return None
        return self.features[rows[:: max(1, len(rows) // SIGN_ROWS)]]
