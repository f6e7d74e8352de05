"""MALA, the Metropolis-adjusted Langevin algorithm: an exact reference for DLE."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators.stepping import Stepping, StepSize, integrator


@integrator("mala", scheme="metropolis", stationary_order=math.inf)
def mala(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """Propose y = x - h grad V(x) + sqrt(2 h T) Z; go there with probability min(1, A), else stay.

    A = exp((V(x) - V(y)) / T) q(y, x) / q(x, y) with q(x, .) the normal density of the proposal (Roberts and Tweedie
    1996, sec. 1.4.3). DLE's target exp(-V / T) is stationary at every step size, without any bias; the step size
    decides only how fast it is reached. One drift and one value of the loss a step, no stability limit. Proposals
    outside a Uniform prior's box are rejected, not reflected. A path of MALA is not one of the flow's at large steps:
    it stays where the flow would move.

    A loss with minibatches enters with its value and its full gradient: both sides of A need one V.

    Only for DLE: a temperature above 0, and no repulsion, under which a particle has no stationary distribution of its
    own.
    """
    ones = np.ones_like(stiffness)
    return Stepping(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)
