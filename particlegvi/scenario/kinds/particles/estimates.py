"""Estimate step size and time from the loss, the prior and the weights, for a scenario that gives neither.

The numbers are computed with numpy only, from points that do not depend on the seed, and rounded coarsely, so that they
are equal on every machine and in every process. They are estimates; the verdict says whether a run has arrived.

- The step size is a twentieth of the stability limit 2 / (largest curvature of loss - kl_weight log p, and of the
  repulsion) at the start. On a quadratic the stationary variance is then 5% too large.
- The time is the time of the slowest method. Without noise, it is the time until all points that follow the gradient
  have arrived. With noise, in one and two dimensions, it is four relaxation times, from the gap between the first two
  eigenvalues of the generator of dX = -grad V dt + sqrt(2 kl_weight) dB on a grid, where jumps between neighbouring
  cells have the rates kl_weight / h^2 exp(-(V_j - V_i) / (2 kl_weight)): this includes barriers. In more dimensions it
  is the time without noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Located, Loss, Method, Placed, Prior, Start
from particlegvi.losses.formulas.values import PlainFormula

STARTS = 64
DIGITS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # leading digits of a chosen number
MEDIAN = 0.95  # median distance of two draws from a normal distribution, in its standard deviations
WIDTH = 1e-3  # step of a difference, relative to the size of the points: a kink counts as a bend of this width
SAFETY = 20.0  # stability limit divided by the step size
RELAXATIONS = 4.0
LONGER = 1.5  # the descent of all particles takes longer than that of 64 points by this factor
MOST_DESCENTS = 2_000
NEARLY = 0.01  # a particle has arrived within this share of the longest way from its end
LEAST_CELLS = 20  # least number of cells of a grid with mass
CELLS = {1: 800, 2: 72}  # cells of a grid in each coordinate, by dimension
SIDE = 5.0  # half width of the first grid, in standard deviations of the prior
HIGH = 20.0  # no particle is at a potential this high, in units of kl_weight
ROUGH = 6.0  # a grid is too coarse if the potential rises by this between neighbours, in units of kl_weight
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)

Number = TypeVar("Number", bound=np.generic)
Values = Callable[[Array], Array]


class Plain(NamedTuple):
    """A loss in plain Python: values (n,) and gradients (n, dim) at points (n, dim)."""

    value: Values
    gradient: Values
    dim: int


class Weights(NamedTuple):
    """The weights of one method, and the largest slope of the force between two particles."""

    kl_weight: float
    repulsion: float


class Problem(NamedTuple):
    """The input of the estimates."""

    loss: Plain
    prior: Prior
    points: Array  # (n, dim): points that represent the start of the particles
    weights: list[Weights]  # the weights of every method


def problem_of(loss: Loss, prior: Prior, initial: Start | None, methods: list[Method]) -> Problem:
    """The problem of these parts; an ``initial`` of None is the prior."""
    weights = [Weights(float(each.kl_weight), _repulsion(each, prior)) for each in methods]
    return Problem(plain_loss(loss), prior, starts(prior if initial is None else initial), weights)


def _repulsion(method: Method, prior: Prior) -> float:
    """The largest slope of the force between a particle and all others, lambda1 variance / lengthscale^2."""
    if method.mmd_weight == 0.0:
        return 0.0
    usual = MEDIAN * float(np.min(prior.sd)) if isinstance(prior, Located) else 1.0
    lengthscale = usual if method.kernel is None else method.kernel.lengthscale
    variance = 1.0 if method.kernel is None else float(method.kernel.variance)
    return 2.0 * method.mmd_weight * variance / (usual if isinstance(lengthscale, str) else lengthscale) ** 2


def step_size(problem: Problem) -> float:
    """A step size far inside the stability limit; 0.1 where there is no limit."""
    limit = stability_limit(problem)
    return rounded(limit / SAFETY) if np.isfinite(limit) else 0.1


def time_needed(problem: Problem) -> tuple[float, str]:
    """The time that the slowest method needs (infinite if it is not known), and a phrase that explains it."""
    limit = stability_limit(problem)
    noisy = [each.kl_weight for each in problem.weights if each.kl_weight > 0.0]
    relaxation = relaxation_time(problem, min(noisy)) if noisy else 0.0
    silent = [0.0] * (len(noisy) < len(problem.weights)) + ([min(noisy)] if relaxation is None else [])
    pace = min(limit, 4.0 * SAFETY) / 4.0
    descent = max((LONGER * time_of_descent(problem, each, pace) for each in silent), default=0.0)
    mixing = RELAXATIONS * relaxation if relaxation is not None else 0.0
    if mixing >= descent:
        times = f"{RELAXATIONS:g} relaxation times at the lowest kl_weight"
        return mixing, f"the particles need the time {mixing:.2g}, {times}"
    if not np.isfinite(descent):
        return descent, "it is not known what time the particles need to come down"
    return descent, f"the particles need the time {descent:.2g} to come down"


def plain_loss(loss: Loss) -> Plain:
    """The loss without compiled code: a formula by numpy, a loss of the package by its own methods."""
    formula, variables, term = vars(loss).get("formula"), vars(loss).get("variables"), loss.term
    if formula is not None and variables is not None:
        own = PlainFormula(formula, variables)
        return Plain(own.values_at, own.gradients_at, loss.dim)
    assert term is not None

    def value(points: Array) -> Array:
        return np.array([term.value(x) for x in points])

    def gradient(points: Array) -> Array:
        out = np.empty_like(points)
        for x, slope in zip(points, out, strict=True):
            term.gradient(x, slope)
        return out

    return Plain(value, gradient, loss.dim)


def starts(start: Prior | Array) -> Array:
    """At most 64 points that represent the start: the first given points, or points spread over a distribution.

    The latter are Halton's points, scaled to a box, or as quantiles of a normal distribution without limits.
    """
    from scipy.special import ndtri

    if isinstance(start, np.ndarray):
        return np.ascontiguousarray(start[:STARTS])
    unit = np.stack([_radical_inverse(PRIMES[i % len(PRIMES)]) for i in range(start.dim)], axis=1)
    low, high = np.asarray(start.low), np.asarray(start.high)
    bounded = np.isfinite(low) & np.isfinite(high)
    mean, sd = (start.location, start.scale) if isinstance(start, Placed) else (np.zeros(start.dim), np.ones(start.dim))
    if isinstance(start, Located):
        mean, sd = start.mean, start.sd
    with np.errstate(invalid="ignore"):
        boxed = low + (high - low) * unit
    return np.where(bounded, boxed, np.clip(mean + sd * ndtri(unit), low, high))


def _radical_inverse(base: int) -> Array:
    """Halton's sequence of one base, from its first number on, (STARTS,)."""
    left, unit, found = np.arange(1, STARTS + 1), 1.0 / base, np.zeros(STARTS)
    while left.any():
        found += unit * (left % base)
        left, unit = left // base, unit / base
    return found


