"""Coordinates without walls: a half-line and an interval are mapped to the whole line.

A density keeps its mass under the map when it is multiplied by the derivative of x by u:

    x = low + e^u,   x = high - e^u,   x = low + (high - low) / (1 + e^-u)
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array

MARGIN = 1e-9  # of an interval: a point on a wall is taken so far inside
NEAREST = 1e-300  # to the wall of a half-line, whose scale may be any


class Support:
    """The box low < x < high, (dim,) each, and its map to coordinates u on the whole line."""

    def __init__(self, low: Array, high: Array) -> None:
        self.low, self.high = np.asarray(low, float), np.asarray(high, float)
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        self.between = below & above
        self.one_sided = below ^ above
        self.sign = np.where(below, 1.0, -1.0)
        self.wall = np.where(below, self.low, np.where(above, self.high, 0.0))
        self.width = np.where(self.between, self.high - self.wall, 1.0)

    def inside(self, u: Array) -> Array:
        """The points x (n, dim) of coordinates u (n, dim)."""
        with np.errstate(over="ignore"):
            half = self.wall + self.sign * np.exp(u)
            whole = self.wall + self.width / (1.0 + np.exp(-u))
        return np.where(self.between, whole, np.where(self.one_sided, half, u))

    def coordinates(self, x: Array) -> Array:
        """The coordinates u (n, dim) of points x (n, dim) in the box."""
        share = np.clip((x - self.wall) / self.width, MARGIN, 1.0 - MARGIN)
        half = np.log(np.maximum(np.abs(x - self.wall), NEAREST))
        return np.where(self.between, np.log(share) - np.log1p(-share), np.where(self.one_sided, half, x))

    def slopes(self, u: Array) -> tuple[Array, Array, Array]:
        """dx/du (n, dim), the sum of log |dx/du| (n,), and its derivatives (n, dim)."""
        with np.errstate(over="ignore"):
            grown = np.exp(u)
            share = 1.0 / (1.0 + np.exp(-u))
        slope = np.where(
            self.between, self.width * share * (1.0 - share), np.where(self.one_sided, self.sign * grown, 1.0)
        )
        logs = np.where(
            self.between,
            np.log(self.width) - np.logaddexp(0.0, -u) - np.logaddexp(0.0, u),
            np.where(self.one_sided, u, 0.0),
        )
        of_logs = np.where(self.between, 1.0 - 2.0 * share, np.where(self.one_sided, 1.0, 0.0))
        return slope, logs.sum(axis=1), of_logs
