"""Narrow ridges and heavy tails of a function of the plane, found along lines and circles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.targets.quadrature.potential import LogWeight, Place, not_integrable

DIRECTIONS = 256
LINES = 200
SHRINK = 0.5 * (np.sqrt(5.0) - 1.0)


class PlanePeaks(NamedTuple):
    """Maxima of f (k, 2), their values (k,), and the distances (k, 2) along each axis at which f has fallen by one."""

    at: np.ndarray
    value: np.ndarray
    width: np.ndarray

    @property
    def log_mass(self) -> np.ndarray:
        return self.value + np.log(self.width).sum(axis=1)


def widths_of(f: LogWeight, at: np.ndarray, value: np.ndarray, widest: np.ndarray) -> np.ndarray:
    """Distance (k, 2) at which f has fallen by one, the larger of both sides, by bisection of its logarithm."""
    widths = []
    for i in range(2):
        sides = []
        for sign in (-1.0, 1.0):
            near, far = np.log(widest[:, i]) - 40.0, np.log(widest[:, i])
            for _ in range(20):
                middle = 0.5 * (near + far)
                moved = at.copy()
                moved[:, i] += sign * np.exp(middle)
                inside = f(moved) > value - 1.0
                near, far = np.where(inside, middle, near), np.where(inside, far, middle)
            sides.append(np.exp(far))
        widths.append(np.maximum(*sides))
    return np.stack(widths, axis=1)


def ridges(f: LogWeight, low: np.ndarray, high: np.ndarray, best: float, lines: int) -> PlanePeaks:
    """Maxima of f along lines parallel to the axes, which find ridges too narrow for a grid over the whole box."""
    span = high - low
    at = []
    for i in range(2):
        across = low[1 - i] + span[1 - i] * (np.arange(lines) + 0.5) / lines

        def along(t: np.ndarray, fixed: np.ndarray, i: int = i) -> np.ndarray:
            points = np.empty((*t.shape, 2))
            points[..., i], points[..., 1 - i] = t, fixed
            return f(points.reshape(-1, 2)).reshape(t.shape)

        grid = np.broadcast_to(np.linspace(low[i], high[i], lines + 1), (lines, lines + 1))
        level = np.pad(along(grid, across[:, None]), ((0, 0), (1, 1)), constant_values=-np.inf)
        row, column = np.nonzero((level[:, 1:-1] >= level[:, :-2]) & (level[:, 1:-1] > level[:, 2:]))
        fixed = across[row]
        a = np.maximum(grid[row, column] - span[i] / lines, low[i])
        b = np.minimum(grid[row, column] + span[i] / lines, high[i])
        for _ in range(60):
            c, d = b - SHRINK * (b - a), a + SHRINK * (b - a)
            lower = along(c, fixed) >= along(d, fixed)
            a, b = np.where(lower, a, c), np.where(lower, d, b)
        points = np.empty((len(row), 2))
        points[:, i], points[:, 1 - i] = 0.5 * (a + b), fixed
        at.append(points)
    points = np.concatenate(at)
    value = f(points)
    keep = value > best - 45.0
    points, value = points[keep], value[keep]
    return PlanePeaks(points, value, widths_of(f, points, value, np.broadcast_to(span, points.shape)))


def check_tails(f: LogWeight, place: Place, log_mass: float) -> None:
    """A ValueError if the mass of exp(f) on growing circles does not fall far below ``log_mass``."""
    if np.all(np.isfinite(place.low) & np.isfinite(place.high)):
        return
    angle = np.arange(DIRECTIONS) * (2.0 * np.pi / DIRECTIONS)
    highest = log_mass
    for power in np.arange(2.0, 13.0, 2.0):
        radius = 10.0**power * np.max(place.scale)

        def around(theta: np.ndarray, radius: float = radius) -> np.ndarray:
            return f(place.centre + radius * np.stack([np.cos(theta), np.sin(theta)], axis=1)) + 2.0 * np.log(radius)

        a, b = angle - angle[1], angle + angle[1]
        for _ in range(70):
            c, d = b - SHRINK * (b - a), a + SHRINK * (b - a)
            lower = around(c) >= around(d)
            a, b = np.where(lower, a, c), np.where(lower, d, b)
        mass = float(max(np.max(around(0.5 * (a + b))), np.max(around(angle))))
        if power > 10.0 and mass > highest - 20.0:
            raise not_integrable("in some direction")
        highest = max(highest, mass)
