"""Means over intervals under covariances without closed forms: panels of Gauss-Legendre nodes, with a stated error.

A covariance may have a kink where its two inputs are equal, and is assumed smooth elsewhere. So panels end at a kink:
an interval is cut at a point inside it, and two intervals are cut at the ends of both. Then a kink of two intervals
lies on the diagonal of a square only, and the square is cut into two triangles. The number of panels of each piece
doubles until the result changes by less than `GOAL`; the last change is the stated error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.functionals.terms import Terms

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)
SHARES, HALVES = 0.5 * (1.0 + NODES), 0.5 * WEIGHTS  # on (0, 1)
GOAL = 1e-11  # in units of the largest variance
MOST = 64  # largest number of panels of a piece
BLOCK = 4_000_000  # largest number of entries of a matrix of nodes


class Means(NamedTuple):
    """Means over [low, high]; if low and high are equal, the value there."""

    low: Array
    high: Array

    @classmethod
    def of(cls, terms: Terms) -> Means:
        """Read terms that are values, or pairs of integrals; none may have a derivative or a window."""
        first = terms.first
        low = terms.place[first, 0]
        second = np.where(terms.order[first, 0] == -1.0, first + 1, first)
        return cls(low, terms.place[second, 0])


def by_panels(covariance: Covariance, a: Terms, b: Terms) -> tuple[Array, float]:
    """The covariances (functionals of a, functionals of b) of functions of one coordinate, and their error."""
    left, right = Means.of(a), Means.of(b)
    scale = max(float(np.max(covariance.diagonal(np.concatenate([*left, *right])[:, None]))), 1e-300)
    panels, error = 1, np.inf
    table = _table(covariance, left, right, panels)
    while error > GOAL * scale and panels < MOST:
        panels *= 2
        finer = _table(covariance, left, right, panels)
        error, table = float(np.abs(finer - table).max(initial=0.0)), finer
    return table, error


def _table(k: Covariance, a: Means, b: Means, panels: int) -> Array:
    found = np.empty((len(a.low), len(b.low)))
    mean_a, mean_b = a.high > a.low, b.high > b.low
    values = np.ix_(~mean_a, ~mean_b)
    found[values] = k(a.low[~mean_a][:, None], b.low[~mean_b][:, None])
    found[np.ix_(mean_a, ~mean_b)] = _at_points(k, _some(a, mean_a), b.low[~mean_b], panels)
    found[np.ix_(~mean_a, mean_b)] = _at_points(k, _some(b, mean_b), a.low[~mean_a], panels).T
    found[np.ix_(mean_a, mean_b)] = _of_two(k, _some(a, mean_a), _some(b, mean_b), panels)
    return found


def _some(means: Means, those: NDArray[np.bool_]) -> Means:
    return Means(means.low[those], means.high[those])


def _rule(low: Array, high: Array, panels: int) -> tuple[Array, Array]:
    """Nodes and weights of pieces, (pieces, nodes); the weights of each sum to its length."""
    shares = ((np.arange(panels)[:, None] + SHARES) / panels).ravel()
    length = (high - low)[:, None]
    return low[:, None] + length * shares, length * np.tile(HALVES / panels, panels)


def _at_points(k: Covariance, means: Means, x: Array, panels: int) -> Array:
    """Covariances of means and values, (means, points)."""
    found = np.empty((len(means.low), len(x)))
    nodes, weights = _rule(means.low, means.high, panels)
    for i in range(len(nodes)):
        length = means.high[i] - means.low[i]
        found[i] = weights[i] @ k(nodes[i][:, None], x[:, None]) / length
        for j in np.flatnonzero((means.low[i] < x) & (x < means.high[i])):
            cut = np.array([means.low[i], x[j], means.high[i]])
            at, weight = _rule(cut[:-1], cut[1:], panels)
            found[i, j] = weight.ravel() @ k(at.reshape(-1, 1), x[j : j + 1, None])[:, 0] / length
    return found


def _of_two(k: Covariance, a: Means, b: Means, panels: int) -> Array:
    """Covariances of means: sums over cells between neighbouring ends."""
    if not (len(a.low) and len(b.low)):
        return np.empty((len(a.low), len(b.low)))
    ends = np.unique(np.concatenate([*a, *b]))
    low, high = ends[:-1], ends[1:]
    nodes, weights = _rule(low, high, panels)
    cells = np.empty((len(low), len(low)))
    each = nodes.shape[1]
    rows = max(1, BLOCK // max(nodes.size * each, 1))
    for first in range(0, len(low), rows):
        those = slice(first, first + rows)
        table = k(nodes[those].reshape(-1, 1), nodes.reshape(-1, 1)).reshape(-1, each, len(low), each)
        cells[those] = np.einsum("pi,piqj,qj->pq", weights[those], table, weights, optimize=True)
    for cell in range(len(low)):
        cells[cell, cell] = _square(k, low[cell], high[cell], panels)
    inside = [(each.low[:, None] <= low) & (high <= each.high[:, None]) for each in (a, b)]
    return (inside[0] @ cells @ inside[1].T.astype(float)) / np.multiply.outer(a.high - a.low, b.high - b.low)


def _square(k: Covariance, low: float, high: float, panels: int) -> float:
    """The integral over [low, high]^2, as two triangles."""
    nodes, weights = (each[0] for each in _rule(np.array([low]), np.array([high]), panels))
    total = 0.0
    for u, weight in zip(nodes, weights, strict=True):
        at, shares = _rule(np.array([low, u]), np.array([u, high]), panels)
        total += weight * float(shares.ravel() @ k(at.reshape(-1, 1), [[u]])[:, 0])
    return total
