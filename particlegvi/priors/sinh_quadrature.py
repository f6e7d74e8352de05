"""Quadrature of an unnormalised density in one or two dimensions, in coordinates that are stretched to its tails.

In each coordinate x = centre + scale sinh(t), so that equal steps of t are equal steps near the centre and equal
ratios far out: a Gaussian and Cauchy's density both are smooth bells in t. Between two finite ends x is linear in t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array

FARTHEST = 60.0  # in t: 5e25 scales away
SEARCHED = {1: 2401, 2: 161}  # points of t in each coordinate, by dimension
CLIMBS, SHRINK = 100, 1e-2
ZERO = "formula must be a density that is positive somewhere, not one that is zero"
ENDLESS = "formula must be a density with a finite integral, not one that hardly falls off"
NARROW = "formula must be a density that quadrature can resolve, not one with so narrow or many peaks"
DROP = 45.0  # a log density so far below its largest value is negligible
NODES = 16  # Gauss-Legendre nodes in each panel
PANELS = {1: (8, 16, 32, 64, 128, 256, 512), 2: (4, 8, 16)}  # on either side of the centre
TOLERANCE = {1: 1e-12, 2: 1e-10}
WORST = 1e-3
FAR_OUT = {1: 38.0, 2: 25.0}  # a log density so far below its largest value belongs to the tail, by dimension
FARTHEST_CENTRE = 1e20
HEAVY = 1e-5  # a second moment may not exist if a larger share of it comes from the tail


class Stretch(NamedTuple):
    """One coordinate: x = centre + scale sinh(t), or x = centre + scale t, for t in [low, high]."""

    centre: float
    scale: float
    low: float
    high: float
    bounded: bool

    def at(self, t: Array) -> Array:
        """x at these t."""
        return self.centre + self.scale * (t if self.bounded else np.sinh(t))

    def moved(self, centre: float, scale: float) -> Stretch:
        """With another centre and scale; a bounded one stays as it is, and is seen from end to end."""
        return self if self.bounded else self._replace(centre=centre, scale=scale)

    def log_slope(self, t: Array) -> Array:
        """log dx/dt."""
        return np.full(t.shape, math.log(self.scale)) if self.bounded else math.log(self.scale) + np.log(np.cosh(t))

    def edges(self, panels: int) -> Array:
        """The t between so many equal panels on each side of the centre, ascending."""
        middle = min(max(0.0, self.low), self.high)
        sides = np.linspace(self.low, middle, panels + 1), np.linspace(middle, self.high, panels + 1)
        return np.unique(np.concatenate(sides))

    def nodes(self, panels: int, number: int) -> tuple[Array, Array]:
        """t and weights of a composite Gauss-Legendre rule, with the centre between two panels."""
        edges = self.edges(panels)
        unit, shares = np.polynomial.legendre.leggauss(number)
        half = 0.5 * np.diff(edges)
        return (edges[:-1, None] + half[:, None] * (1.0 + unit)).ravel(), (half[:, None] * shares).ravel()


LogDensity = Callable[[Array], Array]  # of points (n, dim), (n,)
Look = Callable[[list[Stretch]], tuple[list[Array], Array]]


class Mass(NamedTuple):
    """The result of the quadrature."""

    stretches: list[Stretch]  # one for each coordinate
    log_normaliser: float  # logarithm of the integral
    error: float  # relative error of the integral: the difference of two rules
    mean: Array | None  # (dim,); None where the tails are too heavy for it
    sd: Array | None


def integrate(log_density: LogDensity, low: Array, high: Array) -> Mass:
    """The mass of a density that is positive between ``low`` and ``high`` (dim,), which may be infinite."""
    dim = len(low)
    stretches = fit_stretches(log_density, low, high)
    before = -math.inf
    for panels in PANELS[dim]:
        points, log_weights = rule(stretches, panels, NODES)
        level = log_density(points) + log_weights
        _no_nan(level, points)
        top = float(level.max())
        if top == -math.inf:
            raise ValueError(NARROW)
        now = top + math.log(float(np.exp(level - top).sum()))
        error = abs(math.expm1(min(now - before, 50.0)))
        before = now
        if error <= TOLERANCE[dim]:
            break
    if error > WORST:
        raise ValueError(NARROW)
    masses = np.exp(level - now)
    mean = masses @ points
    squares = masses[:, None] * (points - mean) ** 2
    sd = np.sqrt(squares.sum(axis=0))
    tail = level - _of_nodes(stretches, panels) < top - FAR_OUT[dim]
    heavy = bool(np.any(squares[tail].sum(axis=0) > HEAVY * squares.sum(axis=0)))
    return Mass(stretches, now, error, None if heavy else mean, None if heavy else sd)


def rule(stretches: list[Stretch], panels: int, number: int) -> tuple[Array, Array]:
    """Points (n, dim) of a product rule and the logarithms of their weights (n,)."""
    nodes = [stretch.nodes(panels, number) for stretch in stretches]
    points = [stretch.at(t) for stretch, (t, _) in zip(stretches, nodes, strict=True)]
    weights = [stretch.log_slope(t) + np.log(w) for stretch, (t, w) in zip(stretches, nodes, strict=True)]
    grid = np.stack(np.meshgrid(*points, indexing="ij"), axis=-1).reshape(-1, len(stretches))
    return grid, np.sum(np.meshgrid(*weights, indexing="ij"), axis=0).ravel()


def _of_nodes(stretches: list[Stretch], panels: int) -> Array:
    """Logarithms of the weights of the nodes in the stretched coordinates, without the slope of the stretch, (n,)."""
    log_weights = [np.log(stretch.nodes(panels, NODES)[1]) for stretch in stretches]
    return np.asarray(np.sum(np.meshgrid(*log_weights, indexing="ij"), axis=0).ravel())


def fit_stretches(log_density: LogDensity, low: Array, high: Array) -> list[Stretch]:
    """Stretches with the centre at the highest point, the scale of the fall from it, and ends where nothing is left."""
    look = partial(_look, log_density, low, high)
    stretches = _widths(look, _climb(look, [_first(*ends) for ends in zip(low, high, strict=True)]))
    axes, level = look(stretches)
    parts = zip(stretches, low, high, axes, _ridges(level), strict=True)
    return [stretch if stretch.bounded else _with_ends(stretch, *rest) for stretch, *rest in parts]


def _first(low: float, high: float) -> Stretch:
    """The stretch from end to end; without two finite ends, of all x around the finite one, or around 0."""
    if np.isfinite(low) and np.isfinite(high):
        return Stretch(float(0.5 * (low + high)), float(0.5 * (high - low)), -1.0, 1.0, True)
    centre = low if np.isfinite(low) else high if np.isfinite(high) else 0.0
    return Stretch(float(centre), 1.0, -FARTHEST, FARTHEST, False)


def _look(log_density: LogDensity, low: Array, high: Array, stretches: list[Stretch]) -> tuple[list[Array], Array]:
    """x along each axis of the grid of these stretches, and the log density on it, -inf beyond ``low`` and ``high``."""
    x = [stretch.at(np.linspace(stretch.low, stretch.high, SEARCHED[len(low)])) for stretch in stretches]
    outside = [(axis < low[i]) | (axis > high[i]) for i, axis in enumerate(x)]
    axes = [np.clip(axis, low[i], high[i]) for i, axis in enumerate(x)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    with np.errstate(invalid="ignore"):
        level = log_density(grid.reshape(-1, len(low))).reshape(grid.shape[:-1])
    _no_nan(level.ravel(), grid.reshape(-1, len(low)))
    return axes, np.where(np.any(np.meshgrid(*outside, indexing="ij"), axis=0), -np.inf, level)


def _climb(look: Look, stretches: list[Stretch]) -> list[Stretch]:
    """The stretches with their centre at the highest point that a climb finds, so exact that an edge lies at a kink.

    Each look moves to the highest point of a grid, which shrinks around it when no higher one is near.
    """
    best = -math.inf
    for _ in range(CLIMBS):
        axes, level = look(stretches)
        highest = np.unravel_index(int(np.argmax(level)), level.shape)
        top = float(level[highest])
        if not top > -np.inf:
            raise ValueError(ZERO)
        stretches = [stretch.moved(float(axes[i][highest[i]]), stretch.scale) for i, stretch in enumerate(stretches)]
        free = [stretch for stretch in stretches if not stretch.bounded]
        if top == np.inf or any(abs(stretch.centre) > FARTHEST_CENTRE for stretch in free):
            raise ValueError(ENDLESS)
        if top <= best + 1e-3:
            stretches = [stretch.moved(stretch.centre, SHRINK * stretch.scale) for stretch in stretches]
            if all(SHRINK * stretch.scale < 1e-13 * (1.0 + abs(stretch.centre)) for stretch in free):
                break
        best = max(best, top)
    return stretches


def _widths(look: Look, stretches: list[Stretch]) -> list[Stretch]:
    """The stretches with the scale at which the density has fallen by half a unit of its logarithm."""
    close = [stretch.moved(stretch.centre, 1e-9 * (1.0 + abs(stretch.centre))) for stretch in stretches]
    axes, level = look(close)
    parts = zip(close, axes, _ridges(level), strict=True)
    return [stretch.moved(stretch.centre, _width(x, ridge, stretch.centre)) for stretch, x, ridge in parts]


def _ridges(level: Array) -> list[Array]:
    """The largest values along each coordinate."""
    axes = range(level.ndim)
    return [level.max(axis=tuple(j for j in axes if j != i)) if level.ndim > 1 else level for i in axes]


def _width(x: Array, ridge: Array, centre: float) -> float:
    """The distance from the centre at which a density has fallen by half a unit of its logarithm."""
    away = np.abs(x - centre)
    fallen = away[(ridge < ridge.max() - 0.5) & (away > 0.0)]
    return float(fallen.min()) if len(fallen) else 1.0


def _with_ends(stretch: Stretch, low: float, high: float, x: Array, ridge: Array) -> Stretch:
    """Its ends are the t between which the density, with its slope, is within `DROP` of the largest value."""
    t = np.linspace(stretch.low, stretch.high, len(x))
    inside = (stretch.at(t) >= low) & (stretch.at(t) <= high)
    level = np.where(inside, ridge + stretch.log_slope(t), -np.inf)
    kept = np.flatnonzero(level > level.max() - DROP)
    if not len(kept):
        raise ValueError(ZERO)
    first, last = max(kept[0] - 1, 0), min(kept[-1] + 1, len(t) - 1)
    if (first == 0 and kept[0] == 0) or (last == len(t) - 1 and kept[-1] == last):
        raise ValueError(ENDLESS)
    ends = [float(t[first]), float(t[last])]
    for i, (side, bound) in enumerate(((-1.0, low), (1.0, high))):
        if np.isfinite(bound) and side * (stretch.at(np.array(ends[i])) - bound) > 0.0:
            ends[i] = float(np.arcsinh((bound - stretch.centre) / stretch.scale))
    return stretch._replace(low=ends[0], high=ends[1])


def _no_nan(level: Array, points: Array) -> None:
    """Refuse a density that is negative or undefined somewhere."""
    wrong = np.flatnonzero(np.isnan(level))
    if wrong.size:
        nearest = wrong[np.argmin(np.abs(points[wrong]).max(axis=1))]
        where = ", ".join(f"{x:.6g}" for x in points[nearest])
        allowed = "a density, which is 0 or more (low and high bound it)"
        raise ValueError(f"formula must be {allowed}, not one that is negative or undefined at ({where})")
