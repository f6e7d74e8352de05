"""Euler-Maruyama, the scheme of the thesis."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("euler-maruyama", strong_order=1.0, stationary_order=1.0, order=1.0)
def euler_maruyama(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x <- x - h drift + sqrt(2 h T) Z (thesis C.123).

    The gain is h, ``noise_now`` is sqrt(2 h T), and ``noise_next`` is 0.

    One drift a step. Strong order 1 for this additive noise; stationary bias of first order: on V = a x^2 / 2 the
    variance is (T / a) / (1 - h a / 2). Stable for h < 2 / (largest curvature).
    """
    ones = np.ones_like(stiffness)
    return Stepping(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)
