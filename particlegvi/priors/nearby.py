"""Sums of a kernel over weighted points, which leave out the points where the kernel has vanished."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.terms.evaluate import profile_values
from particlegvi.priors.weighted_points import WeightedPoints

VANISHED = 1e-18  # of the value at 0: a kernel below it adds less than rounding
DISTANCES = np.geomspace(1e-150, 1e150, 3001)


class Nearby:
    """Values and gradients of a `WeightedPoints` in the plane, at many points."""

    def __init__(self, term: WeightedPoints) -> None:
        order = np.argsort(term.points[:, 0], kind="stable")
        self.kernel = term.kernel
        self.points = np.ascontiguousarray(term.points[order])
        self.weights = np.ascontiguousarray(term.weights[order])
        self._levels = np.abs(profile_values(term.kernel, DISTANCES**2))
        self.top = abs(float(term.kernel.value(0.0)))
        self.width = self.distance(0.5 * self.top) or 0.0
        found = self.distance(VANISHED * self.top)
        self.reach = np.inf if found is None else found

    def distance(self, level: float) -> float | None:
        """A distance from which on the kernel is nowhere above ``level``; None where there is none below 1e150."""
        above = np.flatnonzero(self._levels > level)
        if len(above) and above[-1] == len(DISTANCES) - 1:
            return None
        return float(DISTANCES[above[-1] + 1]) if len(above) else 0.0

    def mass(self, middles: Array, half: float) -> Array:
        """The weight of the points in each square with these middles (n, 2) and this half side, (n,)."""
        found = []
        for first in range(0, len(middles), 256):
            away = np.abs(middles[first : first + 256, None] - self.points).max(axis=2)
            found.append((away <= half) @ self.weights)
        return np.concatenate(found)

    def values(self, x: Array) -> Array:
        """The sums at points (n, 2), shape (n,)."""
        return self.both(x)[0]

    def both(self, x: Array) -> tuple[Array, Array]:
        """The sums at points (n, 2), shape (n,), and their gradients (n, 2)."""
        values, slopes = np.empty(len(x)), np.empty((len(x), 2))
        given = self.kernel, self.points, self.weights, self.reach, np.ascontiguousarray(x)
        _nearby.for_terms(self.kernel)(*given, values, slopes)
        return values, slopes


@compiled
def _nearby(
    kernel: Kernel, points: Array, weights: Array, reach: float, x: Array, values: Array, slopes: Array
) -> None:
    farthest = reach * reach
    for j in range(x.shape[0]):
        value = 0.0
        across = 0.0
        along = 0.0
        first = np.searchsorted(points[:, 0], x[j, 0] - reach)
        last = np.searchsorted(points[:, 0], x[j, 0] + reach)
        for m in range(first, last):
            a = x[j, 0] - points[m, 0]
            b = x[j, 1] - points[m, 1]
            r2 = a * a + b * b
            if r2 > farthest:
                continue
            value += weights[m] * kernel.value(r2)
            pull = 2.0 * weights[m] * kernel.slope(r2)
            across += pull * a
            along += pull * b
        values[j] = value
        slopes[j, 0] = across
        slopes[j, 1] = along
