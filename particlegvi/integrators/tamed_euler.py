"""Tamed Euler: for losses so steep that Euler-Maruyama explodes."""

from __future__ import annotations

import numpy as np

from particlegvi.integrators.stepping import Stepping


def tamed_euler(step_size: float, temperature: float, stiffness: np.ndarray) -> Stepping:
    """x <- x - h drift / (1 + h |drift|) + sqrt(2 h T) Z (Hutzenthaler, Jentzen and Kloeden 2012).

    |drift| is the Euclidean norm of the particle's own drift, so that no step is longer than 1 plus noise: there is no
    stability limit, and moments stay bounded where the drift grows faster than linearly. One drift a step. Strong order
    1/2 in general and 1 for this additive noise; stationary bias of first order, larger than Euler-Maruyama's.
    """
    ones = np.ones_like(stiffness)
    return Stepping(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)


tamed_euler.name = "tamed-euler"  # type: ignore[attr-defined]
tamed_euler.linear_part = False  # type: ignore[attr-defined]
tamed_euler.scheme = "tamed"  # type: ignore[attr-defined]
