"""How many particles are nearest to each mode, and which counts chance allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi import arguments

CHUNK = 4_000_000


def nearest_mode(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Index of the mode nearest to each particle in Euclidean distance, (n,); of two as near, the first.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    modes : array (k, dim), in 1-D also (k,)

    Raises
    ------
    ValueError
        If the shapes do not fit each other, or there is no mode.
    """
    x, at = _points("particles", particles), _points("modes", modes)
    if x.shape[1] != at.shape[1]:
        raise ValueError(f"modes have the shape {np.shape(modes)}; (k, {x.shape[1]}) with k of at least 1 is allowed")
    result = np.empty(len(x), dtype=np.int64)
    size = max(1, CHUNK // at.size)
    for start in range(0, len(x), size):
        gaps = x[start : start + size, None, :] - at
        result[start : start + size] = np.argmin(np.sum(gaps * gaps, axis=2), axis=1)
    return result


def mode_occupancy(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Number of particles nearest to each mode, an integer array (k,) that sums to n.

    Parameters and errors are those of `nearest_mode`.
    """
    nearest = nearest_mode(particles, modes)
    return np.bincount(nearest, minlength=len(_points("modes", modes)))


def mode_fractions(particles: ArrayLike, modes: ArrayLike) -> np.ndarray:
    """Share of the particles nearest to each mode, an array (k,) that sums to one."""
    counts = mode_occupancy(particles, modes)
    return counts / counts.sum()


def _points(key: str, given: ArrayLike) -> np.ndarray:
    points = arguments.array(key, given, "an array (n, dim) of numbers")
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or points.size == 0 or not np.all(np.isfinite(points)):
        raise arguments.refuse(key, given, "a finite array (n, dim) with n of at least 1")
    return points
