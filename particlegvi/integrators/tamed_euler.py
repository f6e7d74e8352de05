"""Tamed Euler: for losses so steep that Euler-Maruyama explodes."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("tamed-euler", scheme="tamed", strong_order=1.0, stationary_order=1.0, order=1.0)
def tamed_euler(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x <- x - h drift / (1 + h |drift|) + sqrt(2 h T) Z (Hutzenthaler, Jentzen and Kloeden 2012).

    |drift| is the Euclidean norm of the particle's own drift, so that no step is longer than 1 plus noise: there is no
    stability limit, and moments stay bounded where the drift grows faster than linearly. One drift a step. Strong order
    1/2 in general and 1 for this additive noise; stationary bias of first order, larger than Euler-Maruyama's.
    """
    ones = np.ones_like(stiffness)
    return Stepping(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)
