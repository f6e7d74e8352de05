"""The integrators with plain steps: the coefficients of one step of each. A new one may be a file beside this one.

In the formulas h is the step size and Z a standard normal; kl_weight is the temperature that they are called with.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("euler-maruyama", strong_order=1.0, stationary_order=1.0, order=1.0)
def euler_maruyama(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x <- x - h drift + sqrt(2 h kl_weight) Z (thesis C.123).

    The gain is h, ``noise_now`` is sqrt(2 h kl_weight), and ``noise_next`` is 0.

    One drift a step. Strong order 1 for this additive noise; stationary bias of first order: on V = a x^2 / 2 the
    variance is (kl_weight / a) / (1 - h a / 2). Stable for h < 2 / (largest curvature).
    """
    ones = np.ones_like(stiffness)
    return Stepping(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)


@integrator("leimkuhler-matthews", strong_order=0.5, stationary_order=2.0, order=1.0)
def leimkuhler_matthews(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x <- x - h drift + sqrt(h kl_weight / 2) (Z_k + Z_{k+1}) (Leimkuhler and Matthews 2013, eq. 15).

    One drift a step; returns the averaged-noise variable x itself. Stationary bias of second order; no bias at all on a
    quadratic, where the variance is kl_weight / a exactly. Strong order 1/2 only, because x knows half of the noise of
    the next step: use it for distributions and not for paths. Stable for h < 2 / (largest curvature). At a wall of the
    prior its bias is of order sqrt(h), since a particle that is reflected carries noise that is not; that of
    Euler-Maruyama stays of order h.
    """
    ones = np.ones_like(stiffness)
    half = np.sqrt(0.5 * step_size * temperature) * ones
    return Stepping(step_size * ones, half, half.copy())


@integrator("exponential-euler", linear_part=True, strong_order=1.0, stationary_order=1.0, order=1.0)
def exponential_euler(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """The Ornstein-Uhlenbeck part with curvature a is solved exactly, the rest of the drift is held over the step.

    x <- x - (1 - e^{-a h}) / a * drift + sqrt(kl_weight (1 - e^{-2 a h}) / a) Z, where drift includes the linear part
    (Hochbruck and Ostermann 2010, eq. 2.4; Jentzen and Kloeden 2009 for the noise). One drift a step. The linear part
    comes from a Normal prior, a = kl_weight / sd^2; without one (a = 0) this is Euler-Maruyama. Strong order 1, and
    stationary bias of first order, both from the rest of the drift alone. With curvature c of the rest, stable at every
    step size for c <= a and for h < log((c + a) / (c - a)) / a otherwise.
    """
    a = np.where(stiffness > 0.0, stiffness, 1.0)
    gain = np.where(stiffness > 0.0, -np.expm1(-a * step_size) / a, step_size)
    variance = np.where(stiffness > 0.0, -np.expm1(-2.0 * a * step_size) / a, 2.0 * step_size)
    return Stepping(gain, np.sqrt(temperature * variance), np.zeros_like(gain))
