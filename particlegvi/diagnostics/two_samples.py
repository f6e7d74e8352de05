"""Distances of particles to draws of the truth, with their null quantiles."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array
from particlegvi.diagnostics.distances import LEVELS, REPLICATES, Distance
from particlegvi.diagnostics.line_distances import spread_directions
from particlegvi.diagnostics.particles import in_space, some
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tools import arguments

Floors: TypeAlias = dict[str, tuple[float, ...]]
POOL = 2000  # draws that enter, half of them at most as a sample of as many draws as there are particles


def distances_to_draws(particles: ArrayLike, draws: ArrayLike, seed: int = 0) -> dict[str, Distance]:
    """Distances of particles to draws of the truth, by name, each with quantiles for as many of these draws.

    "w1" on the line and "sliced_w1" in more dimensions, "energy", and "mmd" with the squared-exponential kernel whose
    squared lengthscale is half the mean squared distance of two draws.

    At most 2000 draws are used, evenly spaced in their order, and at most half as many particles. A part of the draws,
    as many as there are particles, is taken out at random, 400 times; the quantiles are those of its distance to the
    rest. The particles are compared with such a rest. The draws must be nearly independent: a part of a chain that
    hardly moves is as near to the rest as a part of independent draws, though the chain is not near to the truth.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    draws : array (m, dim)
        At least four.
    seed : int
        Seed of the parts.
    """
    x = in_space(particles)
    y = in_space(draws, x.shape[1], "draws")
    if len(y) < 4:
        raise arguments.refuse("draws", len(y), "at least 4 points")
    pool = np.ascontiguousarray(some(y, POOL))
    x = some(x, len(pool) // 2)
    with one_blas_thread():
        null, rest = _null(pool.tobytes(), pool.shape, len(x), arguments.seed(seed))
        both = np.concatenate([x, pool[rest]])
        weights = np.concatenate([np.full(len(x), 1.0 / len(x)), np.full(len(rest), -1.0 / len(rest))])
        values = _all(both, weights[None], _scale(pool))
    return {name: Distance(float(values[name][0]), null[name], len(x)) for name in values}


@lru_cache(maxsize=4)  # the methods of a comparison have the same
def _null(content: bytes, shape: tuple[int, int], part: int, seed: int) -> tuple[Floors, NDArray[np.int64]]:
    """Quantiles of the distances of random parts of a pool to the rest, and one such rest."""
    pool = np.frombuffer(content).reshape(shape)
    draw = np.random.default_rng([seed, part])
    weights = np.full((REPLICATES, len(pool)), -1.0 / (len(pool) - part))
    for row in weights:
        order = draw.permutation(len(pool))
        row[order[:part]] = 1.0 / part
    values = _all(pool, weights, _scale(pool))
    floors = {name: tuple(map(float, np.quantile(simulated, LEVELS))) for name, simulated in values.items()}
    return floors, np.sort(order[part:])


def _scale(pool: Array) -> float:
    return max(2.0 * float(pool.var(axis=0).sum()), 1e-300)


def _all(points: Array, weights: Array, scale: float) -> dict[str, Array]:
    """The distances between two parts of points (n, dim), for each row of weights (rows, n) of both signs."""
    dim = points.shape[1]
    directions = spread_directions(dim)
    along = np.zeros(len(weights))
    for direction in directions:
        place = points @ direction
        order = np.argsort(place)
        along += np.abs(np.cumsum(weights[:, order], axis=1)[:, :-1]) @ np.diff(place[order])
    centred = points - points.mean(axis=0)
    lengths = (centred * centred).sum(axis=1)
    squared = np.maximum(lengths[:, None] + lengths - 2.0 * (centred @ centred.T), 0.0)
    np.fill_diagonal(squared, 0.0)
    tables = {"energy": -np.sqrt(squared), "mmd": np.exp(-squared / scale)}
    values = {"w1" if dim == 1 else "sliced_w1": along / len(directions)}
    for name, table in tables.items():
        values[name] = np.sqrt(np.maximum(((weights @ table) * weights).sum(axis=1), 0.0))
    return values
