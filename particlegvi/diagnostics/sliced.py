"""Sliced Wasserstein distances: the mean over directions of the distance on the line (Rabin et al., 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.line_distances import to_points
from particlegvi.diagnostics.null_quantiles import REPLICATES, TAIL, checked_levels, halves
from particlegvi.diagnostics.particles import in_space, is_target
from particlegvi.tools import arguments, parts

if TYPE_CHECKING:
    from particlegvi.diagnostics.particles import KnownTarget
    from particlegvi.targets.density import DensityTarget

DIRECTIONS = 16
MOST_DIRECTIONS = 100_000
CELLS = 500
NEGLIGIBLE = 1e-7  # total mass of the lightest nodes, which are left out
MOST_DRAWS = 128  # draws in one simulated sample


def sliced_wasserstein(
    particles: ArrayLike, target: KnownTarget | ArrayLike, order: int = 1, directions: int = DIRECTIONS
) -> float:
    """``[mean over directions of W_order^order along each]^(1/order)``, to the target's quadrature or to points.

    In the plane the directions are evenly spaced angles, half a spacing off the axes; in more dimensions they are
    random with a fixed seed. On the line it is `wasserstein1` or `wasserstein2`, to the target's quadrature.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target, or array (m, dim)
        A density, atoms, or other particles.
    order : int
        1 or 2.
    directions : int

    Returns
    -------
    float
        In the units of the particles.
    """
    points, masses = as_weighted(target)
    x = in_space(particles, points.shape[1])
    if arguments.real("order", order, "1 or 2") not in (1.0, 2.0):
        raise arguments.refuse("order", order, "1 or 2")
    order = int(order)
    total, directions = 0.0, _many(directions)
    for direction in spread_directions(x.shape[1], directions):
        along = points @ direction
        place = np.argsort(along)
        total += to_points(np.sort(x @ direction), along[place], masses[place], order) ** order
    return float((total / directions) ** (1.0 / order))


def sliced_wasserstein_floor(
    target: DensityTarget,
    n: int,
    quantiles: Sequence[float] = (0.05, 0.95),
    directions: int = DIRECTIONS,
    seed: int = 0,
) -> tuple[float, ...]:
    """Quantiles of the sliced W1 distance between the target and ``n`` independent exact draws from it.

    Computed from 400 simulated samples. For more than 128 draws the samples have 128, and the distance is multiplied by
    sqrt(128/n): W1 on the line falls as n^(-1/2) where the tails are lighter than ``|x|^-3`` (del Barrio, Gine and
    Matran, 1999).

    Parameters
    ----------
    target : target with a density
    n : int
        Number of draws.
    quantiles : sequence of floats in [0, 1]
    directions : int
        Number of directions, evenly spread, as `sliced_wasserstein` has them.
    seed : int

    Returns
    -------
    tuple of floats, one for each quantile
    """
    parts.target(target, density=True)
    n, directions = arguments.whole("n", n, 1, arguments.MOST_PARTICLES), _many(directions)
    levels = checked_levels(quantiles)
    size = min(n, MOST_DRAWS)
    draws = target.sample(size * REPLICATES, seed)
    points, masses = as_weighted(target)
    distance = np.zeros(REPLICATES)
    for direction in spread_directions(target.dim, directions):
        u, x = _quantiles(points @ direction, masses)
        cell = np.searchsorted(x, draws @ direction) + np.repeat(np.arange(REPLICATES) * (len(x) + 1), size)
        counts = np.bincount(cell, minlength=REPLICATES * (len(x) + 1)).reshape(REPLICATES, -1)
        distance += np.abs(np.cumsum(counts, axis=1)[:, :-1] / size - u) @ halves(np.diff(x))
    distance *= np.sqrt(size / n) / directions
    return tuple(float(value) for value in np.quantile(distance, levels))


def spread_directions(dim: int, number: int) -> Array:
    """Unit vectors (number, dim)."""
    if dim == 1:
        return np.ones((number, 1))
    if dim == 2:
        angle = np.pi * (np.arange(number) + 0.5) / number
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vectors = np.random.default_rng(0).standard_normal((number, dim))
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


def _many(directions: int) -> int:
    return arguments.whole("directions", directions, 1, MOST_DIRECTIONS)


def _quantiles(along: Array, masses: Array) -> tuple[Array, Array]:
    """Levels in (0, 1), and the quantiles of weighted points on a line at these levels."""
    place = np.argsort(along)
    ordered, share = along[place], masses[place]
    below = (np.cumsum(share) - 0.5 * share) / share.sum()
    u = np.unique(np.concatenate([np.arange(1, CELLS) / CELLS, TAIL[:20], 1.0 - TAIL[:20]]))
    return u, np.interp(u, below, ordered)
