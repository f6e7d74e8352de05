"""Adaptive quadrature of exp(f) on the line: panels with Gauss-Legendre nodes, halved until a polynomial fits.

`Curve` has the distribution function, quantiles and partial means of the polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from particlegvi.targets.quadrature.potential import LogWeight

ORDER = 16
MOST_PANELS = 300_000
CHUNK = 200_000
NEWTON = 1e-10  # length of a step, in half panels, at which the iteration stops


class PanelRule(NamedTuple):
    """Gauss-Legendre nodes and weights on [-1, 1], and the matrix from values at the nodes to Legendre coefficients."""

    nodes: np.ndarray
    weights: np.ndarray
    to_coefficients: np.ndarray


@lru_cache
def gauss_legendre(order: int) -> PanelRule:
    """The rule with ``order`` nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    basis = np.polynomial.legendre.legvander(nodes, order - 1)
    return PanelRule(nodes, weights, (basis * weights[:, None]).T * (np.arange(order) + 0.5)[:, None])


class Panels(NamedTuple):
    """A partition of an interval with a polynomial for the density exp(f - log_normaliser) on each part."""

    left: np.ndarray  # (panels,) ascending
    right: np.ndarray
    nodes: np.ndarray  # (panels, ORDER) ascending
    log_density: np.ndarray  # (panels, ORDER), normalised
    coefficients: np.ndarray  # (panels, ORDER): Legendre series of the density on [-1, 1]
    log_normaliser: float
    error: float  # estimate of the L1 error of the polynomials

    @property
    def log_volume(self) -> np.ndarray:
        """Logarithms of the quadrature weights, shaped as the nodes."""
        return np.log(0.5 * (self.right - self.left))[:, None] + np.log(gauss_legendre(ORDER).weights)


def integrate(f: LogWeight, edges: np.ndarray, log_mass: float, tolerance: float = 1e-12) -> Panels:
    """Panels on which exp(f) is a polynomial of degree 15 to within ``tolerance`` of its integral each.

    Narrow peaks must lie near one of the edges, ascending, of the first panels. Their errors are compared to
    exp(log_mass), a lower bound on the mass (that of the largest peak). f takes arrays of any shape.
    """
    rule = gauss_legendre(ORDER)
    left, right = edges[:-1], edges[1:]
    parent = np.full(len(left), np.inf)  # error of the panel that was halved, relative to exp(shift)
    done: list[tuple[np.ndarray, ...]] = []
    shift = log_mass
    while len(left):
        half = 0.5 * (right - left)
        nodes = np.clip((left + half)[:, None] + half[:, None] * rule.nodes, left[:, None], right[:, None])
        level = f(nodes)
        larger = _larger(shift, level, half, rule.weights)
        parent, shift = parent * np.exp(shift - larger), larger
        density = np.exp(level - shift) * half[:, None]
        coefficients = density @ rule.to_coefficients.T
        error = np.abs(coefficients[:, -2:]).sum(axis=1)
        # Rounding in f is recognised by an error that halving does not reduce; panels of a few floats are not halved.
        rounding = (error < 1e-8 * (density @ rule.weights)) & (error > 0.3 * parent)
        narrow = half < 16.0 * np.finfo(float).eps * np.maximum(np.abs(left), np.abs(right))
        fine = (error <= tolerance) | rounding | narrow
        done.append((left[fine], right[fine], nodes[fine], level[fine], np.log(error[fine] + 1e-300) + shift))
        middle, parent = (left + half)[~fine], np.tile(error[~fine], 2)
        left, right = np.concatenate([left[~fine], middle]), np.concatenate([middle, right[~fine]])
        if sum(len(part[0]) for part in done) + len(left) > MOST_PANELS:
            raise ValueError(f"the target needs more than {MOST_PANELS} panels: the loss oscillates too finely")
    return _assemble(done)


def _larger(shift: float, level: np.ndarray, half: np.ndarray, weights: np.ndarray) -> float:
    """The larger of ``shift`` and of the logarithm of the mass in these panels."""
    top = float(np.max(level))
    if not top > -np.inf:
        return shift
    mass = float(np.sum((np.exp(level - top) @ weights) * half))
    return max(shift, top + np.log(mass)) if mass > 0.0 else shift


def _assemble(done: list[tuple[np.ndarray, ...]]) -> Panels:
    left, right, nodes, level, log_error = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(left)
    left, right, nodes, level = left[order], right[order], nodes[order], level[order]
    rule = gauss_legendre(ORDER)
    top = np.max(level)
    mass = (np.exp(level - top) @ rule.weights) * 0.5 * (right - left)
    log_normaliser = float(top + np.log(np.sum(mass)))
    log_density = level - log_normaliser
    coefficients = np.exp(log_density) @ rule.to_coefficients.T
    error = float(np.sum(np.exp(log_error - log_normaliser)))
    return Panels(left, right, nodes, log_density, coefficients, log_normaliser, error)


