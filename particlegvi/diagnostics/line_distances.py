"""Distances of particles to a target on the line: Wasserstein and Kolmogorov-Smirnov, and sliced Wasserstein distances.

A sliced distance is the mean over directions of the distance on the line along each (Rabin et al., 2012).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.particles import KnownTarget, in_space, is_target, line_target, on_line
from particlegvi.engine.terms.evaluate import squared_distances
from particlegvi.targets import DensityTarget, GaussianOptima
from particlegvi.tools.calls import shares_parameters


def wasserstein1(particles: ArrayLike, target: KnownTarget | ArrayLike) -> float:
    """``W1 = integral of |F_n(x) - F(x)| dx``, exact (Vallender, 1974); between two samples in any dimension.

    F_n is the empirical distribution function of the particles and F that of the target. On every gap between two
    particles F_n is constant, and the integral of F has the antiderivative x F(x) - M(x) with M the partial mean.

    In more dimensions the least mean distance between two samples is an assignment, for at most 3000 points.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with one dimension, or array (m, dim)
        A density, atoms, or Gaussian optima (of which the best one is used); or other particles.

    Returns
    -------
    float
        In the units of the particles; infinite where the target has no mean.
    """
    if not is_target(target):
        return between_samples(particles, target, 1)
    line_target(target)
    x = np.sort(on_line(particles))
    if target.kind == "atoms":
        return _to_atoms(x, target.atoms[:, 0], target.weights)
    centre = float(target.mean)
    if not np.isfinite(centre):
        return float("inf")
    below = np.arange(1, len(x)) / len(x)
    return _to_density(x - centre, target.cdf(x), target.partial_mean(x), below, target)


def _to_density(
    z: np.ndarray, cdf: np.ndarray, first: np.ndarray, below: np.ndarray, target: DensityTarget | GaussianOptima
) -> float:
    """W1 from sorted particles z relative to the mean, F (``cdf``) and M (``first``) there, and F_n in the gaps."""
    area = z * cdf - first  # integral of F up to each particle
    between = np.diff(area) - below * np.diff(z)  # integral of F - F_n over each gap
    total = np.abs(between)
    crossed = np.flatnonzero((cdf[:-1] < below) & (below < cdf[1:]))
    if len(crossed):
        # F crosses F_n inside the gap: integrate the parts on either side separately.
        level = below[crossed]
        at = target.quantile(level)
        left = (at - target.mean) * level - target.partial_mean(at) - area[crossed]
        left -= level * (at - target.mean - z[crossed])
        total[crossed] = np.abs(left) + np.abs(between[crossed] - left)
    tails = area[0] + (-first[-1] - z[-1] * (1.0 - cdf[-1]))
    return float(total.sum() + max(tails, 0.0))


def _to_atoms(x: np.ndarray, atoms: np.ndarray, weights: np.ndarray) -> float:
    places = np.concatenate([x, atoms])
    jumps = np.concatenate([np.full(len(x), 1.0 / len(x)), -weights])
    order = np.argsort(places, kind="stable")
    gap = np.cumsum(jumps[order])[:-1]
    return float(np.sum(np.abs(gap) * np.diff(places[order])))


@shares_parameters(wasserstein1)
def wasserstein2(particles: ArrayLike, target: KnownTarget | ArrayLike) -> float:
    """``W2 = [integral of (Q_n(u) - Q(u))^2 du]^(1/2)`` of the two quantile functions, exact (Villani, 2003, 2.18).

    Between (i - 1)/n and i/n Q_n is the i-th ordered particle, and the integral of Q follows from the partial mean.
    Between two samples in more dimensions it is found as `wasserstein1` is, with squared distances. The distance is
    infinite where the target has no variance.
    """
    if not is_target(target):
        return between_samples(particles, target, 2)
    line_target(target)
    x = np.sort(on_line(particles))
    if target.kind == "atoms":
        return to_points(x, target.atoms[:, 0], target.weights, 2)
    centre, variance = float(target.mean), float(target.variance)
    if not (np.isfinite(centre) and np.isfinite(variance)):
        return float("inf")
    z = x - centre
    between = target.partial_mean(target.quantile(np.arange(1, len(x)) / len(x))) if len(x) > 1 else np.empty(0)
    shares = np.diff(np.concatenate([[0.0], between, [0.0]]))
    return float(np.sqrt(max(variance + np.mean(z * z) - 2.0 * np.sum(z * shares), 0.0)))


@shares_parameters(wasserstein1)
def kolmogorov_smirnov(particles: ArrayLike, target: KnownTarget) -> float:
    """``sup |F_n(x) - F(x)|``, exact: the largest difference on either side of a particle (Kolmogorov, 1933).

    The particles are (n,) or (n, 1), and the target has one dimension and a density. Independent exact draws exceed
    1.36/sqrt(n) with probability 0.05 for large n.
    """
    line_target(target)
    if target.kind == "atoms":
        raise ValueError("target is a sum of atoms, from which anything not exactly on them is far; use mode_occupancy")
    x = np.sort(on_line(particles))
    cdf = target.cdf(x)
    steps = np.arange(len(x) + 1) / len(x)
    return float(max(np.max(steps[1:] - cdf), np.max(cdf - steps[:-1])))


DIRECTIONS = 16
NEGLIGIBLE = 1e-7  # total mass of the lightest nodes, which are left out


def sliced_wasserstein(particles: ArrayLike, target: KnownTarget | ArrayLike) -> float:
    """The mean of W1 along 16 directions, to the target's quadrature or to points.

    In the plane the directions are evenly spaced angles, half a spacing off the axes; in more dimensions they are
    random with a fixed seed. On the line it is `wasserstein1`, to the target's quadrature.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target, or array (m, dim)
        A density, atoms, or other particles.

    Returns
    -------
    float
        In the units of the particles.
    """
    points, masses = as_weighted(target)
    x = in_space(particles, points.shape[1])
    distances = []
    for direction in spread_directions(x.shape[1]):
        along = points @ direction
        place = np.argsort(along)
        distances.append(to_points(np.sort(x @ direction), along[place], masses[place], 1))
    return float(np.mean(distances))


def spread_directions(dim: int) -> Array:
    """Unit vectors (16, dim); on the line a single one."""
    if dim == 1:
        return np.ones((1, 1))
    if dim == 2:
        angle = np.pi * (np.arange(DIRECTIONS) + 0.5) / DIRECTIONS
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vectors = np.random.default_rng(0).standard_normal((DIRECTIONS, dim))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def as_weighted(target: KnownTarget | ArrayLike) -> tuple[Array, Array]:
    """Points (m, dim) and their masses: the nodes of a quadrature, atoms, or points of equal mass."""
    if not is_target(target):
        points = in_space(target, key="target")
        return points, np.full(len(points), 1.0 / len(points))
    if target.kind == "atoms":
        return target.atoms, target.weights
    if target.kind == "density":
        heaviest = np.argsort(target.masses)[::-1]
        kept = heaviest[: 1 + np.searchsorted(np.cumsum(target.masses[heaviest]), target.masses.sum() - NEGLIGIBLE)]
        return target.grid.reshape(-1, target.dim)[kept], target.masses[kept]
    raise ValueError(f'target must be a density, atoms or an array of points, not of the kind "{target.kind}"')


MOST_MATCHED = 3000  # points of an assignment: ten seconds


def to_points(x: Array, y: Array, weights: Array, order: int) -> float:
    """``[integral of |Q_n - Q|^order du]^(1/order)`` from ordered particles x to ordered points y with weights."""
    above = np.cumsum(weights) / np.sum(weights)
    levels = np.concatenate([np.arange(1, len(x) + 1) / len(x), above])
    levels.sort()
    middle = 0.5 * (levels + np.concatenate([[0.0], levels[:-1]]))
    first = x[np.minimum((middle * len(x)).astype(np.int64), len(x) - 1)]
    second = y[np.minimum(np.searchsorted(above, middle), len(y) - 1)]
    total = np.sum(np.abs(first - second) ** order * np.diff(levels, prepend=0.0))
    return float(total ** (1.0 / order))


def between_samples(particles: ArrayLike, others: object, order: int) -> float:
    """The Wasserstein distance of this order between two samples, whose points have equal masses.

    On the line by the quantile functions. In more dimensions by an assignment, where the least common multiple of both
    numbers is at most 3000; a ValueError beyond.
    """
    x = in_space(particles)
    y = in_space(others, x.shape[1], "target")
    n, m = len(x), len(y)
    if x.shape[1] == 1:
        return to_points(np.sort(x[:, 0]), np.sort(y[:, 0]), np.ones(m), order)
    cost = squared_distances(x, y) ** (0.5 * order)
    size = math.lcm(n, m)
    if size > MOST_MATCHED:
        raise ValueError(
            f"target must have as many points as there are particles, at most {MOST_MATCHED}, for an exact distance in"
            f" {x.shape[1]} dimensions, not {m} for {n}; sliced_wasserstein takes any number"
        )
    from scipy.optimize import linear_sum_assignment

    pairs = cost.repeat(size // n, axis=0).repeat(size // m, axis=1)
    return float(pairs[linear_sum_assignment(pairs)].mean()) ** (1.0 / order)
