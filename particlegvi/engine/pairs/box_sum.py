"""The driver of the box sums: sorts, cuts out empty stretches, and runs the compiled parts on threads."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs import boxes
from particlegvi.engine.pairs.box_rule import NODES, BoxPlan, operators

MOST_BOXES = 40_000  # 2-D: 5 arrays of NODES^2 numbers a box, 10 kB
Whole: TypeAlias = NDArray[np.int64]
Slots: TypeAlias = list[tuple[Whole, Array]]  # of each coordinate: the slots in use, and their lower corners
Layout: TypeAlias = tuple[Slots, list[Whole]]  # and each particle's slot among those in use
ByBox: TypeAlias = tuple[Whole, Whole]  # where the particles of a box start, and the particles in order of boxes
FARTHEST_BOX = 2**52  # beyond it the number of a box is no longer exact


class BoxSum:
    """Squared-exponential repulsion by Chebyshev boxes for one plan, in one or two dimensions."""

    def __init__(self, plan: BoxPlan, dim: int):
        self.plan = plan
        self.dim = dim
        self.values, self.slopes = operators(plan)
        self._flipped = (
            np.ascontiguousarray(self.values.transpose(0, 2, 1)),
            np.ascontiguousarray(self.slopes.transpose(0, 2, 1)),
        )

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

    def boxes_needed(self, layout: Layout) -> int:
        """Number of boxes in the grid of used slots."""
        return int(np.prod([used.size for (used, _) in layout[0]]))

    def force(self, positions: Array, layout: Layout, factor: float, out: Array) -> None:
        """out = factor / N sum_j grad_1 kappa(x_i, x_j)."""
        (slots, numbers), total = layout, self.boxes_needed(layout)
        order = np.empty(positions.shape[0], dtype=np.int64)
        starts = np.empty(total + 1, dtype=np.int64)
        keys = numbers[0] if self.dim == 1 else numbers[0] * slots[1][0].size + numbers[1]
        boxes.sort_by_box(keys, total, starts, order)
        scale = factor * self.plan.variance / positions.shape[0]
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