def stability_limit(problem: Problem) -> float:
    """The largest stable step size at the points; infinite if no curvature is positive."""
    loss, prior, points, weights = problem
    steepest, dim = 0.0, points.shape[1]
    width = WIDTH * min(1.0 + float(np.abs(points).max()), 10.0)
    for kl_weight, repulsion in weights:
        slope = _slope(loss, prior, kl_weight)
        blocks = np.stack([
            (slope(points + shift) - slope(points - shift)) / (2.0 * width) for shift in width * np.eye(dim)
        ], axis=1)  # fmt: skip
        blocks = blocks[np.isfinite(blocks).all(axis=(1, 2))]
        own = np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, -1].max() if len(blocks) else 0.0
        steepest = max(steepest, float(own) + repulsion)
    return 2.0 / steepest if steepest > 0.0 else math.inf


def _slope(loss: Plain, prior: Prior, kl_weight: float) -> Values:
    def slope(x: Array) -> Array:
        with np.errstate(all="ignore"):
            found = loss.gradient(x)
            return found - kl_weight * prior.gradient(x) if kl_weight > 0.0 else found

    return slope


def time_of_descent(problem: Problem, kl_weight: float, step_size: float) -> float:
    """The time after which every point of the gradient flow of loss - kl_weight log p stays near its end.

    Infinite if some point is still on its way after 2,000 steps of ``step_size``.
    """
    loss, prior, points, _ = problem
    slope, low, high = _slope(loss, prior, kl_weight), np.asarray(prior.low), np.asarray(prior.high)
    way = [points]
    for _ in range(MOST_DESCENTS):
        way.append(np.clip(way[-1] - step_size * slope(way[-1]), low, high))
        if not np.isfinite(way[-1]).all():
            return math.inf
    away = np.linalg.norm(np.array(way) - way[-1], axis=2).max(axis=1)
    late = np.flatnonzero(away > NEARLY * away[0])
    arrived = int(late[-1]) + 1 if late.size else 0
    return arrived * step_size if arrived < 0.9 * MOST_DESCENTS else math.inf


