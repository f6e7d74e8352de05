"""BAOAB: kinetic Langevin dynamics, with a velocity for every particle."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("baoab", scheme="kinetic", stationary_order=2.0)
def baoab(step_size: StepSize, temperature: float, stiffness: Array, friction: float = 1.0) -> Stepping:
    """dx = v dt, dv = -drift dt - g v dt + sqrt(2 g T) dW by kick, drift, noise, drift, kick (Leimkuhler and Matthews
    2013, sec. 3.1), with friction g and unit mass.

    The last half kick of a step and the first of the next are at the same x and taken together, at the start of a step:

        v <- v - h drift(x),  x <- x + h v / 2,  v <- c v + sqrt(T (1 - c^2)) Z,  x <- x + h v / 2,  c = exp(-g h).

    The path of x is that of BAOAB, at one drift a step. Stationary bias of x of second order; none at all on a
    quadratic, where the variance is T / a exactly. Stable for h < 2 / sqrt(largest curvature). A time unit of this
    dynamics is not one of the flow: for a large friction x moves as the flow does in h / g. Particles start at rest. At
    the walls of a Uniform prior a particle is reflected, and its velocity turned round.
    """
    ones = np.ones_like(stiffness)
    noise = np.sqrt(-temperature * np.expm1(-2.0 * friction * step_size)) * ones
    return Stepping(step_size * ones, noise, 0.0 * ones)
