"""Heun's scheme: two drifts a step."""

from __future__ import annotations

from particlegvi.contracts import Array
from particlegvi.integrators import Step, StepCoefficients, StepSize, integrator
from particlegvi.integrators.schemes import euler_maruyama


def heun_step(state: Array, now: Step) -> None:
    noise = now.noise_now * now.normals(0) if now.noise_now.any() else 0.0
    drift = now.drift(state)
    predicted, turned = now.reflected(state - (now.gain * drift - noise))
    drift = 0.5 * (drift + turned * now.drift(predicted))
    state[...] = now.reflected(state - (now.gain * drift - noise))[0]


@integrator("heun", step=heun_step, strong_order=1.0, stationary_order=2.0, order=2.0)
def heun(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """x <- x - h (drift(x) + drift(y)) / 2 + n, y = x - h drift(x) + n, n = sqrt(2 h kl_weight) Z (Platen 1981).

    Two drifts a step, the second with the repulsion of the particles at their own y. With additive noise weak order 2
    (Kloeden and Platen 1992, sec. 15.1), and so a stationary bias of second order; strong order 1, as Euler-Maruyama,
    because one increment a step does not determine the path in between; order 2 without noise. Stable for
    h < 2 / (largest curvature). At the walls of a prior y is reflected, and the drift found there is reflected back;
    the orders hold away from them.
    """
    return euler_maruyama(step_size, temperature, stiffness)
