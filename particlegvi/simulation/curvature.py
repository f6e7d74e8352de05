"""Second derivatives of V = loss - kl_weight log p at points, and the points that decide a step size.

On a half-line or in a box V may be infinitely steep at a wall, as -log x is. Particles that start there are soon driven
out, and come back seldom, so that the step size of a whole run follows from the points near which the law has its
mass. Beyond walls the loss need not be defined, so differences stay inside.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Prior

EXCESS = 10.0  # energy above the lowest, in units of kl_weight, up to which points count: beyond it lies e^-10 of a law
OF_THE_DISTANCE = 0.01  # largest width of a difference, in distances of the point from the wall


def has_walls(prior: Prior) -> bool:
    """Whether a coordinate ends somewhere."""
    return bool(np.isfinite(prior.low).any() or np.isfinite(prior.high).any())


def where_the_law_is(points: Array, value: Callable[[Array], Array], prior: Prior, kl_weight: float) -> Array:
    """The points that decide a step size: all, or with walls the lower half in V and those near the lowest.

    ``value`` is that of the loss, (n,). A point where V is not finite does not count.
    """
    if not has_walls(prior):
        return points
    with np.errstate(all="ignore"):
        energy = np.asarray(value(points), dtype=np.float64)
        energy = energy - kl_weight * prior.log_density(points) if kl_weight > 0.0 else energy
    finite = energy[np.isfinite(energy)]
    if not len(finite):
        return points
    return points[energy <= max(float(np.median(finite)), float(finite.min()) + EXCESS * kl_weight)]


def second_derivatives(slope: Callable[[Array], Array], points: Array, width: float, prior: Prior, dim: int) -> Array:
    """The symmetric second derivatives of V in the first ``dim`` coordinates, (n, dim, dim), by differences.

    ``slope`` is the gradient of V at points (n, all). A number that cannot be computed is not finite.
    """
    found = np.empty((len(points), dim, dim))
    room = OF_THE_DISTANCE * np.minimum(points - prior.low, prior.high - points)
    for coordinate in range(dim):
        shift = np.zeros(points.shape)
        shift[:, coordinate] = np.where(room[:, coordinate] > 0.0, np.minimum(width, room[:, coordinate]), width)
        above, below = np.minimum(points + shift, prior.high), np.maximum(points - shift, prior.low)
        with np.errstate(all="ignore"):
            apart = (above - below)[:, coordinate, None]
            found[:, coordinate] = (slope(above) - slope(below))[:, :dim] / apart
    return 0.5 * (found + found.transpose(0, 2, 1))
