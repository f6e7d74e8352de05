"""Exponential Euler: exact for the linear part of the drift."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("exponential-euler", linear_part=True, strong_order=1.0, stationary_order=1.0, order=1.0)
def exponential_euler(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """The Ornstein-Uhlenbeck part with curvature a is solved exactly, the rest of the drift is held over the step.

    x <- x - (1 - e^{-a h}) / a * drift + sqrt(T (1 - e^{-2 a h}) / a) Z, where drift includes the linear part
    (Hochbruck and Ostermann 2010, eq. 2.4; Jentzen and Kloeden 2009 for the noise). One drift a step. The linear part
    is that of a Normal prior, a = kl_weight / sd^2; without one (a = 0) this is Euler-Maruyama. Strong order 1, and
    stationary bias of first order, both from the rest of the drift alone. With curvature c of the rest, stable at every
    step size for c <= a and for h < log((c + a) / (c - a)) / a otherwise.
    """
    a = np.where(stiffness > 0.0, stiffness, 1.0)
    gain = np.where(stiffness > 0.0, -np.expm1(-a * step_size) / a, step_size)
    variance = np.where(stiffness > 0.0, -np.expm1(-2.0 * a * step_size) / a, 2.0 * step_size)
    return Stepping(gain, np.sqrt(temperature * variance), np.zeros_like(gain))