class Curve:
    """Exact integrals of the piecewise polynomial density of :class:`Panels`.

    Mean and variance are NaN and infinity where the tails are too heavy for them to exist.
    """

    def __init__(self, panels: Panels) -> None:
        rule = gauss_legendre(ORDER)
        self.left, self.right = panels.left, panels.right
        self.half = 0.5 * (panels.right - panels.left)
        density = np.exp(panels.log_density)
        weights = density * rule.weights * self.half[:, None]
        weights /= weights.sum()
        peak = panels.nodes.flat[np.argmax(panels.log_density)]
        self.mean = _moment(panels.nodes - peak, weights) + peak
        self.variance = _moment((panels.nodes - self.mean) ** 2, weights, diverges_to=np.inf)
        # Positions enter the partial mean relative to a centre: no cancellation for a narrow density far from 0.
        self.centre = self.mean if np.isfinite(self.mean) else peak
        self._mass = _antiderivative(panels.coefficients) * self.half[:, None]
        first = (density * (panels.nodes - self.centre)) @ rule.to_coefficients.T
        self._first = _antiderivative(first) * self.half[:, None]
        self._density = panels.coefficients * self.half[:, None]
        # P_k(1) = 1: the series of coefficients is the value at the right end.
        masses = np.maximum(self._mass.sum(axis=1), 0.0)
        total = masses.sum()
        for series in (self._mass, self._first, self._density):
            series /= total
        self.below = np.concatenate([[0.0], np.cumsum(masses / total)])
        self.below /= self.below[-1]
        self._first_below = np.concatenate([[0.0], np.cumsum(self._first.sum(axis=1))])

    def cdf(self, x: np.ndarray) -> np.ndarray:
        """Probability of (-infinity, x], for x of shape (n,)."""
        value = self._cumulative(x, self._mass, self.below)
        return np.clip(value, 0.0, 1.0)

    def pdf(self, x: np.ndarray) -> np.ndarray:
        """The density of the polynomials at x (n,), which is 0 outside of the panels; rounding may make it negative."""
        inside = (x >= self.left[0]) & (x <= self.right[-1])
        panel = np.clip(np.searchsorted(self.left, x, side="right") - 1, 0, len(self.left) - 1)
        t = np.clip((x - self.left[panel]) / self.half[panel] - 1.0, -1.0, 1.0)
        return np.where(inside, _legendre(self._density[panel], t) / self.half[panel], 0.0)

    def partial_mean(self, x: np.ndarray) -> np.ndarray:
        """Integral of (t - centre) q(t) over (-infinity, x], for x of shape (n,)."""
        return self._cumulative(x, self._first, self._first_below)

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """The x with cdf(x) = u, for u of shape (n,) in [0, 1]."""
        return _chunked(self._quantile, u)

    def _cumulative(self, x: np.ndarray, series: np.ndarray, below: np.ndarray) -> np.ndarray:
        def part(points: np.ndarray) -> np.ndarray:
            inside = np.clip(points, self.left[0], self.right[-1])
            panel = np.clip(np.searchsorted(self.left, inside, side="right") - 1, 0, len(self.left) - 1)
            t = np.clip((inside - self.left[panel]) / self.half[panel] - 1.0, -1.0, 1.0)
            return below[panel] + _legendre(series[panel], t)

        return _chunked(part, x)

    def _quantile(self, u: np.ndarray) -> np.ndarray:
        panel = np.clip(np.searchsorted(self.below, u, side="left") - 1, 0, len(self.left) - 1)
        rest = u - self.below[panel]
        width = self.below[panel + 1] - self.below[panel]
        t = np.clip(2.0 * rest / np.where(width > 0.0, width, 1.0) - 1.0, -1.0, 1.0)
        a, b = np.full(len(u), -1.0), np.full(len(u), 1.0)
        left = np.arange(len(u))  # entries not found yet
        # Newton's steps inside a shrinking bracket, halved where they leave it.
        for _ in range(60):
            here, rows = t[left], panel[left]
            miss = _legendre(self._mass[rows], here) - rest[left]
            a[left], b[left] = np.where(miss < 0.0, here, a[left]), np.where(miss < 0.0, b[left], here)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = here - miss / _legendre(self._density[rows], here)
            good = (step >= a[left]) & (step <= b[left])
            new = np.where(good, step, 0.5 * (a[left] + b[left]))
            t[left] = new
            # The error after a Newton step is of the order of its square; further steps only follow rounding.
            left = left[np.abs(new - here) > np.where(good, NEWTON, 1e-15)]
            if not len(left):
                break
        return self.left[panel] + self.half[panel] * (1.0 + t)


def _moment(values: np.ndarray, weights: np.ndarray, diverges_to: float = np.nan) -> float:
    """Sum of values times weights; ``diverges_to`` if the farthest nodes contribute too much for a finite moment."""
    with np.errstate(over="ignore", invalid="ignore"):
        terms = np.where(weights > 0.0, values * weights, 0.0)
        share = np.abs(terms)
        spread = np.sum(weights * np.abs(values) ** 0.1) ** 10
        far = np.abs(values) > 1e15 * spread
        heavy = np.sum(share[far]) > 1e-3 * np.sum(share)
    return diverges_to if heavy or not np.isfinite(terms.sum()) else float(terms.sum())


def _antiderivative(series: np.ndarray) -> np.ndarray:
    """Legendre coefficients of the integral from -1, by P_k = (P_{k+1} - P_{k-1})' / (2k + 1); one column more."""
    number = series.shape[1]
    scaled = series / (2.0 * np.arange(number) + 1.0)
    result = np.zeros((len(series), number + 1))
    result[:, 1:] += scaled
    result[:, : number - 1] -= scaled[:, 1:]
    result[:, 0] += scaled[:, 0]  # the constant that makes the integral vanish at -1
    return result


def _legendre(series: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Sums of Legendre series, one row of coefficients for each t, by Clenshaw's recurrence."""
    number = series.shape[1]
    later, last = np.zeros_like(t), np.zeros_like(t)
    for k in range(number - 1, 0, -1):
        later, last = last, series[:, k] + (2 * k + 1) / (k + 1) * t * last - (k + 1) / (k + 2) * later
    return series[:, 0] + t * last - 0.5 * later


def _chunked(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    if len(x) <= CHUNK:
        return function(x)
    return np.concatenate([function(x[start : start + CHUNK]) for start in range(0, len(x), CHUNK)])
