"""Edges of the first panels of a quadrature on the line, given the peaks of its integrand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlegvi.targets.quadrature.potential import LogWeight

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NEGLIGIBLE = 60.0  # natural logarithm of a mass ratio that is neglected
MOST_PEAKS = 20_000


class Peaks(NamedTuple):
    """Maxima of f: positions, values, and the distances to the left and right at which f has fallen by one."""

    at: np.ndarray
    value: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @property
    def log_mass(self) -> np.ndarray:
        return self.value + np.log(self.left + self.right)


def panel_edges(
    f: LogWeight, x: np.ndarray, y: np.ndarray, peaks: Peaks, *, low: float, high: float, centre: float, scale: float
) -> np.ndarray:
    """Ascending edges (n,) for f with the values y at grid points x: dense around peaks, geometric away from them."""
    steps = 2.0 ** np.arange(-1.0, 7.0)
    doublings = 2.0 ** np.arange(-30.0, 200.0)
    parts: list[ArrayLike] = [
        peaks.at,
        (peaks.at[:, None] - peaks.left[:, None] * steps).ravel(),
        (peaks.at[:, None] + peaks.right[:, None] * steps).ravel(),
        _domain_edges(f, x, y),
        np.array([edge for edge in (low, high) if np.isfinite(edge)]),
    ]
    for anchor, size in ((centre, scale), (0.0, 1.0)):
        parts += [anchor - size * doublings, anchor + size * doublings, [anchor]]
    # Between peaks: some 128 of the grid points at which f is not negligible.
    bulk = x[y > np.max(peaks.value) - NEGLIGIBLE]
    parts.append(bulk[:: max(1, len(bulk) // 128)])
    if len(peaks.at) < 100:
        widest = np.max(peaks.left + peaks.right)
        for sign in (-1.0, 1.0):  # distant peaks lie between doublings of the grid above
            parts.append((peaks.at[:, None] + sign * widest * 2.0 ** np.arange(0.0, 60.0, 4.0)).ravel())
    edges = np.concatenate(parts)
    edges = np.unique(edges[(edges >= max(low, x[0])) & (edges <= min(high, x[-1]))])
    keep = np.diff(edges, prepend=-np.inf) > 8.0 * np.finfo(float).eps * np.abs(edges)
    return edges[keep]


def _domain_edges(f: LogWeight, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Points where f changes between finite and minus infinity: the ends of the loss's domain."""
    finite = y > -np.inf
    at = np.flatnonzero(finite[1:] != finite[:-1])[:MOST_PEAKS]
    a, b, first = x[at], x[at + 1], finite[at]
    for _ in range(60):
        middle = 0.5 * (a + b)
        like_first = (f(middle) > -np.inf) == first
        a, b = np.where(like_first, middle, a), np.where(like_first, b, middle)
    return np.concatenate([a, b])
