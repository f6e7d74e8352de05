"""The Chebyshev boxes of the squared exponential in one and two dimensions: their size, and the sums over them.

The box is the largest for which interpolation with ``NODES`` nodes keeps a tolerance fixed in advance.

On a box of side h lengthscales, a function analytic in the Bernstein ellipse of parameter rho and bounded there by M is
interpolated at n Chebyshev nodes with an error of at most 4 M rho^(1-n) / (rho - 1) (Trefethen, Approximation Theory
and Approximation Practice, theorem 8.2). For the kernel's derivative in units of variance / lengthscale, M is at most
(0.61 + y) exp(y^2 / 2) with y = h (rho - 1/rho) / 4. Interpolating sources and targets in ``dim`` coordinates each adds
such an error 2 dim times, the later ones multiplied by the Lebesgue constants of the earlier.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs import boxes
from particlegvi.engine.pairs.algorithm import CALL, Algorithm
from particlegvi.engine.pairs.boxes import NODES

MOST_BOXES = 40_000  # 2-D: 5 arrays of NODES^2 numbers a box, 10 kB
Whole: TypeAlias = NDArray[np.int64]
Slots: TypeAlias = list[tuple[Whole, Array]]  # of each coordinate: the slots in use, and their lower corners
Layout: TypeAlias = tuple[Slots, list[Whole]]  # and each particle's slot among those in use
ByBox: TypeAlias = tuple[Whole, Whole]  # where the particles of a box start, and the particles in order of boxes
FARTHEST_BOX = 2**52  # beyond it the number of a box is no longer exact
ROUNDING = 0.1  # the share of the tolerance from which on the rounding of corners of boxes counts
SPLIT = 2.0**27 + 1.0  # Dekker's constant


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
    found = a[..., :, :1] * b[..., :1, :]
    for k in range(1, a.shape[-1]):
        found = found + a[..., :, k, None] * b[..., k, None, :]
    return found


def rest_of_corners(slots: Array, side: float, corners: Array) -> Array:
    """Exact lower corners, ``corners[0] + slots * side`` with slot 0 first, less their rounded values ``corners``.

    By the error-free product and sum of Dekker (1971) and Knuth.
    """
    product, low = slots * side, corners[0]
    upper = SPLIT * slots - (SPLIT * slots - slots)
    high = SPLIT * side - (SPLIT * side - side)
    lower, rest = slots - upper, side - high
    of_product = ((upper * high - product) + upper * rest + lower * high) + lower * rest
    back = corners - low
    return np.asarray(of_product + ((low - (corners - back)) + (product - back)))


class Boxes(Algorithm[Layout]):
    """Squared exponential in one and two dimensions, any range."""

    name = "Chebyshev boxes"

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.plan = box_plan(kernel.lengthscale, kernel.variance, tolerance, dim)
        values, self.slopes = operators(self.plan)
        self._flipped = [np.ascontiguousarray(each.transpose(0, 2, 1)) for each in (values, self.slopes)]

    def estimate(self, positions: Array) -> tuple[float, Layout] | None:
        layout = self.layout(positions)
        if layout is None:
            return None
        needed = self.boxes_needed(layout)
        if self.dim == 2 and needed > MOST_BOXES:
            return None
        partners = min(2 * self.plan.width + 1, max(used.size for used, _ in layout[0]))
        multiplications = needed * partners * (NODES**2 if self.dim == 1 else 4 * NODES**3)
        particle = 60.0 if self.dim == 1 else 150.0
        return positions.shape[0] * particle + 0.15 * multiplications + 3.0 * CALL, layout

    def layout(self, positions: Array) -> Layout | None:
        """Boxes of the particles: slots in use per coordinate, and each particle's slot number; None if too wide."""
        side = self.plan.side * self.plan.lengthscale
        slots, numbers = [], []
        for coordinate in range(self.dim):
            column = np.ascontiguousarray(positions[:, coordinate])
            low, high = column.min(), column.max()
            if not (np.isfinite(low) and np.isfinite(high)) or (high - low) / side > FARTHEST_BOX:
                return None
            number = np.empty(column.size, dtype=np.int64)
            boxes.box_numbers(column, low, 1.0 / side, number)
            most = int(number.max()) + 1
            if most <= 4 * column.size + 1024:
                present = np.zeros(most, dtype=bool)
                present[number] = True
                used = np.flatnonzero(present)
                if used.size < most:
                    place = np.cumsum(present) - 1
                    number = place[number]
            else:
                used, number = np.unique(number, return_inverse=True)
            slots.append((used, low + used * side))
            numbers.append(number)
        return slots, numbers

    def _is_far(self, slots: Slots) -> bool:
        """Whether particles are so far from 0, or from each other, that corners of boxes lose digits."""
        lengths = [max(abs(corners[0]), abs(corners[-1]), corners[-1] - corners[0]) for _, corners in slots]
        return bool(max(lengths) * np.finfo(float).eps > ROUNDING * self.tolerance * self.plan.lengthscale)

    def _from_corners(self, positions: Array, layout: Layout) -> tuple[Array, Slots]:
        """Positions counted from the corners of their boxes, with those corners at 0: no digit of a corner is lost."""
        side = self.plan.side * self.plan.lengthscale
        local, moved = np.empty_like(positions), []
        for coordinate, ((used, corners), number) in enumerate(zip(*layout, strict=True)):
            lost = rest_of_corners(used.astype(np.float64), side, corners)
            local[:, coordinate] = (positions[:, coordinate] - corners[number]) - lost[number]
            moved.append((used, np.zeros_like(corners)))
        return local, moved

    def boxes_needed(self, layout: Layout) -> int:
        """Number of boxes in the grid of used slots."""
        return int(np.prod([used.size for (used, _) in layout[0]]))

    def force(self, positions: Array, prepared: Layout, factor: float, out: Array) -> None:
        (slots, numbers), total = prepared, self.boxes_needed(prepared)
        order = np.empty(positions.shape[0], dtype=np.int64)
        starts = np.empty(total + 1, dtype=np.int64)
        keys = numbers[0] if self.dim == 1 else numbers[0] * slots[1][0].size + numbers[1]
        boxes.sort_by_box(keys, total, starts, order)
        scale = factor * self.plan.variance / positions.shape[0]
        if self._is_far(slots):
            positions, slots = self._from_corners(positions, prepared)
        pass_over = self._line if self.dim == 1 else self._plane
        pass_over(positions, slots, (starts, order), scale, out)

    def _line(self, positions: Array, slots: Slots, by_box: ByBox, scale: float, out: Array) -> None:
        starts, order = by_box
        inverse_half = 2.0 / (self.plan.side * self.plan.lengthscale)
        used, corners = slots[0]
        count, width = used.size, self.plan.width
        moments, field = np.empty((count, NODES)), np.empty((count, NODES))
        threads.split(
            lambda a, b: boxes.moments_line(positions, order, starts, corners, inverse_half, a, b, moments), count
        )
        threads.split(
            lambda a, b: boxes.translate_line(moments, used, width, self.slopes, scale, a, b, field), count, least=64
        )
        threads.split(
            lambda a, b: boxes.evaluate_line(positions, order, starts, corners, inverse_half, field, a, b, out), count
        )

    def _plane(self, positions: Array, slots: Slots, by_box: ByBox, scale: float, out: Array) -> None:
        starts, order = by_box
        inverse_half = 2.0 / (self.plan.side * self.plan.lengthscale)
        (rows_used, row_corners), (columns_used, column_corners) = slots
        rows, columns, width = rows_used.size, columns_used.size, self.plan.width
        in_grid = np.empty((rows, columns, 2))
        in_grid[..., 0] = row_corners[:, None]
        in_grid[..., 1] = column_corners
        corners = in_grid.reshape(-1, 2)
        total = rows * columns
        moments = np.empty((total, NODES * NODES))
        threads.split(
            lambda a, b: boxes.moments_plane(positions, order, starts, corners, inverse_half, a, b, moments), total
        )
        shape = (rows, columns, NODES * NODES)
        with_values, with_slopes = np.empty(shape), np.empty(shape)
        field = np.empty((rows, columns, 2, NODES * NODES))
        flipped_values, flipped_slopes = self._flipped
        grid = moments.reshape(shape)
        threads.split(
            lambda a, b: boxes.translate_rows(
                grid, width, columns_used, flipped_values, flipped_slopes, a, b, with_values, with_slopes
            ),
            rows,
        )
        threads.split(
            lambda a, b: boxes.translate_columns(
                with_values, with_slopes, starts, width, rows_used, flipped_values, flipped_slopes, scale, a, b, field
            ),
            rows,
        )
        flat = field.reshape(total, 2, NODES * NODES)
        threads.split(
            lambda a, b: boxes.evaluate_plane(positions, order, starts, corners, inverse_half, flat, a, b, out), total
        )
