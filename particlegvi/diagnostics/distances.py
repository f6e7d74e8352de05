"""All distances of particles to a target at once, each with its floor: what a summary says about them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.diagnostics.discrepancy import energy_distance, squared_distances, values_of
from particlegvi.diagnostics.kolmogorov_smirnov import kolmogorov_smirnov, kolmogorov_smirnov_floor
from particlegvi.diagnostics.null_quantiles import limit_floor, line_floors
from particlegvi.diagnostics.particles import in_space, reference, some
from particlegvi.diagnostics.sliced import sliced_wasserstein, sliced_wasserstein_floor
from particlegvi.diagnostics.stein import Score, score_at, stein_kernel
from particlegvi.diagnostics.wasserstein import wasserstein1, wasserstein2
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tools import arguments, parts

LEVELS = (0.05, 0.95, 0.99)
MOST = 100_000  # particles that a distance is computed from
MOST_PAIRED = 1000  # and one that needs every pair
REFERENCE = 500
FLOOR_DRAWS = 250


class Distance(NamedTuple):
    """A distance beside the quantiles of that of as many independent exact draws."""

    value: float
    floor: tuple[float, ...]  # 5%, 95%, 99%
    particles: int  # how many it was computed from


def distances(
    particles: ArrayLike, target: Any, kernel: Any, score: Score | None = None, seed: int = 0
) -> dict[str, Distance]:
    """Every distance that there is for a target with a density, by name.

    On the line "w1", "w2", "ks", "energy", "mmd" and "ksd"; in the plane "sliced_w1", "energy", "mmd" and "ksd". Of
    more than 100,000 particles, and for MMD, KSD and in the plane the energy distance of more than 1000, so many count,
    evenly spaced in their order; the floor is that of as many.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density
    kernel : kernel with a number for its lengthscale
        Of the MMD.
    score : callable, optional
        Gradient of log q*, as `target_score` makes it; no KSD without one.
    seed : int
        Of the floors.

    Returns
    -------
    dict of Distance
    """
    parts.target(target, density=True)
    parts.kernel(kernel)
    seed = arguments.seed(seed)
    if score is not None:
        parts.function("score", score)
    with one_blas_thread():  # the matrices are small, and the same bits come out on any machine
        return _distances(in_space(particles, target.dim), target, kernel, score, seed)


def _distances(
    x: NDArray[np.float64], target: Any, kernel: Any, score: Score | None, seed: int
) -> dict[str, Distance]:
    many, few = some(x, MOST), some(x, MOST_PAIRED)
    found: dict[str, Distance] = {}
    if target.dim == 1:
        floors = line_floors(target, len(many), LEVELS, seed=seed)
        measures = {"w1": wasserstein1, "w2": wasserstein2, "energy": energy_distance}
        found = {name: Distance(measure(many, target), floors[name], len(many)) for name, measure in measures.items()}
        ks = kolmogorov_smirnov(many, target)
        found["ks"] = Distance(ks, kolmogorov_smirnov_floor(len(many), LEVELS), len(many))
    else:
        floor = sliced_wasserstein_floor(target, len(many), LEVELS, seed=seed)
        found["sliced_w1"] = Distance(sliced_wasserstein(many, target), floor, len(many))
    found |= _paired(few, target, kernel, seed)
    if score is not None:
        found["ksd"] = _stein(few, target, score, seed)
    return found


def _paired(x: NDArray[np.float64], target: Any, kernel: Any, seed: int) -> dict[str, Distance]:
    """MMD, and in the plane the energy distance, from one table of squared distances each."""
    y, worth = reference(target, REFERENCE if target.dim == 1 else 2 * REFERENCE, seed)
    tables = [squared_distances(*pair) for pair in ((x, x), (x, y), (y, y))]
    number = len(x) * worth / (len(x) + worth) if np.isfinite(worth) else len(x)
    profiles = {"mmd": lambda r2: values_of(kernel, r2)}
    if target.dim > 1:
        profiles["energy"] = lambda r2: -np.sqrt(r2)
    found = {}
    for name, profile in profiles.items():
        own, between, among = (profile(table) for table in tables)
        squared = own.mean() - 2.0 * between.mean() + among.mean()
        step = len(y) // FLOOR_DRAWS
        floor = limit_floor(among[step // 2 :: step, step // 2 :: step], number, LEVELS, seed=seed)
        found[name] = Distance(float(np.sqrt(max(squared, 0.0))), floor, len(x))
    return found


def _stein(x: NDArray[np.float64], target: Any, score: Score, seed: int) -> Distance:
    lengthscale = float(np.sqrt(np.mean(target.variance)))
    y = reference(target, FLOOR_DRAWS, seed)[0]
    squared = stein_kernel(x, score_at(score, x), lengthscale).mean()
    floor = limit_floor(stein_kernel(y, score_at(score, y), lengthscale), len(x), LEVELS, centred=True, seed=seed)
    return Distance(float(np.sqrt(max(squared, 0.0))), floor, len(x))
