"""Sliced Wasserstein distances: the mean over directions of the distance on the line (Rabin et al., 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.null_quantiles import REPLICATES, TAIL, checked_levels, halves
from particlegvi.diagnostics.particles import given_points, in_space
from particlegvi.diagnostics.wasserstein import to_points
from particlegvi.tools import arguments, parts

DIRECTIONS = 16
MOST_DIRECTIONS = 100_000
CELLS = 500
NEGLIGIBLE = 1e-7  # mass of the lightest nodes, together, that is left out
MOST_DRAWS = 128  # in one simulated sample


def sliced_wasserstein(particles: ArrayLike, target: Any, order: int = 1, directions: int = DIRECTIONS) -> float:
    """``[mean over directions of W_order^order along each]^(1/order)``, the target given by its quadrature or points.

    In the plane the directions are evenly spaced angles, half a spacing off the axes; in more dimensions they are
    drawn once and for all. On the line it is `wasserstein1` or `wasserstein2`, to the target's quadrature.

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

    Raises
    ------
    ValueError
        If the dimensions differ, or the order or the number of directions is not allowed.
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
    target: Any, n: int, quantiles: Sequence[float] = (0.05, 0.95), directions: int = DIRECTIONS, seed: int = 0
) -> tuple[float, ...]:
    """Quantiles of the sliced W1 distance between the target and ``n`` independent exact draws from it.

    From 400 simulated samples; for more than 128 draws, of samples of 128, times sqrt(128/n): along a line W1 falls
    with the root of the number (del Barrio, Gine and Matran, 1999), where the tails are lighter than |x|^-3.

    Parameters
    ----------
    target : target with a density
    n : int
        Number of draws.
    quantiles : sequence of floats in [0, 1]
    directions : int
        As for `sliced_wasserstein`.
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


def as_weighted(target: Any) -> tuple[Array, Array]:
    """Points (m, dim) and their masses: a quadrature's nodes, atoms, or particles of equal mass."""
    kind = None if given_points(target) else target.kind
    if kind == "atoms":
        return target.atoms, target.weights
    if kind == "density":
        heaviest = np.argsort(target.masses)[::-1]
        kept = heaviest[: 1 + np.searchsorted(np.cumsum(target.masses[heaviest]), target.masses.sum() - NEGLIGIBLE)]
        return target.grid.reshape(-1, target.dim)[kept], target.masses[kept]
    if kind is not None:
        raise ValueError(f"target is of the kind {kind!r}; a density, atoms or an array of points is allowed")
    points = in_space(target, key="target")
    return points, np.full(len(points), 1.0 / len(points))


def _many(directions: int) -> int:
    return arguments.whole("directions", directions, 1, MOST_DIRECTIONS)


def _quantiles(along: Array, masses: Array) -> tuple[Array, Array]:
    """Levels, and the quantiles there of weighted points on a line."""
    place = np.argsort(along)
    ordered, share = along[place], masses[place]
    below = (np.cumsum(share) - 0.5 * share) / share.sum()
    u = np.unique(np.concatenate([np.arange(1, CELLS) / CELLS, TAIL[:20], 1.0 - TAIL[:20]]))
    return u, np.interp(u, below, ordered)