def relaxation_time(problem: Problem, kl_weight: float) -> float | None:
    """One over the spectral gap of Langevin dynamics at this temperature; None if no grid can resolve it."""
    loss, prior, points, _ = problem
    if loss.dim not in CELLS:
        return None

    def potential(x: Array) -> Array:
        with np.errstate(all="ignore"):
            level = loss.value(x) / kl_weight - prior.log_density(x)
        return np.where(np.isfinite(level), level, np.inf)

    low, high = _window(prior, points)
    for _ in range(3):  # the first grid locates the mass, the others refine it
        axes = [np.linspace(a, b, CELLS[loss.dim]) for a, b in zip(low, high, strict=True)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        level = potential(grid.reshape(-1, loss.dim)).reshape(grid.shape[:-1])
        if not np.isfinite(level).any():
            return None
        level -= level.min()
        near = grid[level < HIGH]
        if len(near) < LEAST_CELLS:
            return None
        margin = np.array([axis[1] - axis[0] for axis in axes])
        low, high = np.maximum(near.min(axis=0) - margin, low), np.minimum(near.max(axis=0) + margin, high)
    rise = [np.diff(np.minimum(level, 2.0 * HIGH), axis=i) for i in range(loss.dim)]
    held = [np.minimum(*_neighbours(level, i)) < 0.5 * HIGH for i in range(loss.dim)]
    if any(np.abs(r[h]).max(initial=0.0) > ROUGH for r, h in zip(rise, held, strict=True)):
        return None
    gap = _gap(np.minimum(level, 2.0 * HIGH), [kl_weight / float(width) ** 2 for width in margin])
    return 1.0 / gap if gap > 0.0 else math.inf


def _window(prior: Prior, points: Array) -> tuple[Array, Array]:
    """The box of the particles: the prior's box, or `SIDE` standard deviations of the prior and the start points."""
    if isinstance(prior, Located):
        low, high = prior.mean - SIDE * prior.sd, prior.mean + SIDE * prior.sd
    else:
        reach = 2.0 * np.ptp(points, axis=0) + 1.0
        low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return np.maximum(low, prior.low), np.minimum(high, prior.high)


def _neighbours(level: NDArray[Number], axis: int) -> tuple[NDArray[Number], NDArray[Number]]:
    """The lower and the upper cells of all pairs of neighbours along one coordinate."""
    moved = np.moveaxis(level, axis, 0)
    return np.moveaxis(moved[:-1], 0, axis), np.moveaxis(moved[1:], 0, axis)


def _gap(level: Array, rates: list[float]) -> float:
    """The smallest positive eigenvalue of minus the generator, whose symmetric form has constant off-diagonals."""
    from scipy.linalg import eigh_tridiagonal
    from scipy.sparse import coo_array, csc_array, diags_array
    from scipy.sparse.linalg import eigsh

    leaving = np.zeros(level.shape)
    number = np.arange(level.size).reshape(level.shape)
    pairs = []
    for axis, rate in enumerate(rates):
        here, there = _neighbours(level, axis)
        first, second = _neighbours(number, axis)
        up, down = _neighbours(leaving, axis)  # views: filled in place
        up += rate * np.exp(0.5 * (here - there))
        down += rate * np.exp(0.5 * (there - here))
        pairs.append((np.full(first.size, -rate), first.ravel(), second.ravel()))
    if level.ndim == 1:
        values = eigh_tridiagonal(leaving, pairs[0][0], eigvals_only=True, select="i", select_range=(0, 1))
        return float(values[1])
    entries, rows, columns = (np.concatenate(part) for part in zip(*pairs, strict=True))
    half = coo_array((entries, (rows, columns)), shape=(level.size, level.size))
    matrix = csc_array(half + half.T + diags_array(leaving.ravel()))
    shift = -1e-6 * float(np.median(rates))
    start = np.exp(-0.5 * level.ravel()) * (1.0 + np.linspace(-1.0, 1.0, level.size))
    values = eigsh(matrix, k=2, sigma=shift, v0=start, return_eigenvectors=False)
    return float(np.sort(values)[1])


def rounded(number: float, up: bool = False) -> float:
    """Round to the nearest number (in ratio) with a leading digit of `DIGITS`, or ``up``: 0.014 becomes 0.015."""
    power = 10.0 ** math.floor(math.log10(number))
    choices = [digit * power for digit in (*DIGITS, 10.0)]
    if up:
        return float(f"{next(choice for choice in choices if choice >= number * (1.0 - 1e-9)):.3g}")
    return float(f"{min(choices, key=lambda choice: abs(math.log(choice / number))):.3g}")
