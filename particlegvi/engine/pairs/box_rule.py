"""The largest box for which Chebyshev interpolation with ``NODES`` nodes keeps a tolerance fixed in advance.

On a box of side h lengthscales, a function analytic in the Bernstein ellipse of parameter rho and bounded there by M is
interpolated at n Chebyshev nodes with an error of at most 4 M rho^(1-n) / (rho - 1) (Trefethen, Approximation Theory
and Approximation Practice, theorem 8.2). For the kernel's derivative in units of variance / lengthscale, M is at most
(0.61 + y) exp(y^2 / 2) with y = h (rho - 1/rho) / 4. Interpolating sources and targets in ``dim`` coordinates each adds
such an error 2 dim times, the later ones multiplied by the Lebesgue constants of the earlier.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

NODES = 16


class BoxPlan(NamedTuple):
    """Constants of a run, from the tolerance."""

    lengthscale: float
    variance: float
    side: float  # of a box, in lengthscales
    reach: float  # distance, in lengthscales, beyond which pairs are ignored

    @property
    def width(self) -> int:
        """Boxes to either side that lie within reach."""
        return math.ceil(self.reach / self.side)


def interpolation_error(side: float, dim: int) -> float:
    """Bound on the interpolation error in units of variance / lengthscale, minimised over the ellipse."""
    lebesgue = 2.0 / math.pi * math.log(NODES) + 1.0
    repeats = sum(lebesgue**k for k in range(2 * dim))
    rho = np.linspace(1.5, 60.0, 2000)
    y = side * (rho - 1.0 / rho) / 4.0
    log_error = np.log(4.0 * (0.61 + y)) + 0.5 * y * y - (NODES - 1) * np.log(rho) - np.log(rho - 1.0)
    return repeats * float(np.exp(log_error.min()))


def box_plan(lengthscale: float, variance: float, tolerance: float, dim: int) -> BoxPlan:
    """The largest box and the shortest reach that keep ``tolerance``, half of it each."""
    tolerance = max(tolerance, 1e-15)
    reach = 1.0
    while reach * math.exp(-0.5 * reach * reach) > 0.5 * tolerance:
        reach += 0.01
    low, high = 0.01, 8.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if interpolation_error(middle, dim) <= 0.5 * tolerance:
            low = middle
        else:
            high = middle
    return BoxPlan(float(lengthscale), float(variance), low, reach)


def operators(plan: BoxPlan) -> tuple[np.ndarray, np.ndarray]:
    """From Chebyshev moments of one box to Chebyshev coefficients of the field in another, along one coordinate.

    Returns
    -------
    values, slopes : ndarray (2 width + 1, NODES, NODES)
        Entry [width + o, m, k]: coefficient m of the field in a box that lies o boxes to the right of the sources, per
        unit of their moment k, for kappa (values) and for d kappa / dx (slopes).
    """
    k = np.arange(NODES)
    nodes = np.cos((2 * k + 1) * np.pi / (2 * NODES))
    # coefficients of the interpolant from values at the nodes; also weights at the nodes from moments, transposed
    to_coefficients = np.cos(np.outer(k, np.arccos(nodes))) * (2.0 / NODES)
    to_coefficients[0] *= 0.5
    offsets = np.arange(-plan.width, plan.width + 1)
    distance = plan.side * (offsets[:, None, None] + 0.5 * (nodes[:, None] - nodes[None, :]))  # in lengthscales
    profile = np.exp(-0.5 * distance * distance)
    slope = -distance / plan.lengthscale * profile

    def between(matrix: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(to_coefficients @ matrix @ to_coefficients.T)

    return between(profile), between(slope)
