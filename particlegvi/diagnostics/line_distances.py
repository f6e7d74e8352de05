"""Distances of particles to a target on the line: Wasserstein and Kolmogorov-Smirnov, and sliced Wasserstein distances.

A sliced distance is the mean over directions of the distance on the line along each (Rabin et al., 2012).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.null_quantiles import REPLICATES, TAIL, halves
from particlegvi.diagnostics.particles import KnownTarget, in_space, is_target, line_target, on_line
from particlegvi.diagnostics.transport import between_samples, to_points
from particlegvi.targets import DensityTarget, GaussianOptima
from particlegvi.tools.docstrings import shares_parameters


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


def kolmogorov_smirnov_floor(n: int, levels: Sequence[float]) -> tuple[float, ...]:
    """Quantiles of the distance of ``n`` independent exact draws, which are the same for every density.

    They are those of Kolmogorov's limit distribution divided by ``sqrt(n) + 0.12 + 0.11/sqrt(n)`` (Stephens, 1970,
    J. R. Statist. Soc. B 32): from n = 5 on the upper quantiles have an error of one per cent, the lower ones of five.
    """
    from scipy.special import kolmogi

    root = float(np.sqrt(n))
    return tuple(float(value) for value in kolmogi(1.0 - np.asarray(levels)) / (root + 0.12 + 0.11 / root))


DIRECTIONS = 16
CELLS = 500
NEGLIGIBLE = 1e-7  # total mass of the lightest nodes, which are left out
MOST_DRAWS = 128  # draws in one simulated sample


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


def sliced_wasserstein_floor(target: DensityTarget, n: int, levels: Sequence[float], seed: int) -> tuple[float, ...]:
    """Quantiles of the sliced W1 distance between the target and ``n`` independent exact draws from it.

    Computed from 400 simulated samples. For more than 128 draws the samples have 128, and the distance is multiplied by
    sqrt(128/n): W1 on the line falls as n^(-1/2) where the tails are lighter than ``|x|^-3`` (del Barrio, Gine and
    Matran, 1999).
    """
    size = min(n, MOST_DRAWS)
    draws = target.sample(size * REPLICATES, seed)
    points, masses = as_weighted(target)
    directions = spread_directions(target.dim)
    distance = np.zeros(REPLICATES)
    for direction in directions:
        u, x = _quantiles(points @ direction, masses)
        cell = np.searchsorted(x, draws @ direction) + np.repeat(np.arange(REPLICATES) * (len(x) + 1), size)
        counts = np.bincount(cell, minlength=REPLICATES * (len(x) + 1)).reshape(REPLICATES, -1)
        distance += np.abs(np.cumsum(counts, axis=1)[:, :-1] / size - u) @ halves(np.diff(x))
    distance *= np.sqrt(size / n) / len(directions)
    return tuple(float(value) for value in np.quantile(distance, levels))


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


def _quantiles(along: Array, masses: Array) -> tuple[Array, Array]:
    """Levels in (0, 1), and the quantiles of weighted points on a line at these levels."""
    place = np.argsort(along)
    ordered, share = along[place], masses[place]
    below = (np.cumsum(share) - 0.5 * share) / share.sum()
    u = np.unique(np.concatenate([np.arange(1, CELLS) / CELLS, TAIL[:20], 1.0 - TAIL[:20]]))
    return u, np.interp(u, below, ordered)
