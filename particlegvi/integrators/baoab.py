"""BAOAB: a scheme of kinetic Langevin dynamics, in which every particle has a velocity."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.steps.kinetic import advance_kinetic
from particlegvi.integrators import Step, StepCoefficients, StepSize, integrator


def baoab_step(state: Array, now: Step) -> None:
    x, v = np.hsplit(state, 2)
    v -= now.gain * now.drift(x)
    _drift_for_half(x, v, now)
    v *= np.sqrt(1.0 - now.noise_now * now.noise_now / now.temperature)
    v += now.noise_now * now.normals(0)
    _drift_for_half(x, v, now)


def _drift_for_half(x: Array, v: Array, now: Step) -> None:
    x[...], turned = now.reflected(x + 0.5 * now.gain * v)
    v *= turned


@integrator(
    "baoab",
    stationary_order=2.0,
    step=baoab_step,
    columns=lambda dim: dim,
    noise="needed",
    limit=lambda curvature: 2.0 / math.sqrt(curvature),
    compiled=advance_kinetic,
)
def baoab(step_size: StepSize, temperature: float, stiffness: Array, friction: float = 1.0) -> StepCoefficients:
    """dx = v dt, dv = -drift dt - g v dt + sqrt(2 g kl_weight) dW by kick, drift, noise, drift, kick.

    The friction is g, and the mass is 1 (Leimkuhler and Matthews 2013, sec. 3.1). The last half kick of a step and the
    first of the next are at the same x and taken together, at the start of a step. With c = exp(-g h):

        v <- v - h drift(x),  x <- x + h v / 2,  v <- c v + sqrt(kl_weight (1 - c^2)) Z,  x <- x + h v / 2.

    The path of x is the path of BAOAB, at one drift a step. Stationary bias of x of second order; no bias on a
    quadratic, where the variance is kl_weight / a exactly. Stable for h < 2 / sqrt(largest curvature). A time unit of
    this dynamics is not one of the flow: for a large friction x moves as the flow does in h / g. Particles start at
    rest. At the walls of a prior a particle is reflected, and its velocity turned round.
    """
    ones = np.ones_like(stiffness)
    noise = np.sqrt(-temperature * np.expm1(-2.0 * friction * step_size)) * ones
    return StepCoefficients(step_size * ones, noise, 0.0 * ones)
