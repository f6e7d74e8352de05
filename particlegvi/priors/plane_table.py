"""Mean embeddings in the plane as tables: polynomials on squares that are halved until they fit.

A prior that is a formula, or the kernel of a user, has a mean embedding that is a sum over some thousand nodes, which
every step would compute at every particle. The table is fitted to this sum, and states its largest difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.terms import evaluate
from particlegvi.priors import product_table
from particlegvi.priors.product_table import NODES, TERMS, TO_COEFFICIENTS
from particlegvi.priors.weighted_points import WeightedPoints

FIT = 1e-8  # of the largest value, to which a polynomial fits
SHARE = 0.3  # of the error of the sum itself, likewise
LOOKED_AT = 200  # points at which the largest value is looked for
WIDE = 2.0  # widths of the kernel: in a larger half side its bumps around single points could be missed
WORST_SLOPE = 1e-2  # largest error of a slope, in units of the largest slope
MOST_LEAVES = 1024  # of a hundred coefficients each: 0.8 MB
ROUNDING = 1e-13  # half sides below this part of the distance from the centre are rounding
QUARTERS = np.array([(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)])
DISTANCES = np.geomspace(1e-150, 1e150, 3001)
CHECKS = product_table.CHECKS[::2]  # points in each coordinate, between the nodes
AT_CHECKS, SLOPES_AT_CHECKS = product_table.AT_CHECKS[::2], product_table.SLOPES_AT_CHECKS[::2]


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


def plane_table(term: WeightedPoints, error: float = 0.0) -> PlaneTable | None:
    """A table of a sum over points of the plane, whose own error is ``error``, to a part of it or to `FIT`.

    None where it needs too many squares, as for a kernel with a cusp: the sum has one at each point.
    """
    total, top = float(term.weights.sum()), abs(float(term.kernel.value(0.0)))
    largest = float(evaluate.values(term, term.points[:: max(1, len(term.points) // LOOKED_AT)]).max())
    tolerance = max(FIT * largest, SHARE * error)
    width, reach = _distance(term.kernel, 0.5 * top), _distance(term.kernel, tolerance / total)
    if width is None or reach is None:
        return None
    centre = term.weights @ term.points / total
    whole = half = 2.0 * max(_half_side(term, centre, tolerance / top), reach)
    middles, squares = centre[None], np.zeros(1, dtype=np.int64)  # of the squares to fit, and their places in the tree
    children, leaves = [np.nan], []
    number, worst, worst_slope, steepest = 0, 0.0, 0.0, 0.0
    while len(middles):
        if number + len(middles) > MOST_LEAVES:
            return None
        coefficients, miss, slope_miss, slope = _fitted(term, middles, half)
        plain = np.array([half <= WIDE * width or _mass(term, x, 2.0 * half) * top <= tolerance for x in middles])
        fine = (plain & (miss <= tolerance)) | (half < ROUNDING * np.abs(middles).max(axis=1))
        steepest = max(steepest, slope)
        worst = max(worst, float(miss[fine].max(initial=0.0)))
        worst_slope = max(worst_slope, float(slope_miss[fine].max(initial=0.0)))
        for square, is_fine in zip(squares, fine, strict=True):
            children[square] = float(-number - 1 if is_fine else len(children))
            number += int(is_fine)
            children += [] if is_fine else [np.nan] * 4
        leaves.append(coefficients[fine])
        first = np.array([children[square] for square in squares[~fine]], dtype=np.int64)
        middles = (middles[~fine][:, None] + half * QUARTERS).reshape(-1, 2)
        squares, half = (first[:, None] + np.arange(4)).ravel(), 0.5 * half
    if not worst_slope <= WORST_SLOPE * steepest:
        return None
    stated = 2.0 * (worst + tolerance)  # what lies beyond the whole square is below twice the tolerance
    return PlaneTable(
        centre - whole, 2.0 * whole, np.array(children), np.concatenate(leaves), stated, 2.0 * worst_slope
    )


def _distance(kernel: Kernel, level: float) -> float | None:
    """A distance from which on the kernel is nowhere above ``level``; None where there is none below 1e150."""
    above = np.flatnonzero(np.abs(evaluate.profile_values(kernel, DISTANCES**2)) > level)
    last = int(np.max(above, initial=0)) + 1
    return float(DISTANCES[last]) if last < len(DISTANCES) else None


def _half_side(term: WeightedPoints, centre: Array, allowed: float) -> float:
    """Half the side of a square around the centre outside of which the points weigh no more than is allowed."""
    away = np.abs(term.points - centre).max(axis=1)
    order = np.argsort(away)
    outside = np.cumsum(term.weights[order][::-1])[::-1]
    return float(away[order][min(np.searchsorted(-outside, -allowed), len(order) - 1)])


def _mass(term: WeightedPoints, middle: Array, half: float) -> float:
    """The weight of the points in a square."""
    return float(term.weights[np.all(np.abs(term.points - middle) <= half, axis=1)].sum())


def _fitted(term: WeightedPoints, middles: Array, half: float) -> tuple[Array, Array, Array, float]:
    """Polynomials (squares, terms, terms), errors of values and slopes in each square, and the largest slope."""
    number = len(middles)
    nodes, checks = _points(middles, half, NODES), _points(middles, half, CHECKS)
    values, exact, slopes = np.empty(len(nodes)), np.empty(len(checks)), np.empty((len(checks), 2))

    def compute(first: int, last: int) -> None:
        for square in range(first, last):
            part = slice(square * len(NODES) ** 2, (square + 1) * len(NODES) ** 2)
            values[part] = evaluate.values(term, nodes[part])
            part = slice(square * len(CHECKS) ** 2, (square + 1) * len(CHECKS) ** 2)
            exact[part], slopes[part] = evaluate.values(term, checks[part]), evaluate.gradients(term, checks[part])

    threads.split(compute, number)
    levels = values.reshape(number, TERMS, TERMS)
    coefficients = np.einsum("ki,pij,lj->pkl", TO_COEFFICIENTS, levels, TO_COEFFICIENTS, optimize=True)
    misses = []
    for function, one, part, other in (
        (exact, AT_CHECKS, coefficients, AT_CHECKS),
        (slopes[:, 0], SLOPES_AT_CHECKS / half, coefficients[:, :-1], AT_CHECKS),
        (slopes[:, 1], AT_CHECKS, coefficients[:, :, :-1], SLOPES_AT_CHECKS / half),
    ):
        fit = np.einsum("ik,pkl,jl->pij", one, part, other, optimize=True)
        misses.append(np.abs(fit - function.reshape(fit.shape)).max(axis=(1, 2)))
    return coefficients, misses[0], np.maximum(*misses[1:]), float(np.abs(slopes).max())


def _points(middles: Array, half: float, grid: Array) -> Array:
    """A product grid in each square, (squares * grid * grid, 2)."""
    away = half * np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.ascontiguousarray((middles[:, None] + away).reshape(-1, 2))
