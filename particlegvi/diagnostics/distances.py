"""All distances of particles to a target at once, each with its sampling floor, as a summary reports them.

Floors are quantiles of the null distributions: those of the distances of independent exact draws. On the line W1, W2
and the energy distance are simulated, and in the plane the sliced W1; MMD, the energy distance in the plane and the
kernel Stein discrepancy have the limit distribution of a V-statistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel
from particlegvi.diagnostics.discrepancy import Profile, Score, energy_distance, score_at, stein_kernel
from particlegvi.diagnostics.line_distances import (
    as_weighted,
    kolmogorov_smirnov,
    sliced_wasserstein,
    spread_directions,
    wasserstein1,
    wasserstein2,
)
from particlegvi.diagnostics.particles import KnownTarget, in_space, line_target, reference, some
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.engine.terms.evaluate import profile_values, squared_distances
from particlegvi.targets import DensityTarget, GaussianOptima
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
        measures = {"w1": wasserstein1, "w2": wasserstein2}
        measures["energy"] = energy_distance
        by_name = {
            name: Distance(measure(many, target), null_quantiles[name], len(many)) for name, measure in measures.items()
        }
        ks = kolmogorov_smirnov(many, target)
        by_name["ks"] = Distance(ks, kolmogorov_smirnov_floor(len(many), LEVELS), len(many))
    else:
        quantiles = sliced_wasserstein_floor(target, len(many), LEVELS, seed)
        by_name["sliced_w1"] = Distance(sliced_wasserstein(many, target), quantiles, len(many))
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
    squared = stein_kernel(x, score_at(score, x), lengthscale).mean()
    table = stein_kernel(y, score_at(score, y), lengthscale)
    quantiles = limit_floor(table, len(x), LEVELS, centred=True, seed=seed)
    return Distance(float(np.sqrt(max(squared, 0.0))), quantiles, len(x))


CELLS, CELLS_OF_A_SLICE = 1000, 500
REPLICATES = 400
TAIL = 2.0 ** -np.arange(12.0, 44.0)
SIMULATED = 2000
KEPT = 40
FEW_ATOMS = 12


def line_floors(
    target: KnownTarget, n: int, levels: Sequence[float], replicates: int = REPLICATES, seed: int = 0
) -> dict[str, tuple[float, ...]]:
    """Quantiles of several distances between the target and ``n`` exact draws: W1, and for a density W2 and energy.

    All distances share the simulated samples; a 95% quantile from 400 has an error of about 4%. Counts at few atoms are
    simulated twenty-five times as often: their distance has a longer tail, and a draw costs little. The keys are "w1",
    "w2" and "energy"; "w1" alone where the target is atoms.
    """
    draw = np.random.default_rng([seed, n])
    if target.kind == "atoms":
        masses, x = target.weights, target.atoms[:, 0]
        times = 25 * replicates if len(x) <= FEW_ATOMS else replicates
        miss = _misses(draw, masses, int(n), times)
        distances = {"w1": np.abs(miss[:, :-1]) @ np.diff(x)}
    elif not np.isfinite(target.mean):
        return {name: (float("inf"),) * len(levels) for name in ("w1", "w2", "energy")}
    else:
        u, x = _cells(target)
        miss = _misses(draw, np.diff(u), int(n), replicates)[:, :-1]
        widths = halves(np.diff(x))
        distances = {
            "w1": np.abs(miss) @ widths,
            "w2": _order_two(miss, u, x),
            "energy": np.sqrt(2.0 * (miss * miss) @ widths),
        }
    null_quantiles = {
        name: tuple(float(value) for value in np.quantile(simulated, levels)) for name, simulated in distances.items()
    }
    if "w2" in null_quantiles and not np.isfinite(target.variance):
        null_quantiles["w2"] = (float("inf"),) * len(levels)
    return null_quantiles


def wasserstein1_floor(
    target: KnownTarget, n: int, quantiles: Sequence[float] = (0.05, 0.95), replicates: int = REPLICATES, seed: int = 0
) -> tuple[float, ...]:
    """Quantiles of the W1 distance between the target and ``n`` independent exact draws from it.

    With X = Q(U), W1 is the integral of ``|U_n(u) - u|`` dQ(u), where U_n is the distribution function of n uniform
    draws. The counts of draws in some 1500 cells are simulated, and W1 follows by the trapezoidal rule with an error of
    about one per cent, less than the noise of the replicates.

    Parameters
    ----------
    target : target with one dimension
    n : int
        Number of draws.
    quantiles : sequence of floats in [0, 1]
    replicates : int
        Number of simulated samples; of the counts at up to twelve atoms 25 times as many.
    seed : int

    Returns
    -------
    tuple of floats, one for each quantile
        In the units of the target, and infinite if it has no mean.
    """
    line_target(target)
    n = arguments.whole("n", n, 1, arguments.MOST_PARTICLES)
    replicates = arguments.whole("replicates", replicates, 1, 1_000_000)
    levels = arguments.array("quantiles", quantiles, "a list of numbers in [0, 1]")
    if levels.ndim != 1 or levels.size == 0 or not np.all((levels >= 0.0) & (levels <= 1.0)):
        raise arguments.refuse("quantiles", quantiles, "a list of numbers in [0, 1]")
    return line_floors(target, n, levels.tolist(), replicates, arguments.seed(seed))["w1"]


def halves(gaps: Array) -> Array:
    """Weights of the trapezoidal rule for points with these gaps between them."""
    padded = np.concatenate([[0.0], gaps, [0.0]])
    return 0.5 * (padded[1:] + padded[:-1])


def _cells(target: DensityTarget | GaussianOptima) -> tuple[Array, Array]:
    """Edges of cells that are fine in probability, in the tails, and in position.

    Levels from 0 to 1 and their positions, without the first and last level.
    """
    u = np.concatenate([np.arange(1, CELLS) / CELLS, TAIL, 1.0 - TAIL])
    low, high = target.quantile(np.array([1e-7, 1.0 - 1e-7]))
    u = np.unique(np.concatenate([u, target.cdf(np.linspace(low, high, CELLS // 2))]))
    u = np.concatenate([[0.0], u[(u > 0.0) & (u < 1.0)], [1.0]])
    return u, target.quantile(u[1:-1])


def _misses(draw: np.random.Generator, masses: Array, n: int, replicates: int) -> Array:
    """Share of the draws up to each cell minus its probability, (replicates, cells)."""
    masses = masses / masses.sum()
    if n < len(masses):
        cell = np.searchsorted(np.cumsum(masses)[:-1], draw.random(n * replicates), side="right")
        cell += np.repeat(np.arange(replicates) * len(masses), n)
        counts = np.bincount(cell, minlength=replicates * len(masses)).reshape(replicates, -1)
    else:
        counts = draw.multinomial(n, masses, size=replicates)
    return np.cumsum(counts / n - masses, axis=1)


def _order_two(miss: Array, u: Array, x: Array) -> Array:
    """W2 = [integral of (Q_n - Q)^2 du]^(1/2) of each replicate, with Q_n, the quantiles of the draws, interpolated."""
    middle, du = 0.5 * (u[1:] + u[:-1]), np.diff(u)
    exact = np.interp(middle, u[1:-1], x)
    return np.sqrt([np.sum((np.interp(middle, row + u[1:-1], x) - exact) ** 2 * du) for row in miss])


def limit_floor(
    table: Array, n: float, levels: Sequence[float], *, centred: bool = False, seed: int = 0
) -> tuple[float, ...]:
    """Quantiles of the square root of the V-statistic of ``n`` exact draws, in a limit whose mean is exact for any n.

    The table (m, m) has the values of the kernel between m draws from the target; for two samples of n1 and n2 draws,
    n is 1/(1/n1 + 1/n2). A ``centred`` kernel has mean zero under the target, as Stein's kernel has.
    """
    if not centred:
        mean = table.mean(axis=0)
        table = table - mean - mean[:, None] + mean.mean()
    eigenvalues = np.maximum(np.linalg.eigvalsh(table)[::-1], 0.0) / len(table)
    largest, rest = eigenvalues[:KEPT], float(eigenvalues[KEPT:].sum())
    normals = np.random.default_rng(seed).standard_normal((SIMULATED, len(largest)))
    simulated = (normals * normals) @ largest + rest
    return tuple(float(value) for value in np.sqrt(np.quantile(simulated, levels) / n))


def kolmogorov_smirnov_floor(n: int, levels: Sequence[float]) -> tuple[float, ...]:
    """Quantiles of the distance of ``n`` independent exact draws, which are the same for every density.

    They are those of Kolmogorov's limit distribution divided by ``sqrt(n) + 0.12 + 0.11/sqrt(n)`` (Stephens, 1970,
    J. R. Statist. Soc. B 32): from n = 5 on the upper quantiles have an error of one per cent, the lower ones of five.
    """
    from scipy.special import kolmogi

    root = float(np.sqrt(n))
    return tuple(float(value) for value in kolmogi(1.0 - np.asarray(levels)) / (root + 0.12 + 0.11 / root))


MOST_DRAWS = 128  # draws in one simulated sample


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


def _quantiles(along: Array, masses: Array) -> tuple[Array, Array]:
    """Levels in (0, 1), and the quantiles of weighted points on a line at these levels."""
    place = np.argsort(along)
    ordered, share = along[place], masses[place]
    below = (np.cumsum(share) - 0.5 * share) / share.sum()
    u = np.unique(np.concatenate([np.arange(1, CELLS_OF_A_SLICE) / CELLS_OF_A_SLICE, TAIL[:20], 1.0 - TAIL[:20]]))
    return u, np.interp(u, below, ordered)
