"""Where the first panels of a quadrature on the line begin and end, given the peaks of its integrand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlegvi.targets.quadrature.potential import LogWeight

NEGLIGIBLE = 60.0  # natural logarithm of a mass ratio that no longer counts
MOST_PEAKS = 20_000


class Peaks(NamedTuple):
    """Maxima of f: positions, values, and how far to the left and right f falls by one."""

    at: np.ndarray
    value: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @property
    def log_mass(self) -> np.ndarray:
        return self.value + np.log(self.left + self.right)


def panel_edges(
    f: LogWeight, x: np.ndarray, y: np.ndarray, peaks: Peaks, low: float, high: float, centre: float, scale: float
) -> np.ndarray:
    steps = 2.0 ** np.arange(-1.0, 7.0)
    doublings = 2.0 ** np.arange(-30.0, 200.0)
    parts: list[Any] = [
        peaks.at,
        (peaks.at[:, None] - peaks.left[:, None] * steps).ravel(),
        (peaks.at[:, None] + peaks.right[:, None] * steps).ravel(),
        _domain_edges(f, x, y),
        np.array([edge for edge in (low, high) if np.isfinite(edge)]),
    ]
    for anchor, size in ((centre, scale), (0.0, 1.0)):
        parts += [anchor - size * doublings, anchor + size * doublings, [anchor]]
    # Between peaks: a fair share of the points at which f was seen to matter.
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
    """Where f turns from finite to minus infinity: the ends of the loss's domain."""
    finite = y > -np.inf
    at = np.flatnonzero(finite[1:] != finite[:-1])[:MOST_PEAKS]
    a, b, first = x[at], x[at + 1], finite[at]
    for _ in range(60):
        middle = 0.5 * (a + b)
        like_first = (f(middle) > -np.inf) == first
        a, b = np.where(like_first, middle, a), np.where(like_first, b, middle)
    return np.concatenate([a, b])
