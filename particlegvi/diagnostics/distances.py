"""All distances of particles to a target at once, each with its sampling floor, as a summary reports them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel
from particlegvi.diagnostics import discrepancy, line_distances
from particlegvi.diagnostics.discrepancy import Profile, Score
from particlegvi.diagnostics.null_quantiles import limit_floor, line_floors
from particlegvi.diagnostics.particles import in_space, reference, some
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.engine.terms.evaluate import profile_values, squared_distances
from particlegvi.targets import DensityTarget
from particlegvi.tools import arguments, objects

LEVELS = (0.05, 0.95, 0.99)
MOST = 100_000  # particles that enter a distance
MOST_PAIRED = 1000  # particles that enter a distance over all pairs
REFERENCE = 500
NULL_DRAWS = 250  # rows of the matrix whose eigenvalues give a null distribution


class Distance(NamedTuple):
    """A distance, and quantiles of its null distribution for the same number of independent exact draws."""

    value: float
    floor: tuple[float, ...]  # 5%, 95%, 99%
    particles: int  # number of particles that it was computed from


def distances(
    particles: ArrayLike, target: DensityTarget, kernel: Kernel, score: Score | None = None, seed: int = 0
) -> dict[str, Distance]:
    """All distances to a target with a density, by name.

    On the line they are "w1", "w2", "ks", "energy", "mmd" and "ksd"; in the plane "sliced_w1", "energy", "mmd" and
    "ksd". At most 100,000 particles are used, and at most 1000 for MMD, KSD and, in the plane, the energy distance;
    they are evenly spaced in their order. The floor is for that number of draws.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density
    kernel : kernel with a number for its lengthscale
        Kernel of the MMD.
    score : callable, optional
        Gradient of log q*, as `target_score` makes it; without it there is no KSD.
    seed : int
        Seed of the floors.
    """
    objects.target(target, density=True)
    objects.kernel(kernel)
    seed = arguments.seed(seed)
    if score is not None:
        objects.function("score", score)
    with one_blas_thread():  # the matrices are small, and the result has the same bits on any machine
        return _distances(in_space(particles, target.dim), target, kernel, score, seed)


def _distances(x: Array, target: DensityTarget, kernel: Kernel, score: Score | None, seed: int) -> dict[str, Distance]:
    many, few = some(x, MOST), some(x, MOST_PAIRED)
    by_name: dict[str, Distance] = {}
    if target.dim == 1:
        null_quantiles = line_floors(target, len(many), LEVELS, seed=seed)
        measures = {"w1": line_distances.wasserstein1, "w2": line_distances.wasserstein2}
        measures["energy"] = discrepancy.energy_distance
        by_name = {
            name: Distance(measure(many, target), null_quantiles[name], len(many)) for name, measure in measures.items()
        }
        ks = line_distances.kolmogorov_smirnov(many, target)
        by_name["ks"] = Distance(ks, line_distances.kolmogorov_smirnov_floor(len(many), LEVELS), len(many))
    else:
        quantiles = line_distances.sliced_wasserstein_floor(target, len(many), LEVELS, seed)
        by_name["sliced_w1"] = Distance(line_distances.sliced_wasserstein(many, target), quantiles, len(many))
    by_name |= _paired(few, target, kernel, seed)
    if score is not None:
        by_name["ksd"] = _stein(few, target, score, seed)
    return by_name


def _paired(x: Array, target: DensityTarget, kernel: Kernel, seed: int) -> dict[str, Distance]:
    """MMD, and in the plane the energy distance, from the same tables of squared distances."""
    y, worth = reference(target, REFERENCE if target.dim == 1 else 2 * REFERENCE, seed)
    tables = [squared_distances(*pair) for pair in ((x, x), (x, y), (y, y))]
    number = len(x) * worth / (len(x) + worth) if np.isfinite(worth) else len(x)
    profiles: dict[str, Profile] = {"mmd": lambda r2: profile_values(kernel, r2)}
    if target.dim > 1:
        profiles["energy"] = lambda r2: -np.sqrt(r2)
    paired = {}
    for name, profile in profiles.items():
        own, between, among = (profile(table) for table in tables)
        squared = own.mean() - 2.0 * between.mean() + among.mean()
        step = len(y) // NULL_DRAWS
        quantiles = limit_floor(among[step // 2 :: step, step // 2 :: step], number, LEVELS, seed=seed)
        paired[name] = Distance(float(np.sqrt(max(squared, 0.0))), quantiles, len(x))
    return paired


def _stein(x: Array, target: DensityTarget, score: Score, seed: int) -> Distance:
    lengthscale = float(np.sqrt(np.mean(target.variance)))
    y = reference(target, NULL_DRAWS, seed)[0]
    squared = discrepancy.stein_kernel(x, discrepancy.score_at(score, x), lengthscale).mean()
    table = discrepancy.stein_kernel(y, discrepancy.score_at(score, y), lengthscale)
    quantiles = limit_floor(table, len(x), LEVELS, centred=True, seed=seed)
    return Distance(float(np.sqrt(max(squared, 0.0))), quantiles, len(x))
