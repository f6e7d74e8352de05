"""The 1-Wasserstein distance on the line, and what it would be for exact draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.diagnostics.line import atoms, check_target, grid, on_the_line

MOST_DRAWS = 5000  # beyond, the floor is scaled by the square root of n


def wasserstein1(particles: Any, target: Any) -> float:
    """W1 = integral |F_n(x) - F(x)| dx between the particles and a target on the line (Vallender 1974).

    Parameters
    ----------
    particles : array (n,) or (n, 1)
    target : DensityTarget or AtomicTarget with dim 1

    Returns
    -------
    float
        In the units of the particles. For atoms it is exact; for a density the distribution function is taken linear
        between some 20,000 points, an error below 1e-6 of the target's width.
    """
    x = on_the_line(particles)
    check_target(target)
    if target.kind == "atoms":
        places, weights = atoms(target)
        points = np.unique(np.concatenate([x, places]))
        ours = np.searchsorted(x, points, side="right") / x.size
        theirs = np.concatenate([[0.0], np.cumsum(weights)])[np.searchsorted(places, points, side="right")]
        return float(np.sum(np.abs(ours - theirs)[:-1] * np.diff(points)))
    carrier = grid(target)
    points = np.unique(np.concatenate([x, carrier]))
    cdf = np.interp(points, carrier, np.asarray(target.cdf(carrier), dtype=np.float64))
    cdf = np.where(points < carrier[0], 0.0, np.where(points > carrier[-1], 1.0, cdf))
    level = (np.searchsorted(x, points, side="right") / x.size)[:-1]  # constant from each point to the next
    return float(np.sum(_absolute_line(cdf[:-1] - level, cdf[1:] - level) * np.diff(points)))


def _absolute_line(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Mean of |linear function| between two ends, exact where it changes sign."""
    same = left * right >= 0.0
    total = np.abs(left) + np.abs(right)
    crossing = (left * left + right * right) / np.where(total > 0.0, 2.0 * total, 1.0)
    return np.where(same, 0.5 * total, crossing)


def wasserstein1_floor(
    target: Any, n: int, quantiles: tuple[float, ...] = (0.05, 0.95), replicates: int = 200, seed: int = 0
) -> np.ndarray:
    """Quantiles of W1 to the target over independent samples of ``n`` exact draws.

    Particles cannot be expected below it. The draws are uniforms pushed through F, so only F on a grid is needed; beyond
    5000 draws the quantiles for 5000 are divided by sqrt(n / 5000), the rate that holds then to about a per cent.
    """
    check_target(target)
    draws = min(int(n), MOST_DRAWS)
    random = np.random.default_rng(seed)
    if target.kind == "atoms":
        places, weights = atoms(target)
        cdf, widths = np.cumsum(weights)[:-1], np.diff(places)
    else:
        carrier = grid(target, 4001)
        middle = 0.5 * (carrier[1:] + carrier[:-1])
        cdf, widths = np.asarray(target.cdf(middle), dtype=np.float64), np.diff(carrier)
    distances = np.empty(replicates)
    for replicate in range(replicates):
        uniforms = np.sort(random.random(draws))
        distances[replicate] = np.sum(np.abs(np.searchsorted(uniforms, cdf, side="right") / draws - cdf) * widths)
    return np.quantile(distances, quantiles) * np.sqrt(draws / n)
