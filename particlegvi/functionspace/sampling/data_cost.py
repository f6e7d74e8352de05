"""The cost of the data and its gradient at many particles: row blocks through BLAS, the rest compiled.

The pieces of work do not depend on the number of threads, and every piece is a product on one BLAS thread. So the bytes
of the result do not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.steps.projected import add_costs, slopes_in_place
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.sampling.coordinates import Coordinates, weighted_gram

ROWS = 512  # rows at a time: their values at all particles of a piece stay in the cache
PARTICLES = 128  # number of particles of a piece
SPAN = 16384  # least number of rows of a piece
MOST_SPANS = 8
WORTH_A_THREAD = 2_000_000  # multiplications that justify one more thread


class DataCost:
    """sum_n c(y_n, f_n) with f = features z, for particles z in the rows of an array (particles, dim).

    Parameters
    ----------
    likelihood : likelihood
        The likelihood with the cost c.
    features : array (rows, dim)
        The features, C-contiguous; not copied.
    y : array (rows,)
    """

    def __init__(self, likelihood: Likelihood, features: Array, y: Array) -> None:
        self.likelihood = likelihood
        self.features = features
        self.y = y

    def costs(self, z: Array) -> Array:
        """The cost of each particle, (particles,)."""
        return self._sweep(z, None)[1]

    def forces(self, z: Array, slope: Likelihood | None = None) -> tuple[Array, Array]:
        """The gradient (particles, dim) and the cost (particles,); ``slope`` may give the gradient's likelihood."""
        return self._sweep(z, self.likelihood if slope is None else slope)

    def gradients(self, z: Array, first: int = 0, last: int | None = None) -> Array:
        """The gradient (particles, dim) of the cost of rows first, ..., last - 1."""
        return self._sweep(z, self.likelihood, first, last, count=False)[0]

    def _sweep(
        self, z: Array, slope: Likelihood | None, first: int = 0, last: int | None = None, count: bool = True
    ) -> tuple[Array, Array]:
        last = len(self.y) if last is None else last
        span = max(SPAN, -(-(last - first) // MOST_SPANS))
        spans = [(low, min(low + span, last)) for low in range(first, last, span)]
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
        work = (last - first) * z.shape[0] * z.shape[1] / max(total, 1)
        threads.split(pieces, total, least=1 if work > WORTH_A_THREAD else total)
        return (_sum(forces) if slope is not None else z), _sum(costs)


def _sum(parts: Array) -> Array:
    """The sum over the first axis, in order."""
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
        """This cost in the coordinates ``where``."""
        other = QuadraticCost.__new__(QuadraticCost)
        other.gram = where.rotation.T @ (where.scales[:, None] * self.gram * where.scales) @ where.rotation
        other.linear = (self.linear * where.scales) @ where.rotation
        other.constant = self.constant
        return other

    def costs(self, z: Array) -> Array:
        """The cost of each particle, (particles,)."""
        return np.einsum("jm,jm->j", z, 0.5 * (z @ self.gram) - self.linear) + self.constant

    def gradients(self, z: Array) -> Array:
        """The gradient (particles, dim)."""
        return z @ self.gram - self.linear
