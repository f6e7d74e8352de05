"""One step of projected Langevin sampling as four vectors, and the largest allowed step.

In the coordinates z of the particles the diffusion is

    dz_i = -p_i (force_i(z) + k_i z_i) dt + sqrt(2 p_i) dB_i

with the gradient ``force`` of the data's cost, the prior precision k and a mobility p (1 in the thesis, (6.14)). Its
stationary distribution does not depend on p. A step is ``z <- decay z - gain (force + leftover z) + spread N(0, I)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.engine.steps.projected import move

BIAS = 0.1  # step size times the curvature that is not integrated exactly: gives a bias of a few per cent
Force = Callable[[Array, int], Array]  # particles (particles, dim), step number -> gradient of the data's cost


class Scheme(NamedTuple):
    """The four vectors (dim,)."""

    decay: Array
    gain: Array
    leftover: Array
    spread: Array


def euler_maruyama(step_size: float, precision: Array) -> Scheme:
    """Explicit Euler-Maruyama, (D.209), with p = 1. Stable for step_size < 2 / (largest curvature of V)."""
    one = np.ones(len(precision))
    return Scheme(one, step_size * one, precision, np.sqrt(2.0 * step_size) * one)


def exponential_euler(step_size: float, mobility: Array, reference: Array, leftover: Array) -> Scheme:
    """Exponential Euler: the linear drift -p q z is solved exactly; the rest of the drift is constant over the step.

    ``mobility`` is p, (dim,). ``reference`` is q, (dim,), the part of the curvature of V that is integrated exactly,
    diagonal in these coordinates. ``leftover`` is k - q, (dim,), the part of the linear drift that is constant over the
    step.
    """
    lost = -np.expm1(-step_size * mobility * reference)
    spread = np.sqrt(-np.expm1(-2.0 * step_size * mobility * reference) / reference)
    return Scheme(1.0 - lost, lost / reference, leftover, spread)


def random_walk(length: float, reference: Array) -> Scheme:
    """Gaussian moves with the standard deviations length / sqrt(q), without drift."""
    one = np.ones(len(reference))
    return Scheme(one, 0.0 * one, 0.0 * one, length / np.sqrt(reference))


class LangevinFlow:
    """Moves the particles ``state`` (particles, dim) by Langevin steps.

    A run with equal arguments continues from them and the step number, bit for bit.
    """

    def __init__(self, force: Force, scheme: Scheme, state: Array, seed: int) -> None:
        self.force = force
        self.scheme = scheme
        self.state = np.ascontiguousarray(state)
        self._next = np.empty_like(self.state)
        self._key = noise.key_words(seed)

    def advance(self, first_step: int, steps: int) -> None:
        """Take steps first_step, ..., first_step + steps - 1. The result does not depend on how steps are grouped."""
        role = noise.role_word("noise")
        for step in range(first_step, first_step + steps):
            force = self.force(self.state, step)
            move(self.state, force, *self.scheme, self._key, role, step, self._next)
            self.state, self._next = self._next, self.state

    def facts(self) -> Facts:
        return {}

    def extra_state(self) -> Facts:
        return {}

    def restore(self, state: Array, extra_state: Facts) -> None:
        self.state[...] = state
