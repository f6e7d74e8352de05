"""The explicit step along a drift that was computed for all particles at once."""

from __future__ import annotations

from particlegvi.engine.compiled import compiled
from particlegvi.engine.flow import fold


@compiled
def descend(positions, drift, step_size, low, high):
    """x <- x - step_size * drift in place, both (particles, dim), reflected at the walls low and high (dim,)."""
    for particle in range(positions.shape[0]):
        for coordinate in range(positions.shape[1]):
            moved = positions[particle, coordinate] - step_size * drift[particle, coordinate]
            positions[particle, coordinate] = fold(moved, low[coordinate], high[coordinate])
