"""Basins of a density, and counts of particles by mode: occupancy, coverage, and limits for independent particles.

Two peaks belong to two basins if the density between them falls below the lower peak by more than a factor e,
a barrier as high as the temperature; shallower ripples belong to the neighbouring basin.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array
from particlegvi.diagnostics.particles import in_space
from particlegvi.targets import DensityTarget
from particlegvi.tools import arguments, objects

BARRIER = 1.0  # height of a barrier in the log density that separates two basins
DRAWS = 4000
NEIGHBOURS = 10
ON_THE_WAY = 33  # points on the straight line between two modes


class Basins:
    """The basins of a target with a density.

    On the line they are intervals between the lowest points of the density. In the plane they are found on 4000 draws:
    each is joined with its highest neighbour, then basins with a low barrier between them are joined (Chazal, Guibas,
    Oudot and Skraba, 2013, J. ACM 60).

    Attributes
    ----------
    modes : array (k, dim)
        In lexicographic order.
    masses : array (k,)
        Probabilities under the target; they sum to one.
    """

    def __init__(self, target: DensityTarget, barrier: float = BARRIER) -> None:
        objects.target(target, density=True)
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
            # Maxima and minima alternate, and a minimum has the label of one side: cut there.
            change = np.flatnonzero(np.diff(self._label))
            self._cuts = nodes[np.where(levels[change] < levels[change + 1], change, change + 1), 0]
        self.masses = np.bincount(self.of(points), masses, len(self.modes))

    def of(self, particles: ArrayLike) -> NDArray[np.int64]:
        """Index of the basin of each particle (n, dim): by intervals on the line, by the nearest draw in the plane."""
        x = in_space(particles, self._nodes.shape[1])
        if x.shape[1] == 1:
            return np.searchsorted(self._cuts, x[:, 0])
        from scipy.spatial import cKDTree

        return self._label[cKDTree(self._nodes).query(x)[1]]

    def counts(self, particles: ArrayLike) -> NDArray[np.int64]:
        """Number of particles in each basin, (k,)."""
        return np.bincount(self.of(particles), minlength=len(self.modes))


def _turning(x: Array, density: Array) -> NDArray[np.int64]:
    """Indices of the maxima and minima of a density on the line, in ascending order of x, with both ends."""
    order = np.argsort(x)
    up = np.diff(density[order]) > 0.0
    return order[np.concatenate([[True], up[1:] != up[:-1], [True]])]


def _without_ripples(target: DensityTarget, tops: Array, levels: Array, barrier: float) -> NDArray[np.int64]:
    """New labels (k,) of modes in the plane: two are joined if there is no barrier on the straight line between them.

    It is needed because draws along a narrow ridge may have gaps between them.
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


def _neighbours(points: Array) -> NDArray[np.int64]:
    """Indices (n, few) of the neighbours of each node."""
    number, dim = points.shape
    if dim == 1:
        index = np.arange(number)
        return np.stack([np.maximum(index - 1, 0), np.minimum(index + 1, number - 1)], axis=1)
    from scipy.spatial import cKDTree

    return cKDTree(points).query(points, k=min(NEIGHBOURS + 1, number))[1]


def _joined(levels: Array, neighbours: NDArray[np.int64], barrier: float) -> NDArray[np.int64]:
    """Index of the mode of each node's basin, found from the highest node to the lowest."""
    order = np.argsort(-levels, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    above = rank[neighbours] < rank[:, None]
    parent = np.arange(len(levels))

    def top(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    # Each node joins its highest neighbour; at a node between two basins they are joined if the barrier is low.
    highest = np.where(above.any(axis=1), neighbours[np.arange(len(levels)), np.argmin(rank[neighbours], axis=1)], -1)
    for node in order[highest[order] >= 0]:
        parent[node] = top(int(highest[node]))
        for other in neighbours[node][above[node]]:
            low, high = top(int(other)), top(int(node))
            if low != high:
                low, high = (low, high) if levels[low] < levels[high] else (high, low)
                if levels[low] - levels[node] < barrier:
                    parent[low] = high
    return np.array([top(node) for node in range(len(levels))])


CHUNK = 4_000_000


def mode_occupancy(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Number of particles nearest to each mode in Euclidean distance, an integer array (k,) that sums to n.

    Of equally near modes, the first counts.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    modes : array (k, dim), in 1-D also (k,)
    """
    x, at = in_space(particles), in_space(modes, key="modes")
    if x.shape[1] != at.shape[1]:
        raise arguments.shaped("modes", modes, f"an array (k, {x.shape[1]}) of finite numbers with k of at least 1")
    counts = np.zeros(len(at), dtype=np.int64)
    size = max(1, CHUNK // at.size)
    for start in range(0, len(x), size):
        gaps = x[start : start + size, None, :] - at
        counts += np.bincount(np.argmin(np.sum(gaps * gaps, axis=2), axis=1), minlength=len(at))
    return counts


def binomial_limits(n: int, p: float, level: float = 0.99) -> tuple[int, int]:
    """Limits of a Binomial(n, p) count: the tightest with ``P(X < low)`` and ``P(X > high)`` at most (1 - level)/2.

    Counts of particles that fall independently into a basin of weight p lie between them (Theorem 5.4.1).

    Parameters
    ----------
    n : int
        Number of particles, at least 0.
    p : float
        Probability in [0, 1].
    level : float
        Least probability of a count inside the limits, in (0, 1).

    Returns
    -------
    low, high : ints
    """
    from scipy.special import bdtr

    n = arguments.whole("n", n, 0, arguments.MOST_PARTICLES)
    allowed = "a probability from 0 to 1"
    if not 0.0 <= arguments.real("p", p, allowed) <= 1.0:
        raise arguments.refuse("p", p, allowed)
    arguments.fraction("level", level)
    tail = 0.5 * (1.0 - level)
    below = bdtr(np.arange(n + 1, dtype=np.float64), int(n), p)
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1.0 - tail, side="left"))
    return min(low, int(n)), min(high, int(n))


def independent_coverage(particles: int, modes: int) -> float:
    """Upper bound on the expected number of modes that independent, identically distributed particles cover.

    If a particle ends in mode k with probability p_k, the expected number of modes that N particles cover is
    sum_k 1 - (1 - p_k)^N, a symmetric concave function of p. It is largest where all p_k are equal:

        modes * (1 - (1 - 1/modes)^particles)

    The particles of DE and DLE are independent, so that for independent starts the bound holds at every temperature,
    step size and time. Only an interaction can exceed it.

    Parameters
    ----------
    particles, modes : int
        At least 1.
    """
    particles = arguments.whole("particles", particles, 1)
    modes = arguments.whole("modes", modes, 1)
    return modes * -math.expm1(particles * math.log1p(-1.0 / modes)) if modes > 1 else 1.0


def mean_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of independent replicates with the ends of its confidence interval, by the central limit theorem.

    If all replicates agree, both ends are the mean; the interval then says nothing about rare values.

    Parameters
    ----------
    values : array (replicates,)
        At least two.
    level : float
        In (0, 1).

    Returns
    -------
    mean, low, high : floats
    """
    from scipy.special import ndtri

    allowed = "an array of at least 2 finite numbers of at most 1e150"
    array = arguments.array("values", values, allowed)
    if array.ndim != 1 or array.size < 2 or not np.all(np.abs(array) <= 1e150):
        raise arguments.refuse("values", values, allowed)
    level = arguments.fraction("level", level)
    mean = float(array.mean())
    half = float(ndtri(0.5 * (1.0 + level))) * float(array.std(ddof=1)) / math.sqrt(array.size)
    return mean, mean - half, mean + half
