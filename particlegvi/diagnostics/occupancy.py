"""Which mode each particle is in, and how many one would expect."""

from __future__ import annotations

from typing import Any

import numpy as np


def mode_occupancy(particles: Any, modes: Any) -> np.ndarray:
    """Number of particles whose nearest mode is each of ``modes``.

    Parameters
    ----------
    particles : array (n, dim)
    modes : array (k, dim), or (k,) in one dimension

    Returns
    -------
    ndarray of int (k,)
        Counts that add up to n; a tie goes to the earlier mode.
    """
    x = np.asarray(particles, dtype=np.float64)
    x = x[:, None] if x.ndim == 1 else x
    places = np.asarray(modes, dtype=np.float64)
    places = places[:, None] if places.ndim == 1 else places
    if places.ndim != 2 or places.shape[1] != x.shape[1] or len(places) == 0:
        raise ValueError(f"modes has shape {places.shape}; (number of modes, {x.shape[1]}) is allowed")
    nearest = np.empty(len(x), dtype=np.int64)
    block = max(1, 2_000_000 // len(places))  # keeps the table of distances small
    for first in range(0, len(x), block):
        part = x[first : first + block]
        nearest[first : first + block] = np.argmin(
            ((part[:, None, :] - places[None, :, :]) ** 2).sum(axis=2), axis=1
        )
    return np.bincount(nearest, minlength=len(places))


def binomial_limits(n: int, probability: float, level: float = 0.99) -> tuple[int, int]:
    """The least and greatest counts between which a Binomial(n, probability) lies with at least ``level``.

    Each tail holds at most (1 - level) / 2, so that either limit alone is a fair one-sided bound.
    """
    from scipy.special import bdtr

    probability = min(max(float(probability), 0.0), 1.0)
    below = bdtr(np.arange(n + 1, dtype=np.float64), n, probability)
    tail = 0.5 * (1.0 - level)
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1.0 - tail, side="left"))
    return min(low, n), min(high, n)
