"""Optimal transport between two samples: exact, and so for small ones only, but on the line."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.particles import in_space
from particlegvi.engine.terms.evaluate import squared_distances

MOST_MATCHED = 3000  # points of an assignment: ten seconds


def to_points(x: Array, y: Array, weights: Array, order: int) -> float:
    """``[integral of |Q_n - Q|^order du]^(1/order)`` from ordered particles x to ordered points y with weights."""
    above = np.cumsum(weights) / np.sum(weights)
    levels = np.concatenate([np.arange(1, len(x) + 1) / len(x), above])
    levels.sort()
    middle = 0.5 * (levels + np.concatenate([[0.0], levels[:-1]]))
    first = x[np.minimum((middle * len(x)).astype(np.int64), len(x) - 1)]
    second = y[np.minimum(np.searchsorted(above, middle), len(y) - 1)]
    total = np.sum(np.abs(first - second) ** order * np.diff(levels, prepend=0.0))
    return float(total ** (1.0 / order))


def between_samples(particles: ArrayLike, others: object, order: int) -> float:
    """The Wasserstein distance of this order between two samples, whose points have equal masses.

    On the line by the quantile functions. In more dimensions by an assignment, where the least common multiple of both
    numbers is at most 3000; a ValueError beyond.
    """
    x = in_space(particles)
    y = in_space(others, x.shape[1], "target")
    n, m = len(x), len(y)
    if x.shape[1] == 1:
        return to_points(np.sort(x[:, 0]), np.sort(y[:, 0]), np.ones(m), order)
    cost = squared_distances(x, y) ** (0.5 * order)
    size = math.lcm(n, m)
    if size > MOST_MATCHED:
        raise ValueError(
            f"target must have as many points as there are particles, at most {MOST_MATCHED}, for an exact distance in"
            f" {x.shape[1]} dimensions, not {m} for {n}; sliced_wasserstein takes any number"
        )
    from scipy.optimize import linear_sum_assignment

    pairs = cost.repeat(size // n, axis=0).repeat(size // m, axis=1)
    return float(pairs[linear_sum_assignment(pairs)].mean()) ** (1.0 / order)
