"""The table of a mean embedding in the plane: polynomials on squares of a quadtree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array


class PlaneTable(NamedTuple):
    """A polynomial on each leaf of a quadtree; beyond the whole square it has the values of the nearest edge."""

    corner: Array  # (2,), of the whole square
    side: float
    children: Array  # (squares,): the place of the first of four; for a leaf -1 - the place of its polynomial
    coefficients: Array  # (leaves, terms, terms): of the powers of (s, t) in [-1, 1]^2 from the highest to 1
    error: float  # of the value, beside the term that the table stands for
    slope_error: float  # of each component of the gradient

    def value(self, x: Array) -> float:
        return look_up(self, x, np.empty((3, self.coefficients.shape[1])))

    def values(self, points: Array, out: Array) -> None:
        rows = np.empty((3, self.coefficients.shape[1]))
        for lane in range(points.shape[1]):
            out[lane] = look_up(self, points[:, lane], rows)

    def gradient(self, x: Array, out: Array) -> None:
        rows = np.empty((3, self.coefficients.shape[1]))
        look_up(self, x, rows)
        out[0] = rows[0, 0]
        out[1] = rows[1, 0]

    def gradients(self, points: Array, out: Array) -> None:
        rows = np.empty((3, self.coefficients.shape[1]))
        for lane in range(points.shape[1]):
            look_up(self, points[:, lane], rows)
            out[0, lane] = rows[0, 0]
            out[1, lane] = rows[1, 0]


def look_up(table: PlaneTable, x: Array, rows: Array) -> float:
    """The value at x (2,); its derivatives are written to the beginnings of the first two of three rows (3, terms)."""
    terms = table.coefficients.shape[1]
    half = 0.5 * table.side
    s = (x[0] - table.corner[0]) / half - 1.0
    t = (x[1] - table.corner[1]) / half - 1.0
    across = 1.0 / half
    along = 1.0 / half
    if not (s >= -1.0 and s <= 1.0):
        s = -1.0 if s < -1.0 else 1.0
        across = 0.0
    if not (t >= -1.0 and t <= 1.0):
        t = -1.0 if t < -1.0 else 1.0
        along = 0.0
    place = 0
    while table.children[place] >= 0.0:
        place = int(table.children[place])
        if s >= 0.0:
            place += 2
            s = 2.0 * s - 1.0
        else:
            s = 2.0 * s + 1.0
        if t >= 0.0:
            place += 1
            t = 2.0 * t - 1.0
        else:
            t = 2.0 * t + 1.0
        across *= 2.0
        along *= 2.0
    leaf = -int(table.children[place]) - 1
    for j in range(terms):  # polynomials in s, for each power of t
        rows[0, j] = 0.0
        rows[2, j] = table.coefficients[leaf, 0, j]
    for k in range(1, terms):
        for j in range(terms):
            rows[0, j] = rows[0, j] * s + rows[2, j]
            rows[2, j] = rows[2, j] * s + table.coefficients[leaf, k, j]
    value = rows[2, 0]
    slope_t = 0.0
    slope_s = rows[0, 0]
    for j in range(1, terms):
        slope_t = slope_t * t + value
        value = value * t + rows[2, j]
        slope_s = slope_s * t + rows[0, j]
    rows[0, 0] = slope_s * across
    rows[1, 0] = slope_t * along
    return value
