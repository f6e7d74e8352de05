"""Leimkuhler-Matthews: second-order stationary bias at the cost of Euler-Maruyama."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("leimkuhler-matthews", strong_order=0.5, stationary_order=2.0, order=1.0)
def leimkuhler_matthews(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x <- x - h drift + sqrt(h T / 2) (Z_k + Z_{k+1}) (Leimkuhler and Matthews 2013, eq. 15).

    One drift a step; returns the averaged-noise variable x itself. Stationary bias of second order; none at all on a
    quadratic, where the variance is T / a exactly. Strong order 1/2 only, because x knows half of the next step's
    noise: use it for distributions and not for paths. Stable for h < 2 / (largest curvature). The orders hold away from
    the walls of a Uniform prior.
    """
    ones = np.ones_like(stiffness)
    half = np.sqrt(0.5 * step_size * temperature) * ones
    return Stepping(step_size * ones, half, half.copy())
