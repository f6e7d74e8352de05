"""The driver of steps that are written in Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Prior
from particlegvi.engine.numerics.noise import normals, uniforms
from particlegvi.engine.steps.flow import fold_points
from particlegvi.integrators import Integrator, Step
from particlegvi.integrators.schemes import CoefficientSource
from particlegvi.tools.objects import has_walls


def plain_step(state: Array, now: Step) -> None:
    """x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}, reflected at the walls."""
    noise: Array | float = 0.0
    for size, ahead in ((now.noise_now, 0), (now.noise_next, 1)):
        noise = noise + size * now.normals(ahead) if size.any() else noise
    state[...] = now.reflected(state - (now.gain * now.drift(state) - noise))[0]


def reflecting(low: Array, high: Array) -> Callable[[Array], tuple[Array, Array]]:
    """The function that reflects points (n, dim) at walls (dim,); see `Step`."""
    unturned = np.ones((1, low.size))
    walls = has_walls(low, high)

    def reflected(x: Array) -> tuple[Array, Array]:
        if not walls:
            return x, unturned
        inside, turned = np.array(x, order="C"), np.empty(x.shape)
        fold_points(inside, turned, low, high)
        return inside, turned

    return reflected


class PythonDriver:
    """Takes the steps of an integrator from Python, all particles at once.

    ``drift(x, step)`` and ``potential(x)`` are those of a flow at points (particles, dim), C-contiguous; a flow without
    a potential has None. ``noise`` is the temperature and the seed.
    """

    def __init__(
        self,
        integrator: Integrator,
        coefficients_at: CoefficientSource,
        prior: Prior,
        drift: Callable[[Array, int], Array],
        potential: Callable[[Array], Array] | None,
        noise: tuple[float, int],
    ) -> None:
        self._take = plain_step if integrator.step is None else integrator.step
        self._steppings, self._drift, self._potential = coefficients_at, drift, potential
        (self._temperature, self._seed), self._dim = noise, prior.dim
        self._reflected = reflecting(np.array(prior.low, dtype=np.float64), np.array(prior.high, dtype=np.float64))

    def advance(self, state: Array, first_step: int, steps: int) -> None:
        """Take steps first_step, ..., first_step + steps - 1 of a state (particles, dim and more), in place."""
        for step in range(first_step, first_step + steps):
            self._take(state, self._step(step, len(state)))

    def _step(self, step: int, particles: int) -> Step:
        gain, noise_now, noise_next = (rows[0] for rows in self._steppings(step, 1)[0])
        return Step(
            step,
            gain,
            noise_now,
            noise_next,
            self._temperature,
            drift=lambda x: self._drift(np.ascontiguousarray(x), step),
            potential=self._potential_at,
            normals=lambda ahead: normals(self._seed, "noise", particles, self._dim, step + ahead),
            uniforms=lambda: uniforms(self._seed, "acceptance", particles, 1, step)[:, 0],
            reflected=self._reflected,
        )

    def _potential_at(self, x: Array) -> Array:
        assert self._potential is not None
        return self._potential(np.ascontiguousarray(x))
