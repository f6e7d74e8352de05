"""Bounds on sampling errors: a true claim misses each of them at most once in a thousand times."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import stdtrit

from particlegvi.diagnostics import wasserstein1_floor
from particlegvi.diagnostics.particles import KnownTarget

RARE = 1e-3  # probability of a false alarm of one claim
ERRORS = 4.0  # standard errors: a normal variable exceeds them with probability 6e-5, so that several may be tested


def seeds(seed: int, number: int) -> list[int]:
    """Seeds for ``number`` independent runs."""
    return [int(word) for word in np.random.SeedSequence(seed).generate_state(number, np.uint64)]


def w1(target: KnownTarget, n: int, step_size: float = 0.0) -> float:
    """Bound on the W1 of n independent draws to their law: its 99.9% quantile, plus the step size for the bias O(h)."""
    return wasserstein1_floor(target, n, (1.0 - RARE,), replicates=4000)[0] + step_size


def kolmogorov_smirnov(n: float, looks: int = 1) -> float:
    """Bound on the largest of ``looks`` Kolmogorov-Smirnov distances of n draws to their law (Massart, 1990).

    For two samples of m and n draws, n is m n / (m + n).
    """
    return math.sqrt(0.5 * math.log(2.0 * looks / RARE) / n)


def ks_to_cdf(draws: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> float:
    """Kolmogorov-Smirnov distance of draws (n,) to a law with distribution function ``cdf``."""
    from scipy import stats

    return float(stats.ks_1samp(draws, cdf, mode="asymp").statistic)


def largest_correlation(draws: np.ndarray) -> float:
    """The largest correlation of two columns of draws (n, dim), in the standard errors of independent columns."""
    correlations = np.corrcoef(draws.T) - np.eye(draws.shape[1])
    return float(np.max(np.abs(correlations))) * math.sqrt(len(draws))


def student(runs: int, looks: int = 1) -> float:
    """Bound on the largest of ``looks`` means of ``runs`` independent runs, in standard errors estimated from them."""
    return max(ERRORS, float(stdtrit(runs - 1, 1.0 - 0.5 * RARE / looks)))
