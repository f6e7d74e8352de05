"""Peaks and ridges of exp(f) in the plane, and a box around its mass: `particlegvi.targets.basins.survey` in 2-D."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from particlegvi.targets.basins.survey import fall, golden_section
from particlegvi.targets.quadrature.potential import PLANE, PLANE_BOUNDED, Domain, LogWeight, not_integrable

DIRECTIONS = 256
LINES = 200
NEGLIGIBLE = 60.0  # natural logarithm of a mass ratio that is neglected
MOST_PEAKS = 2000
MAGNIFIED = 25  # points along a side of the grid around a peak
COMPASS = np.array([(i, j) for i in (-1.0, 0.0, 1.0) for j in (-1.0, 0.0, 1.0) if i or j])


class PlanePeaks(NamedTuple):
    """Maxima of f (k, 2), their values (k,), and the distances (k, 2) along each axis at which f has fallen by one."""

    at: np.ndarray
    value: np.ndarray
    width: np.ndarray

    @property
    def log_mass(self) -> np.ndarray:
        return self.value + np.log(self.width).sum(axis=1)


def widths_of(f: LogWeight, at: np.ndarray, value: np.ndarray, widest: np.ndarray) -> np.ndarray:
    """Distance (k, 2) at which f has fallen by one, the larger of both sides."""

    def along(way: np.ndarray, away: np.ndarray) -> np.ndarray:
        return f(at + away[:, None] * way)

    sides = [
        [fall(partial(along, way), value - 1.0, widest[:, i], 40.0, 20) for way in (-axis, axis)]
        for i, axis in enumerate(np.eye(2))
    ]
    return np.max(sides, axis=1).T


def ridges(f: LogWeight, low: np.ndarray, high: np.ndarray, best: float, lines: int) -> PlanePeaks:
    """Maxima of f along lines parallel to the axes, which find ridges too narrow for a grid over the whole box."""
    span = high - low
    at = []
    for i in range(2):
        across = low[1 - i] + span[1 - i] * (np.arange(lines) + 0.5) / lines

        def along(t: np.ndarray, fixed: np.ndarray, i: int = i) -> np.ndarray:
            points = np.empty((*t.shape, 2))
            points[..., i], points[..., 1 - i] = t, fixed
            return f(points.reshape(-1, 2)).reshape(t.shape)

        grid = np.broadcast_to(np.linspace(low[i], high[i], lines + 1), (lines, lines + 1))
        level = np.pad(along(grid, across[:, None]), ((0, 0), (1, 1)), constant_values=-np.inf)
        row, column = np.nonzero((level[:, 1:-1] >= level[:, :-2]) & (level[:, 1:-1] > level[:, 2:]))
        fixed = across[row]
        a = np.maximum(grid[row, column] - span[i] / lines, low[i])
        b = np.minimum(grid[row, column] + span[i] / lines, high[i])
        points = np.empty((len(row), 2))
        points[:, i], points[:, 1 - i] = golden_section(partial(along, fixed=fixed), a, b, 60), fixed
        at.append(points)
    points = np.concatenate(at)
    value = f(points)
    keep = value > best - 45.0
    points, value = points[keep], value[keep]
    return PlanePeaks(points, value, widths_of(f, points, value, np.broadcast_to(span, points.shape)))


def check_tails(f: LogWeight, domain: Domain, log_mass: float) -> None:
    """A ValueError if the mass of exp(f) on growing circles does not fall far below ``log_mass``."""
    if np.all(np.isfinite(domain.low) & np.isfinite(domain.high)):
        return
    angle = np.arange(DIRECTIONS) * (2.0 * np.pi / DIRECTIONS)
    highest = log_mass
    for power in np.arange(2.0, 13.0, 2.0):
        radius = 10.0**power * np.max(domain.scale)

        def around(theta: np.ndarray, radius: float = radius) -> np.ndarray:
            return f(domain.centre + radius * np.stack([np.cos(theta), np.sin(theta)], axis=1)) + 2.0 * np.log(radius)

        steepest = golden_section(around, angle - angle[1], angle + angle[1], 70)
        mass = float(max(np.max(around(steepest)), np.max(around(angle))))
        if power > 10.0 and mass > highest - 20.0:
            raise not_integrable("in some direction")
        highest = max(highest, mass)


class PlaneSurvey(NamedTuple):
    """A box with all but a negligible share of the mass, its peaks, and points along its ridges."""

    low: np.ndarray
    high: np.ndarray
    peaks: PlanePeaks
    ridges: PlanePeaks


def survey_plane(f: LogWeight, domain: Domain, coarser: int = 1) -> PlaneSurvey:
    """Box and peaks of ``f``, a function of points (n, 2), on grids ``coarser`` times as coarse as usual."""
    grids = [_Grid(f, low, high, number) for low, high, number in _first_boxes(domain, coarser)]
    grids += [_Grid(f, well[0], well[1], MAGNIFIED) for well in domain.wells]
    _leave_to_finer(grids)
    peaks = _find_peaks(f, grids, domain)
    if not len(peaks.value):
        raise ValueError("there is no target: the loss is not finite anywhere in the support of the prior")
    check_tails(f, domain, float(np.max(peaks.log_mass)))
    low, high = _hull(f, grids, peaks, domain)
    for _ in range(8):
        # A finer grid over the box may find more peaks, and then the box has to grow or shrink.
        grids = [_Grid(f, *_expanded(low, high, domain), 256 // coarser + 1)]
        peaks = _merged(peaks, _find_peaks(f, grids, domain))
        new_low, new_high = _hull(f, grids, peaks, domain)
        span = high - low
        settled = np.all(np.abs(new_low - low) + np.abs(new_high - high) < 0.1 * span)
        low, high = new_low, new_high
        if settled:
            break
    keep = peaks.log_mass > np.max(peaks.log_mass) - NEGLIGIBLE
    order = np.argsort(peaks.log_mass[keep])[::-1][: MOST_PEAKS // 4]
    peaks = PlanePeaks(*(part[keep][order] for part in peaks))
    low, high = _expanded(low, high, domain)
    return PlaneSurvey(low, high, peaks, ridges(f, low, high, float(np.max(peaks.value)), LINES // coarser))


class _Grid:
    """Values on a uniform grid, and its discrete maxima."""

    def __init__(self, f: LogWeight, low: np.ndarray, high: np.ndarray, number: int) -> None:
        axes = [np.linspace(low[i], high[i], number) for i in range(2)]
        self.low, self.high = low, high
        self.spacing = (high - low) / (number - 1)
        self.points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
        self.values = f(self.points)
        table = np.pad(self.values.reshape(number, number), 1, constant_values=-np.inf)
        inner = table[1:-1, 1:-1]
        neighbours = [table[1 + int(i) : number + 1 + int(i), 1 + int(j) : number + 1 + int(j)] for i, j in COMPASS]
        top = inner > -np.inf
        for k, neighbour in enumerate(neighbours):
            top &= (inner >= neighbour) if k < 4 else (inner > neighbour)
        self.tops = np.flatnonzero(top.ravel())


def _leave_to_finer(grids: list[_Grid]) -> None:
    """Drop the maxima of a grid that lie well inside a finer grid, which resolves them better."""
    for grid in grids:
        for finer in grids:
            if np.all(finer.spacing < 0.99 * grid.spacing):
                at = grid.points[grid.tops]
                inside = np.all((at > finer.low + finer.spacing) & (at < finer.high - finer.spacing), axis=1)
                grid.tops = grid.tops[~inside]


def _first_boxes(domain: Domain, coarser: int) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """Boxes of all scales around the centre and 0, with the number of grid points along a side."""
    boxes = []
    if np.all(np.isfinite(domain.low) & np.isfinite(domain.high)):
        boxes.append((domain.low, domain.high, PLANE_BOUNDED // coarser + 1))
    else:
        boxes.append((domain.centre - 6.0 * domain.scale, domain.centre + 6.0 * domain.scale, PLANE // coarser + 1))
    boxes.append((np.full(2, -10.0), np.full(2, 10.0), 384 // coarser + 1))
    for centre, size in ((domain.centre, domain.scale), (np.zeros(2), np.ones(2))):
        boxes += [
            (centre - size * half, centre + size * half, 48 // (1 + coarser // 2))
            for half in 4.0 ** np.arange(-3.0, 16.0)
        ]
    clipped = [(np.maximum(low, domain.low), np.minimum(high, domain.high), number) for low, high, number in boxes]
    return [(low, high, number) for low, high, number in clipped if np.all(high > low)]


def _find_peaks(f: LogWeight, grids: list[_Grid], domain: Domain) -> PlanePeaks:
    """Polished maxima of the grids; the surroundings of peaks much narrower than their grid are searched again."""
    peaks_so_far = PlanePeaks(np.empty((0, 2)), np.empty(0), np.empty((0, 2)))
    for _ in range(8):
        start = np.concatenate([grid.points[grid.tops] for grid in grids])
        value = np.concatenate([grid.values[grid.tops] for grid in grids])
        step = np.concatenate([np.broadcast_to(grid.spacing, (len(grid.tops), 2)) for grid in grids])
        order = np.argsort(value)[::-1][:MOST_PEAKS]
        start, value, step = start[order], value[order], step[order]
        if not len(start):
            break
        peaks = _polished(f, start, value, step)
        peaks_so_far = _merged(peaks_so_far, peaks)
        doubtful = np.any(step > 20.0 * peaks.width, axis=1)
        doubtful &= peaks.log_mass > np.max(peaks_so_far.log_mass) - NEGLIGIBLE
        if not np.any(doubtful):
            break
        inside = zip(peaks.at[doubtful][:50], step[doubtful][:50], strict=True)
        grids = [
            _Grid(f, np.maximum(at - size, domain.low), np.minimum(at + size, domain.high), MAGNIFIED)
            for at, size in inside
        ]
    return peaks_so_far


def _polished(f: LogWeight, at: np.ndarray, value: np.ndarray, step: np.ndarray) -> PlanePeaks:
    """Compass search of all peaks at once: the best of eight neighbours, or half the step."""
    at, value, length = at.copy(), value.copy(), 0.5 * step
    for _ in range(70):
        around = at[:, None] + length[:, None] * COMPASS
        levels = f(around.reshape(-1, 2)).reshape(len(at), -1)
        best = np.argmax(levels, axis=1)
        row = np.arange(len(at))
        better = levels[row, best] > value
        at = np.where(better[:, None], around[row, best], at)
        value = np.where(better, levels[row, best], value)
        length = np.where(better[:, None], length, 0.5 * length)
    return PlanePeaks(at, value, widths_of(f, at, value, step))


def _merged(first: PlanePeaks, second: PlanePeaks) -> PlanePeaks:
    """Peaks of both, without duplicates."""
    at, value, width = (np.concatenate(parts) for parts in zip(first, second, strict=True))
    order = np.argsort(value)[::-1][: 2 * MOST_PEAKS]
    at, value, width = at[order], value[order], width[order]
    cell = np.maximum(width, 1e-12 * np.abs(at)).min(axis=0, initial=np.inf)
    _, keep = np.unique(np.round(at / cell), axis=0, return_index=True)
    keep = np.sort(keep)
    return PlanePeaks(at[keep], value[keep], width[keep])


def _hull(f: LogWeight, grids: list[_Grid], peaks: PlanePeaks, domain: Domain) -> tuple[np.ndarray, np.ndarray]:
    """The smallest box around all grid points that are not negligible, one grid spacing wider."""
    mass = np.max(peaks.log_mass)
    best = np.max(peaks.value)
    lows, highs = [], []
    for grid in grids:
        # A point counts by its height or by the mass of its cell: broad low parts count, and narrow tall peaks.
        level = np.maximum(grid.values - best, grid.values + np.log(grid.spacing).sum() - mass)
        inside = grid.points[level > -45.0]
        if len(inside):
            lows.append(inside.min(axis=0) - grid.spacing)
            highs.append(inside.max(axis=0) + grid.spacing)
    keep = peaks.log_mass > mass - 45.0
    lows.append((peaks.at[keep] - 12.0 * peaks.width[keep]).min(axis=0))
    highs.append((peaks.at[keep] + 12.0 * peaks.width[keep]).max(axis=0))
    # A coarse grid overestimates the box by its spacing.
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    return np.maximum(low, domain.low), np.minimum(high, domain.high)


def _expanded(low: np.ndarray, high: np.ndarray, domain: Domain) -> tuple[np.ndarray, np.ndarray]:
    """The box a tenth wider on each side, within the bounds of the prior."""
    margin = 0.1 * (high - low)
    return np.maximum(low - margin, domain.low), np.minimum(high + margin, domain.high)
