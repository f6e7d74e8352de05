"""Nodes, volumes and densities of the adaptive quadratures on the line and in the plane, in one form.

In the plane a draw is a node, then a point in its rectangle, by rejection: the Gauss-Legendre weights of a cell are the
areas of rectangles that tile it, with one node in each. The density is nearly constant on a rectangle, so that few
uniform points in it are rejected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.targets.basins.cells import ORDER, integrate_plane
from particlegvi.targets.basins.survey import survey
from particlegvi.targets.basins.survey_plane import survey_plane
from particlegvi.targets.quadrature.panels import Panels, gauss_legendre, integrate
from particlegvi.targets.quadrature.potential import UNIFORM, LogWeight, Place, line

MOST_PAIRS = 2_000_000  # of points and cells at a time
STEEPEST = 2.0  # ratio of densities in one rectangle up to which a draw is exact


class Nodes(NamedTuple):
    """Nodes (n, dim) of a quadrature adapted to a density, with the density itself at the nodes."""

    points: np.ndarray
    log_volume: np.ndarray  # (n,)
    log_density: np.ndarray  # (n,), normalised
    log_normaliser: float
    error: float  # estimate of the density's error in L1
    panels: Panels | None  # on the line

    @property
    def masses(self) -> np.ndarray:
        return np.exp(self.log_density + self.log_volume)


def discretise(log_weight: LogWeight, place: Place, rounding: float = 0.0, rough: bool = False) -> Nodes:
    """Nodes adapted to the density proportional to exp(log_weight), a function of points (n, dim), dim 1 or 2.

    ``rounding`` is the error of log_weight, which the quadrature does not try to resolve. With ``rough``, for nodes of
    an intermediate iterate, the search for peaks is shorter.
    """
    if len(place.centre) == 1:
        f = line(log_weight)
        found = survey(f, place, UNIFORM // 16 if rough else UNIFORM)
        panels = integrate(f, found.edges, float(np.max(found.peaks.log_mass)), max(1e-12, rounding))
        points, log_volume = panels.nodes.reshape(-1, 1), panels.log_volume.ravel()
        return Nodes(points, log_volume, panels.log_density.ravel(), panels.log_normaliser, panels.error, panels)
    cells = integrate_plane(log_weight, survey_plane(log_weight, place, 4 if rough else 1), max(1e-9, rounding))
    points, log_volume = cells.nodes.reshape(-1, 2), cells.log_volume.ravel()
    return Nodes(points, log_volume, cells.log_density.ravel(), cells.log_normaliser, cells.error, None)


def draws_in_plane(nodes: Nodes, log_density: LogWeight, number: int, random: np.random.Generator) -> np.ndarray:
    """Draws (number, 2) from the density whose quadrature is ``nodes``.

    Exact where the density in a rectangle is at most twice that at its node. The quadrature leaves steeper rectangles
    only where the mass is negligible.
    """
    below = np.cumsum(nodes.masses)
    found: list[np.ndarray] = []
    missing = number
    while missing:
        count = int(1.2 * STEEPEST * missing) + 50
        node = np.minimum(np.searchsorted(below, random.random(count) * below[-1]), len(below) - 1)
        low, size = _rectangles(nodes.points, node)
        at = low + size * random.random((count, 2))
        ratio = np.exp(np.minimum(log_density(at) - nodes.log_density[node], 1.0))
        kept = at[STEEPEST * random.random(count) < ratio][:missing]
        found.append(kept)
        missing -= len(kept)
    return np.concatenate(found)


def density_in_plane(nodes: Nodes, x: np.ndarray) -> np.ndarray:
    """The polynomials of the quadrature's cells at points (n, 2), 0 outside of the cells; rounding may be negative."""
    rule, found = gauss_legendre(ORDER), np.zeros(len(x))
    centre, half = _cells(nodes.points, np.arange(len(nodes.points) // ORDER**2))
    step = max(1, MOST_PAIRS // len(centre))
    for start in range(0, len(x), step):
        inside = np.all(np.abs(x[start : start + step, None] - centre) <= half, axis=2)
        row, cell = np.nonzero(inside)
        values = np.exp(nodes.log_density.reshape(-1, ORDER, ORDER)[cell])
        series = rule.to_coefficients @ values @ rule.to_coefficients.T
        t = (x[start + row] - centre[cell]) / half[cell]
        first, second = (np.polynomial.legendre.legvander(t[:, i], ORDER - 1) for i in range(2))
        found[start + row] = np.einsum("ni,nij,nj->n", first, series, second)
    return found


def _cells(points: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres and half sides, (n, 2) each, of some cells."""
    first, last = points[cell * ORDER**2], points[cell * ORDER**2 + ORDER**2 - 1]
    return 0.5 * (first + last), 0.5 * (last - first) / gauss_legendre(ORDER).nodes[-1]


def _rectangles(points: np.ndarray, node: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower corners and sides, (n, 2) each, of the rectangles of some nodes."""
    rule = gauss_legendre(ORDER)
    walls = np.concatenate([[-1.0], np.cumsum(rule.weights) - 1.0])
    cell, place = np.divmod(node, ORDER**2)
    centre, half = _cells(points, cell)
    column = np.stack(np.divmod(place, ORDER), axis=1)
    return centre + half * walls[column], half * rule.weights[column]
