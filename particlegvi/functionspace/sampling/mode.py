"""The mode of the posterior of the coefficients, by Fisher scoring."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.sampling.coordinates import weighted_gram
from particlegvi.functionspace.sampling.data_cost import DataCost, QuadraticCost

MOST_ITERATIONS = 100
SETTLED = 1e-9  # stop if half the squared length of a step, in units of the energy, is below this


def find(cost: DataCost, precision: Array, start: Array) -> tuple[Array, float]:
    """A local minimum of sum_n c(y_n, f_n) + z precision z / 2 near ``start`` (dim,), and its value.

    Newton's method with the Fisher information instead of the curvature, so that every step direction is a descent
    direction. Steps are halved until the energy falls.
    """
    z = np.array(start, dtype=np.float64)
    likelihood = cost.likelihood

    def energy(point: Array) -> float:
        return float(cost.costs(point[None])[0] + 0.5 * point @ precision @ point)

    here = energy(z)
    for _ in range(MOST_ITERATIONS):
        f = cost.features @ z
        gradient = likelihood.slope(f, cost.y) @ cost.features + precision @ z
        hessian = weighted_gram(cost.features, likelihood.information(f)) + precision
        step = linalg.solve(hessian, gradient, assume_a="pos")
        decrease = float(gradient @ step)
        length = 1.0
        while not (there := energy(z - length * step)) <= here - 1e-4 * length * decrease and length > 1e-6:
            length *= 0.5
        if there <= here:
            z, here = z - length * step, there
        if decrease < SETTLED or length <= 1e-6:
            break
    return z, here


def of_quadratic(cost: QuadraticCost, precision: Array) -> tuple[Array, float]:
    """The minimum of the quadratic cost plus z precision z / 2, and its value."""
    z = linalg.solve(cost.gram + precision, cost.linear, assume_a="pos")
    return z, float(cost.costs(z[None])[0] + 0.5 * z @ precision @ z)
