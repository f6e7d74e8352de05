"""The coefficients of every step of a run, and the driver of steps that are written in Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Prior
from particlegvi.engine.numerics.noise import normals, uniforms
from particlegvi.engine.steps.flow import fold_points
from particlegvi.integrators.schedules import Schedule
from particlegvi.integrators.stepping import Integrator, Step, Stepping, StepSize
from particlegvi.priors.normal import Normal

BLOCK = 1024  # steps whose coefficients are computed together


def linear_part(kl_weight: float, prior: Prior, dim: int) -> Array:
    """Curvature (dim,) of the linear part of the drift: kl_weight / sd^2 for a Normal prior, else zero."""
    if isinstance(prior, Normal):
        return kl_weight / np.broadcast_to(np.asarray(prior.sd, dtype=np.float64), (dim,)) ** 2
    return np.zeros(dim)


class CoefficientSource:
    """The coefficients of every step of a run.

    Z_{k+1} belongs to step k + 1, so with a schedule ``noise_next`` is computed from the size of that step. The sum of
    the noise of one step then has the variance for its size (the post-processed form of Leimkuhler-Matthews, Vilmart
    2015, with a post-processor that follows the schedule).

    Coefficients come in blocks of BLOCK steps that begin at multiples of BLOCK, so that a step's coefficients do not
    depend on which steps are asked for.
    """

    def __init__(
        self,
        integrator: Callable[..., Stepping],
        step_size: float | Schedule,
        temperature: float,
        stiffness: Array,
    ):
        self._coefficients: Callable[[StepSize], Stepping] = lambda size: integrator(size, temperature, stiffness)
        self._dim = stiffness.size
        self._schedule = step_size if isinstance(step_size, Schedule) else None
        self._block = -1
        if not isinstance(step_size, Schedule):
            self._held = self._rows(self._coefficients(step_size), 1)

    def __call__(self, step: int, most: int) -> tuple[Stepping, int]:
        """Coefficients (rows, dim) from ``step`` on, and for how many steps, at most ``most``, they are.

        One row is for all of these steps, otherwise there is one row for each.
        """
        if self._schedule is None:
            return self._held, most
        block, row = divmod(step, BLOCK)
        if block != self._block:
            sizes = self._schedule.at(np.arange(block * BLOCK, (block + 1) * BLOCK + 1))[:, None]
            gain, now, following = self._rows(self._coefficients(sizes), BLOCK + 1)
            self._held = Stepping(gain[:-1], now[:-1], following[1:])
            self._block = block
        count = min(most, BLOCK - row)
        return Stepping(*(part[row : row + count] for part in self._held)), count

    def _rows(self, coefficients: Stepping, rows: int) -> Stepping:
        shape = (rows, self._dim)
        return Stepping(*(np.array(np.broadcast_to(part, shape), dtype=np.float64, order="C") for part in coefficients))


def plain_step(state: Array, now: Step) -> None:
    """x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}, reflected at the walls."""
    noise: Array | float = 0.0
    for size, ahead in ((now.noise_now, 0), (now.noise_next, 1)):
        noise = noise + size * now.normals(ahead) if size.any() else noise
    state[...] = now.reflected(state - (now.gain * now.drift(state) - noise))[0]


def reflecting(low: Array, high: Array) -> Callable[[Array], tuple[Array, Array]]:
    """The function that reflects points (n, dim) at walls (dim,); see `Step`."""
    unturned = np.ones((1, low.size))
    walls = bool(np.any(np.isfinite(low)) or np.any(np.isfinite(high)))

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
        steppings: CoefficientSource,
        prior: Prior,
        drift: Callable[[Array, int], Array],
        potential: Callable[[Array], Array] | None,
        noise: tuple[float, int],
    ) -> None:
        self._take = plain_step if integrator.step is None else integrator.step
        self._steppings, self._drift, self._potential = steppings, drift, potential
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
