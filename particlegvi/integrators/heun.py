"""Stochastic Heun: second weak order for two drifts a step."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("heun", scheme="heun", strong_order=1.0, stationary_order=2.0, order=2.0)
def heun(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x <- x - h (drift(x) + drift(y)) / 2 + sqrt(2 h T) Z, y = x - h drift(x) + sqrt(2 h T) Z (Platen 1981).

    Two drifts a step, the second with the repulsion of the particles at their own y. With additive noise weak order 2
    (Kloeden and Platen 1992, sec. 15.1), and so a stationary bias of second order; strong order 1, as Euler-Maruyama,
    because one increment a step does not determine the path in between; order 2 without noise. Stable for
    h < 2 / (largest curvature). At the walls of a Uniform prior y is reflected, and the drift found there is reflected
    back; the orders hold away from them.
    """
    ones = np.ones_like(stiffness)
    return Stepping(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)
