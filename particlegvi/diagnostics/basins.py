"""The basins of a density: its modes, which particles lie in which, and how much mass each has.

Two peaks are two basins where the density between them falls below that of the lower by more than a factor e, a barrier
as high as the temperature; shallower ripples belong to the basin beside them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.diagnostics.particles import in_space
from particlegvi.tools import arguments, parts

BARRIER = 1.0  # of the log density
DRAWS = 4000
NEIGHBOURS = 10
ON_THE_WAY = 33


class Basins:
    """The basins of a target with a density.

    On the line they are intervals between the lowest points of the density. In the plane they are found on 4000 draws:
    each belongs with its highest neighbour, and basins with a low barrier between them are joined (Chazal, Guibas,
    Oudot and Skraba, 2013, J. ACM 60).

    Attributes
    ----------
    modes : array (k, dim)
        In lexicographic order.
    masses : array (k,)
        Under the target; they sum to one.
    """

    def __init__(self, target: Any, barrier: float = BARRIER) -> None:
        parts.target(target, density=True)
        barrier = arguments.not_negative("barrier", barrier)
        points, masses = target.grid.reshape(-1, target.dim), target.masses / target.masses.sum()
        nodes = points[_turning(points[:, 0], target.density)] if target.dim == 1 else target.sample(DRAWS)
        levels = np.maximum(target.log_pdf(nodes), -700.0)
        tops, self._label = np.unique(_joined(levels, _neighbours(nodes), barrier), return_inverse=True)
        if target.dim == 2:
            self._label = _without_ripples(target, nodes[tops], levels[tops], barrier)[self._label]
            best = [np.flatnonzero(self._label == label) for label in range(self._label.max() + 1)]
            tops = np.array([members[np.argmax(levels[members])] for members in best])
        order = np.lexsort(np.round(nodes[tops] / np.sqrt(target.variance), 1).T[::-1])
        self.modes, self._nodes, self._label = nodes[tops][order], nodes, np.argsort(order)[self._label]
        if target.dim == 1:
            # Highest and lowest points alternate, and a lowest one has the label of one side: cut there.
            change = np.flatnonzero(np.diff(self._label))
            self._cuts = nodes[np.where(levels[change] < levels[change + 1], change, change + 1), 0]
        self.masses = np.bincount(self.of(points), masses, len(self.modes))

    def of(self, particles: ArrayLike) -> NDArray[np.int64]:
        """Index of the basin of each particle (n, dim): on the line its interval, else that of the nearest draw."""
        x = in_space(particles, self._nodes.shape[1])
        if x.shape[1] == 1:
            return np.searchsorted(self._cuts, x[:, 0])
        from scipy.spatial import cKDTree

        return self._label[cKDTree(self._nodes).query(x)[1]]

    def counts(self, particles: ArrayLike) -> NDArray[np.int64]:
        """Number of particles in each basin, (k,)."""
        return np.bincount(self.of(particles), minlength=len(self.modes))


def _turning(x: NDArray[np.float64], density: NDArray[np.float64]) -> NDArray[np.int64]:
    """The highest and lowest points of a density on the line, in order, with its ends."""
    order = np.argsort(x)
    up = np.diff(density[order]) > 0.0
    return order[np.concatenate([[True], up[1:] != up[:-1], [True]])]


def _without_ripples(
    target: Any, tops: NDArray[np.float64], levels: NDArray[np.float64], barrier: float
) -> NDArray[np.int64]:
    """New labels (k,) of tops in the plane: joined where the way straight from one to the other has no barrier.

    Along a narrow ridge the draws may have gaps between them.
    """
    from scipy.spatial import cKDTree

    number = len(tops)
    pairs = cKDTree(tops).query(tops, k=min(2 * NEIGHBOURS, number))[1].reshape(number, -1)
    first, second = np.repeat(np.arange(number), pairs.shape[1]), pairs.ravel()
    share = np.linspace(0.0, 1.0, ON_THE_WAY)[:, None]
    way = tops[first][:, None] * (1.0 - share) + tops[second][:, None] * share
    lowest = target.log_pdf(way.reshape(-1, 2)).reshape(len(first), -1).min(axis=1)
    label = np.arange(number)
    for a, b in zip(*(ends[np.minimum(levels[first], levels[second]) - lowest < barrier] for ends in (first, second)),
                    strict=True):  # fmt: skip
        label[label == label[a]] = label[b]
    return np.unique(label, return_inverse=True)[1]


def _neighbours(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices (n, few) of nodes beside each node."""
    number, dim = points.shape
    if dim == 1:
        index = np.arange(number)
        return np.stack([np.maximum(index - 1, 0), np.minimum(index + 1, number - 1)], axis=1)
    from scipy.spatial import cKDTree

    return cKDTree(points).query(points, k=min(NEIGHBOURS + 1, number))[1]


def _joined(levels: NDArray[np.float64], beside: NDArray[np.int64], barrier: float) -> NDArray[np.int64]:
    """The top of the basin of each node, by going through them from the highest down."""
    order = np.argsort(-levels, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    above = rank[beside] < rank[:, None]
    parent = np.arange(len(levels))

    def top(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    # The highest neighbour of each node, and the nodes at which the basins of two neighbours meet.
    highest = np.where(above.any(axis=1), beside[np.arange(len(levels)), np.argmin(rank[beside], axis=1)], -1)
    for node in order[highest[order] >= 0]:
        parent[node] = top(int(highest[node]))
        for other in beside[node][above[node]]:
            low, high = top(int(other)), top(int(node))
            if low != high:
                low, high = (low, high) if levels[low] < levels[high] else (high, low)
                if levels[low] - levels[node] < barrier:
                    parent[low] = high
    return np.array([top(node) for node in range(len(levels))])
