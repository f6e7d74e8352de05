"""Independent draws from a density in the plane, by rejection: a node of the quadrature, then a point in its rectangle.

The Gauss-Legendre weights of a cell are the areas of rectangles that tile it, with one node in each. The density is
nearly constant on a rectangle, so that few uniform points in it are rejected.
"""

from __future__ import annotations

import numpy as np

from particlegvi.targets.basins.cells import ORDER
from particlegvi.targets.quadrature.nodes import Nodes
from particlegvi.targets.quadrature.panels import gauss_legendre
from particlegvi.targets.quadrature.potential import LogWeight

STEEPEST = 2.0  # ratio of densities in one rectangle up to which a draw is exact


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


def _rectangles(points: np.ndarray, node: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower corners and sides, (n, 2) each, of the rectangles of some nodes."""
    rule = gauss_legendre(ORDER)
    walls = np.concatenate([[-1.0], np.cumsum(rule.weights) - 1.0])
    cell, place = np.divmod(node, ORDER**2)
    first, last = points[cell * ORDER**2], points[cell * ORDER**2 + ORDER**2 - 1]
    centre, half = 0.5 * (first + last), 0.5 * (last - first) / rule.nodes[-1]
    column = np.stack(np.divmod(place, ORDER), axis=1)
    return centre + half * walls[column], half * rule.weights[column]
