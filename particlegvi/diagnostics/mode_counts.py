"""Counts of particles by mode: occupancy, coverage, and the limits that independent particles keep."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.diagnostics.particles import in_space
from particlegvi.tools import arguments

CHUNK = 4_000_000


def nearest_mode(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Index of the mode nearest to each particle in Euclidean distance, (n,); of equally near modes, the first.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    modes : array (k, dim), in 1-D also (k,)
    """
    x, at = in_space(particles), in_space(modes, key="modes")
    if x.shape[1] != at.shape[1]:
        raise arguments.shaped("modes", modes, f"an array (k, {x.shape[1]}) of finite numbers with k of at least 1")
    result = np.empty(len(x), dtype=np.int64)
    size = max(1, CHUNK // at.size)
    for start in range(0, len(x), size):
        gaps = x[start : start + size, None, :] - at
        result[start : start + size] = np.argmin(np.sum(gaps * gaps, axis=2), axis=1)
    return result


def mode_occupancy(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Number of particles nearest to each mode, an integer array (k,) that sums to n.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    modes : array (k, dim), in 1-D also (k,)
    """
    nearest = nearest_mode(particles, modes)
    return np.bincount(nearest, minlength=len(in_space(modes, key="modes")))


def mode_fractions(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Share of the particles nearest to each mode, an array (k,) that sums to one."""
    counts = mode_occupancy(particles, modes)
    return counts / counts.sum()


def binomial_limits(n: int, p: float, level: float = 0.99) -> tuple[int, int]:
    """Limits of a Binomial(n, p) count: the tightest with ``P(X < low)`` and ``P(X > high)`` at most (1 - level)/2.

    Counts of particles that fall independently into a basin of weight p lie between them (Theorem 5.4.1).

    Parameters
    ----------
    n : int
        Number of particles, at least 0.
    p : float
        Probability in [0, 1].
    level : float
        Least probability of a count inside the limits, in (0, 1).

    Returns
    -------
    low, high : ints
    """
    from scipy.special import bdtr

    n = arguments.whole("n", n, 0, arguments.MOST_PARTICLES)
    allowed = "a probability from 0 to 1"
    if not 0.0 <= arguments.real("p", p, allowed) <= 1.0:
        raise arguments.refuse("p", p, allowed)
    arguments.fraction("level", level)
    tail = 0.5 * (1.0 - level)
    below = bdtr(np.arange(n + 1, dtype=np.float64), int(n), p)
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1.0 - tail, side="left"))
    return min(low, int(n)), min(high, int(n))


def independent_coverage(particles: int, modes: int) -> float:
    """Upper bound on the expected number of modes that independent, identically distributed particles cover.

    If a particle ends in mode k with probability p_k, the expected number of modes that N particles cover is
    sum_k 1 - (1 - p_k)^N, a symmetric concave function of p. It is largest where all p_k are equal:

        modes * (1 - (1 - 1/modes)^particles)

    The particles of DE and DLE are independent, so that for independent starts the bound holds at every temperature,
    step size and time. Only an interaction can exceed it.

    Parameters
    ----------
    particles, modes : int
        At least 1.
    """
    particles = arguments.whole("particles", particles, 1)
    modes = arguments.whole("modes", modes, 1)
    return modes * -math.expm1(particles * math.log1p(-1.0 / modes)) if modes > 1 else 1.0


def mean_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of independent replicates with the ends of its confidence interval, by the central limit theorem.

    If all replicates agree, both ends are the mean; the interval then says nothing about rare values.

    Parameters
    ----------
    values : array (replicates,)
        At least two.
    level : float
        In (0, 1).

    Returns
    -------
    mean, low, high : floats
    """
    from scipy.special import ndtri

    allowed = "an array of at least 2 finite numbers of at most 1e150"
    array = arguments.array("values", values, allowed)
    if array.ndim != 1 or array.size < 2 or not np.all(np.abs(array) <= 1e150):
        raise arguments.refuse("values", values, allowed)
    level = arguments.fraction("level", level)
    mean = float(array.mean())
    half = float(ndtri(0.5 * (1.0 + level))) * float(array.std(ddof=1)) / math.sqrt(array.size)
    return mean, mean - half, mean + half
