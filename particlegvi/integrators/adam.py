"""Adam: every coordinate of every particle has a step size of its own, from the drifts so far.

It is for methods without noise. A drift of zero stays a point of rest, so that the particles can end where the flow
ends; on the way there they follow another path, and the sum of the step sizes is not the flow's time. Noise does not
go with it: that would need a size of its own for each coordinate, and the law of the particles would not be Q*.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators import Step, StepCoefficients, StepSize, integrator

FIRST, SECOND = 0.9, 0.999  # decay of Adam's means of drifts and of their squares
SMALL = 1e-8  # added to a root, so that a drift of zero divides by no zero


def direction(drift: Array, mean: Array, square: Array, step: int) -> Array:
    """The direction of step 1, 2, ...; ``mean`` and ``square``, zero before the first one, change in place."""
    mean += (1.0 - FIRST) * (drift - mean)
    square += (1.0 - SECOND) * (drift * drift - square)
    return np.asarray(mean / (1.0 - FIRST**step) / (np.sqrt(square / (1.0 - SECOND**step)) + SMALL))


def adam_step(state: Array, now: Step) -> None:
    x, mean, square = np.hsplit(state, 3)
    x[...] = now.reflected(x - now.gain * direction(now.drift(x), mean, square, now.number + 1))[0]


@integrator("adam", step=adam_step, columns=lambda dim: 2 * dim, noise="none", limit=lambda curvature: math.inf)
def adam(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """x <- x - h m' / (sqrt(v') + 1e-8), the first steps as long as h in every coordinate (Kingma and Ba 2015, alg. 1).

    With the drift d of step k = 1, 2, ..., m <- 0.9 m + 0.1 d and v <- 0.999 v + 0.001 d^2, both from zero, and
    m' = m / (1 - 0.9^k), v' = v / (1 - 0.999^k). With a constant h the particles end in a neighbourhood of a minimum as
    wide as h, so give a step size that falls.
    """
    return StepCoefficients(step_size * np.ones_like(stiffness), 0.0 * stiffness, 0.0 * stiffness)
