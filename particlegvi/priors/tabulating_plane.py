"""Tables in the plane for sums of a kernel over many points: polynomials on squares that are halved until they fit.

A prior that is a formula, or the kernel of a user, has a mean embedding that is a sum over some thousand nodes, which
every step would compute at every particle. The table is fitted to this sum, and states its largest difference.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.priors.nearby import Nearby
from particlegvi.priors.plane_table import PlaneTable
from particlegvi.priors.weighted_points import WeightedPoints

TERMS = 10  # coefficients of a polynomial in each coordinate
CHECKED = 6  # points in each coordinate, between the nodes
FIT = 1e-8  # of the largest value, to which a polynomial fits
SHARE = 0.3  # of the error of the sum itself, likewise
SEEN = 200  # points at which the largest value is looked for
WIDE = 2.0  # widths of the kernel: in a larger half side its bumps around single points could be missed
WORST_SLOPE = 1e-2  # largest error of a slope, in units of the largest slope
MOST_LEAVES = 1024  # of a hundred coefficients each: 0.8 MB
ROUNDING = 1e-13  # half sides below this part of the distance from the centre are rounding
NODES = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)
CHECKS = np.cos(np.pi * np.arange(CHECKED) / (CHECKED - 1))
TO_COEFFICIENTS = np.linalg.inv(np.vander(NODES))
AT_CHECKS = np.vander(CHECKS, TERMS)
SLOPES_AT_CHECKS = np.vander(CHECKS, TERMS - 1) * np.arange(TERMS - 1.0, 0.0, -1.0)
QUARTERS = np.array([(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)])


def tabulated_in_plane(term: WeightedPoints, error: float = 0.0) -> PlaneTable | None:
    """A table of a sum over points of the plane, whose own error is ``error``, to a part of it or to `FIT`.

    None where it needs too many squares, as for a kernel with a cusp: the sum has one at each point.
    """
    total = float(term.weights.sum())
    near = Nearby(term)
    largest = float(near.values(term.points[:: max(1, len(term.points) // SEEN)]).max())
    tolerance = max(FIT * largest, SHARE * error)
    centre = term.weights @ term.points / total
    half = _half_side(term, centre, near, tolerance)
    if half is None:
        return None
    middles, children = centre[None], [np.nan]
    squares = np.zeros(1, dtype=np.int64)  # the places of these middles
    leaves: list[Array] = []
    worst = worst_slope = steepest = 0.0
    number, whole = 0, half
    while len(middles):
        if number + len(middles) > MOST_LEAVES:
            return None
        coefficients, miss, slope_miss, slope = _fitted(near, middles, half)
        plain = (half <= WIDE * near.width) | (near.mass(middles, 2.0 * half) * near.top <= tolerance)
        fine = (plain & (miss <= tolerance)) | (half < ROUNDING * np.abs(middles).max(axis=1))
        steepest = max(steepest, slope)
        worst = max(worst, float(miss[fine].max(initial=0.0)))
        worst_slope = max(worst_slope, float(slope_miss[fine].max(initial=0.0)))
        if not worst_slope <= WORST_SLOPE * steepest:
            return None
        for place, leaf in zip(squares[fine], range(number, number + int(fine.sum())), strict=True):
            children[place] = -leaf - 1.0
        leaves.append(coefficients[fine])
        number += int(fine.sum())
        first = len(children) + 4 * np.arange(int((~fine).sum()))
        for place, child in zip(squares[~fine], first, strict=True):
            children[place] = float(child)
        children += [np.nan] * (4 * len(first))
        middles = (middles[~fine][:, None] + half * QUARTERS).reshape(-1, 2)
        squares, half = (first[:, None] + np.arange(4)).ravel(), 0.5 * half
    beyond = 2.0 * tolerance  # what lies beyond the whole square, see `_half_side`
    return PlaneTable(
        centre - whole, 2.0 * whole, np.array(children), np.concatenate(leaves), 2.0 * worst + beyond, 2.0 * worst_slope
    )


def _half_side(term: WeightedPoints, centre: Array, near: Nearby, tolerance: float) -> float | None:
    """Half the side of a square beyond which the sum is below twice the tolerance; None where it would be huge.

    Half of it holds all points but those of a small weight, and is as wide as the kernel is tall: a point outside the
    square is far from all that are in its inner half.
    """
    away = np.abs(term.points - centre).max(axis=1)
    order = np.argsort(away)
    outside = np.cumsum(term.weights[order][::-1])[::-1] * near.top
    inner = float(away[order][np.searchsorted(-outside, -tolerance)]) if outside[-1] <= tolerance else float(away.max())
    reach = near.distance(tolerance / float(term.weights.sum()))
    return None if reach is None else 2.0 * max(inner, reach)


def _fitted(near: Nearby, middles: Array, half: float) -> tuple[Array, Array, Array, float]:
    """Polynomials (squares, terms, terms), errors of values and slopes in each square, and the largest slope."""

    def at(grid: Array) -> Array:
        away = half * np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
        return (middles[:, None] + away).reshape(-1, 2)

    values = near.values(at(NODES)).reshape(len(middles), TERMS, TERMS)
    coefficients = np.einsum("ki,pij,lj->pkl", TO_COEFFICIENTS, values, TO_COEFFICIENTS, optimize=True)
    exact, slopes = near.both(at(CHECKS))
    shape = (len(middles), CHECKED, CHECKED)
    across, along = (slopes[:, i].reshape(shape) for i in range(2))
    found = [
        np.einsum("ik,pkl,jl->pij", one, part, other, optimize=True)
        for one, part, other in (
            (AT_CHECKS, coefficients, AT_CHECKS),
            (SLOPES_AT_CHECKS / half, coefficients[:, :-1], AT_CHECKS),
            (AT_CHECKS, coefficients[:, :, :-1], SLOPES_AT_CHECKS / half),
        )
    ]
    miss, *slope_misses = (
        np.abs(one - other).max(axis=(1, 2))
        for one, other in zip(found, (exact.reshape(shape), across, along), strict=True)
    )
    return coefficients, miss, np.maximum(*slope_misses), float(np.abs(slopes).max())
