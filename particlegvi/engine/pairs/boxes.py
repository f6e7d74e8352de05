"""Repulsion of the squared-exponential kernel in the plane by Chebyshev boxes: linear in N.

Particles are sorted into boxes; each box sums up Chebyshev moments of its particles; moments become Chebyshev
coefficients of the field in every box within reach, one coordinate after the other; the field is evaluated at the
particles (`particlegvi.engine.pairs.box_passes`). The side of a box is the largest for which interpolation with
``NODES`` nodes keeps a tolerance fixed in advance.

On a box of side h lengthscales, a function analytic in the Bernstein ellipse of parameter rho and bounded there by M is
interpolated at n Chebyshev nodes with an error of at most 4 M rho^(1-n) / (rho - 1) (Trefethen, Approximation Theory
and Approximation Practice, theorem 8.2). For the kernel's derivative in units of variance / lengthscale, M is at most
(0.61 + y) exp(y^2 / 2) with y = h (rho - 1/rho) / 4. Interpolating sources and targets in both coordinates adds such an
error four times, the later ones multiplied by the Lebesgue constants of the earlier.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs import box_passes
from particlegvi.engine.pairs.algorithm import CALL, Algorithm, extent
from particlegvi.engine.pairs.box_passes import NODES, SQUARE, BoxGrid

MOST_BOXES = 40_000  # 5 arrays of NODES^2 numbers a box, 10 kB


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


def interpolation_error(side: float) -> float:
    """Bound on the interpolation error in units of variance / lengthscale, minimised over the ellipse."""
    lebesgue = 2.0 / math.pi * math.log(NODES) + 1.0
    repeats = sum(lebesgue**k for k in range(4))
    rho = np.linspace(1.5, 60.0, 2000)
    y = side * (rho - 1.0 / rho) / 4.0
    log_error = np.log(4.0 * (0.61 + y)) + 0.5 * y * y - (NODES - 1) * np.log(rho) - np.log(rho - 1.0)
    return repeats * float(np.exp(log_error.min()))


def box_plan(lengthscale: float, variance: float, tolerance: float) -> BoxPlan:
    """The largest box and the shortest reach that keep ``tolerance``, half of it each."""
    tolerance = max(tolerance, 1e-15)
    reach = 1.0
    while reach * math.exp(-0.5 * reach * reach) > 0.5 * tolerance:
        reach += 0.01
    low, high = 0.01, 8.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if interpolation_error(middle) <= 0.5 * tolerance:
            low = middle
        else:
            high = middle
    return BoxPlan(float(lengthscale), float(variance), low, reach)


def operators(plan: BoxPlan) -> tuple[np.ndarray, np.ndarray]:
    """From Chebyshev moments of one box to Chebyshev coefficients of the field in another, along one coordinate.

    Entry [width + o, m, k] of both arrays (2 width + 1, NODES, NODES) is coefficient m of the field in a box that lies
    o boxes to the right of the sources, per unit of their moment k: of kappa, and of d kappa / dx.
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
        return np.ascontiguousarray(product(product(to_coefficients, matrix), to_coefficients.T))

    return between(profile), between(slope)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b of small matrices, or of stacks of them, term by term: its bits depend on no kernel of BLAS."""
    total = a[..., :, :1] * b[..., :1, :]
    for k in range(1, a.shape[-1]):
        total = total + a[..., :, k, None] * b[..., k, None, :]
    return total


class Boxes(Algorithm[BoxGrid]):
    """Squared exponential in the plane, for clouds that are not much wider than `MOST_BOXES` boxes."""

    name = "Chebyshev boxes"

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.plan = box_plan(kernel.lengthscale, kernel.variance, tolerance)
        self.operators = [np.ascontiguousarray(matrices.transpose(0, 2, 1)) for matrices in operators(self.plan)]

    def estimate(self, positions: Array) -> tuple[float, BoxGrid] | None:
        low, high = extent(positions)
        inverse_side = 1.0 / (self.plan.side * self.plan.lengthscale)
        across, along = ((high - low) * inverse_side).tolist()
        if not across * along + across + along + 1.0 <= MOST_BOXES:
            return None
        grid = BoxGrid(float(low[0]), float(low[1]), inverse_side, int(across) + 1, int(along) + 1)
        boxes, partners = grid.rows * grid.columns, min(2 * self.plan.width + 1, max(grid.rows, grid.columns))
        return positions.shape[0] * 150.0 + 0.15 * boxes * partners * 4 * NODES**3 + 3.0 * CALL, grid

    def force(self, positions: Array, prepared: BoxGrid, factor: float, out: Array) -> None:
        x, grid = positions, prepared
        boxes = grid.rows * grid.columns
        order, starts = np.empty(len(x), dtype=np.int64), np.empty(boxes + 1, dtype=np.int64)
        box_passes.sort_by_box(x, grid, starts, order)
        moments, with_values, with_slopes = (np.empty((boxes, SQUARE)) for _ in range(3))
        field = np.empty((boxes, 2 * SQUARE))
        scale = factor * self.plan.variance / len(x)
        threads.split(lambda a, b: box_passes.sum_moments(x, order, starts, grid, a, b, moments), boxes)
        threads.split(
            lambda a, b: box_passes.translate_along(moments, grid, *self.operators, a, b, with_values, with_slopes),
            grid.rows,
        )
        threads.split(
            lambda a, b: box_passes.translate_across(
                with_values, with_slopes, starts, grid, *self.operators, scale, a, b, field
            ),
            grid.rows,
        )
        threads.split(lambda a, b: box_passes.evaluate(x, order, starts, grid, field, a, b, out), boxes)
