"""Peaks of exp(f) on the line, from values of f alone.

Values are taken on grids of every scale: points at geometric distances (from 1e-9 to 1e60 scales) around the prior's
centre and around 0, and uniform grids over the prior's bulk or box. Every discrete maximum is polished, its width
measured, and its neighbourhood magnified until no peak is narrower than the last grid resolves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.targets.quadrature.potential import UNIFORM, Domain, LogWeight, not_integrable

NEGLIGIBLE = 60.0  # natural logarithm of a mass ratio that is neglected
MOST_PEAKS = 20_000
IN_A_WELL = 33  # points across a well that is known beforehand
PER_DECADE = 60  # points of the geometric grids
MAGNIFIED = 129  # points of the grid over a bracket
COARSER = 64  # one in so many points of the grid is used to find broad peaks
STANDS_OUT = 1e-8  # least height of a peak on the fine grid, above rounding
WIDER = 1024.0  # largest width of a peak, in widths of its bracket
SHRINK = 0.5 * (np.sqrt(5.0) - 1.0)


def golden_section(f: LogWeight, a: np.ndarray, b: np.ndarray, steps: int) -> np.ndarray:
    """The middles of brackets [a, b] of maxima of f after so many golden sections, all brackets at once."""
    for _ in range(steps):
        c, d = b - SHRINK * (b - a), a + SHRINK * (b - a)
        lower = f(c) >= f(d)
        a, b = np.where(lower, a, c), np.where(lower, d, b)
    return 0.5 * (a + b)


def fall(f: LogWeight, level: np.ndarray, widest: np.ndarray, least: float = 45.0, halvings: int = 24) -> np.ndarray:
    """The distances (k,) up to ``widest`` at which f, a function of them, has fallen below the levels, by bisection.

    They are at least exp(-least) times the widest.
    """
    near, far = np.log(widest) - least, np.log(widest)
    for _ in range(halvings):
        middle = 0.5 * (near + far)
        inside = f(np.exp(middle)) > level
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    return np.exp(far)


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


class Survey(NamedTuple):
    """Peaks of f and the edges of panels from which an adaptive quadrature of exp(f) can safely start."""

    peaks: Peaks
    edges: np.ndarray


def survey(f: LogWeight, domain: Domain, uniform: int = UNIFORM) -> Survey:
    """Peaks of ``f`` in a domain on the line and panel edges around them; ``uniform`` points lie evenly in the bulk."""
    low, high, centre, scale = (float(number[0]) for number in domain[:4])
    x = _grid(low, high, centre, scale, uniform, domain.wells)
    y = f(x)
    if not np.any(y > -np.inf):
        raise ValueError("there is no target: the loss is not finite anywhere in the support of the prior")
    _check_tails(x, y, low, high, centre, scale)
    peaks = _find_peaks(f, x, y)
    keep = peaks.log_mass > np.max(peaks.log_mass) - NEGLIGIBLE
    kept = Peaks(*(part[keep] for part in peaks))
    return Survey(kept, panel_edges(f, x, y, kept, low=low, high=high, centre=centre, scale=scale))


def _grid(
    low: float, high: float, centre: float, scale: float, uniform: int, wells: tuple[np.ndarray, ...]
) -> np.ndarray:
    geometric = np.geomspace(1e-9, 1e60, 69 * PER_DECADE + 1)
    parts: list[ArrayLike] = []
    for anchor, size in ((centre, scale), (0.0, 1.0)):
        parts += [anchor - size * geometric, anchor + size * geometric]
    if np.isfinite(low) and np.isfinite(high):
        parts.append(np.linspace(low, high, 2 * uniform))
    else:
        parts.append(np.linspace(centre - 12.0 * scale, centre + 12.0 * scale, uniform))
    parts += [np.linspace(-100.0, 100.0, uniform // 4), [centre, 0.0], [low, high]]  # those that are finite are kept
    parts += [np.linspace(well[0, 0], well[1, 0], IN_A_WELL) for well in wells]
    x = np.concatenate(parts)
    x = x[(x >= low) & (x <= high) & np.isfinite(x)]
    x = np.sort(x, kind="stable")  # stable: fast on parts that are in order already
    return x[np.concatenate([[True], x[1:] != x[:-1]])]


def _check_tails(x: np.ndarray, y: np.ndarray, low: float, high: float, centre: float, scale: float) -> None:
    distance = np.abs(x - centre) + 1e-9 * scale
    with np.errstate(over="ignore"):
        mass = y + np.log(distance)  # log mass of a panel that is as wide as it is far away
    near = np.max(mass[distance < 1e6 * scale], initial=-np.inf)
    for bound, side, outside in ((low, "towards -infinity", x < centre), (high, "towards +infinity", x > centre)):
        if np.isfinite(bound):
            continue
        known = np.flatnonzero(outside & (mass > -np.inf))
        if not len(known):
            continue
        last = known[-1] if bound > 0.0 else known[0]
        # The last number before overflow is judged, unless the loss's domain ends nearby; 1/x^1.2 passes.
        if mass[last] == np.inf or (
            distance[last] > 1e3 * scale and mass[last] >= max(near, np.max(mass[known])) - 20.0
        ):
            raise not_integrable(side)
    if np.any(y == np.inf):
        raise ValueError(f"there is no target: the loss is minus infinity at {x[np.argmax(y)]:g}")


def _find_peaks(f: LogWeight, x: np.ndarray, y: np.ndarray) -> Peaks:
    peaks_so_far: list[Peaks] = []
    # Peaks that stand out on the fine grid; broad ones, and not every ripple of rounding, on one in 64 of its points.
    brackets = (_brackets(x[None, :], y[None, :], STANDS_OUT), _brackets(x[None, ::COARSER], y[None, ::COARSER]))
    left, right = (np.concatenate(sides) for sides in zip(*brackets, strict=True))
    for _ in range(12):
        if not len(left):
            break
        at, value = _polish(f, left, right)
        peaks, kept = _widths(f, at, value, left, right)
        peaks_so_far.append(peaks)
        best = max(np.max(part.log_mass) for part in peaks_so_far)
        # A bracket much wider than its peak may hide others: magnify it, unless its mass is negligible.
        left, right = left[kept], right[kept]
        doubtful = (right - left > 30.0 * (peaks.left + peaks.right)) & (peaks.log_mass > best - NEGLIGIBLE)
        if not np.any(doubtful):
            break
        fine = np.linspace(left[doubtful], right[doubtful], MAGNIFIED, axis=1)
        left, right = _brackets(fine, f(fine))
    return Peaks(*(np.concatenate(parts) for parts in zip(*peaks_so_far, strict=True)))


def _brackets(x: np.ndarray, y: np.ndarray, height: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of the discrete maxima of each row, ends included; of a plateau, its right end.

    They must rise above the lower of the points four places away by ``height``.
    """
    outside = np.full((len(y), 1), -np.inf)
    padded = np.hstack([outside, y, outside])
    top = (y >= padded[:, :-2]) & (y > padded[:, 2:])
    if height > 0.0:
        far = np.pad(y, ((0, 0), (4, 4)), constant_values=-np.inf)
        top &= y > np.minimum(far[:, :-8], far[:, 8:]) + height
    row, column = np.nonzero(top)
    order = np.argsort(y[row, column])[::-1][:MOST_PEAKS]
    row, column = row[order], column[order]
    last = x.shape[1] - 1
    return x[row, np.maximum(column - 1, 0)], x[row, np.minimum(column + 1, last)]


def _polish(f: LogWeight, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The maxima in all brackets at once, and their values; an end of the bracket where it is higher."""
    choices = np.stack([golden_section(f, left, right, 60), left, right])
    values = f(choices)
    best, column = np.argmax(values, axis=0), np.arange(len(left))
    return choices[best, column], values[best, column]


def _widths(
    f: LogWeight, at: np.ndarray, value: np.ndarray, left: np.ndarray, right: np.ndarray
) -> tuple[Peaks, np.ndarray]:
    """Distances at which f has fallen by one on either side, by bisection of their logarithms; each broad peak once.

    Ripples lower than one, mostly from rounding, make many maxima within one such width.
    """
    widest = WIDER * (right - left)
    drops = [fall(side, value - 1.0, widest) for side in (lambda away: f(at - away), lambda away: f(at + away))]
    order = np.argsort(value)[::-1]
    octave = np.floor(np.log2(drops[0] + drops[1]))
    cell = np.floor(at / 2.0**octave)
    _, first = np.unique(np.stack([octave, cell])[:, order], axis=1, return_index=True)
    keep = order[first]
    return Peaks(at[keep], value[keep], drops[0][keep], drops[1][keep]), keep
