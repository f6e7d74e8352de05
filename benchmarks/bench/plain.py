"""Implementations that a user would write instead, in numpy and in naive numba."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array

# grad of the tilted double well (thesis C.7.1), prior N(0, 1), lengthscale 1: the problem of Figure 5.2
Loop = Callable[..., object]  # compiled by numba


def numpy_loop(start: Array, steps: int, step_size: float, kl_weight: float, lambda1: float) -> Array:
    """The update as in a notebook: all pairs at once, one numpy Generator."""
    random = np.random.default_rng(0)
    x = start.copy()
    noise = math.sqrt(2.0 * step_size * kl_weight)
    for _ in range(steps):
        drift = 1.5 * (x**3 + x**2 - 2.0 * x)
        if kl_weight > 0.0:
            drift = drift + kl_weight * x
        if lambda1 > 0.0:
            difference = x[:, None] - x[None, :]
            drift = drift - lambda1 * (difference * np.exp(-0.5 * difference**2)).mean(axis=1)
            drift = drift + lambda1 * 0.5 * x * math.sqrt(0.5) * np.exp(-0.25 * x**2)
        x = x - step_size * drift
        if kl_weight > 0.0:
            x = x + noise * random.standard_normal(x.shape)
    return x


def naive_numba() -> tuple[Loop, Loop]:
    """A double loop over pairs, and a loop over steps and particles, both without optimisation."""
    import numba

    @numba.njit(fastmath=True)
    def pairs(x: Array, out: Array) -> Array:
        for i in range(x.size):
            total = 0.0
            for j in range(x.size):
                difference = x[i] - x[j]
                total -= difference * np.exp(-0.5 * difference * difference)
            out[i] = total / x.size
        return out

    @numba.njit(fastmath=True)
    def langevin(x: Array, steps: int, step_size: float, kl_weight: float) -> Array:
        noise = math.sqrt(2.0 * step_size * kl_weight)
        for _ in range(steps):
            for i in range(x.size):
                y = x[i]
                drift = 1.5 * (y**3 + y**2 - 2.0 * y) + kl_weight * y
                x[i] = y - step_size * drift + noise * np.random.normal()
        return x

    return pairs, langevin
