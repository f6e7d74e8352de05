"""The Metropolis-adjusted Langevin algorithm."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.steps.metropolis import advance_metropolis
from particlegvi.integrators import Step, StepCoefficients, StepSize, integrator
from particlegvi.integrators.schemes import euler_maruyama


def mala_step(state: Array, now: Step) -> None:
    """The last column of the state is the share of a particle's proposals that was accepted."""
    x, accepted, z = state[:, :-1], state[:, -1], now.normals(0)
    with np.errstate(all="ignore"):
        y = x - (now.gain * now.drift(x) - now.noise_now * z)
        back = (x - y + now.gain * now.drift(y)) / now.noise_now
        fall = (now.potential(x) - now.potential(y)) / now.temperature
        accept = np.log(now.uniforms()) < fall + 0.5 * (z * z - back * back).sum(axis=1)
    accept &= np.all(now.reflected(y)[0] == y, axis=1)
    x[accept] = y[accept]
    accepted += (accept - accepted) / (now.number + 1.0)


@integrator(
    "mala",
    stationary_order=math.inf,
    step=mala_step,
    columns=lambda dim: 1,
    noise="needed",
    accepts=True,
    limit=lambda curvature: math.inf,
    facts=lambda accepted: {"acceptance_rate": float(accepted.mean())},
    compiled=advance_metropolis,
)
def mala(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """Propose y = x - h grad V(x) + sqrt(2 h kl_weight) Z; go there with probability min(1, A), else stay.

    A = exp((V(x) - V(y)) / kl_weight) q(y, x) / q(x, y) with q(x, .) the normal density of the proposal (Roberts and
    Tweedie 1996, sec. 1.4.3). DLE's target exp(-V / kl_weight) is stationary at every step size, without any bias; the
    step size decides only how fast it is reached. One drift and one value of the loss a step, no stability limit.
    Proposals beyond a wall of the prior are rejected, not reflected. At large steps a path of MALA is not a path of the
    flow: it stays where the flow would move.

    A loss with minibatches enters with its value and its full gradient: both sides of A need one V.

    Only for DLE: a kl_weight above 0, and no repulsion, under which a particle has no stationary distribution of its
    own.
    """
    return euler_maruyama(step_size, temperature, stiffness)
