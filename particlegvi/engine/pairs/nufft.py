"""Repulsion of the squared-exponential kernel in three dimensions by nonuniform fast Fourier transforms (finufft).

The Fourier series of `engine.pairs.fourier` in three coordinates; finufft computes moments and field in
O(N + M log M). It runs on one thread, because its sums depend on the number of threads.
"""

from __future__ import annotations

import importlib.util
import math
from functools import cache

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.pairs.algorithm import CALL, Algorithm
from particlegvi.engine.pairs.fourier import fourier_plan

FINEST = 1e-14  # the best tolerance of finufft in double precision


@cache
def available() -> bool:
    """Whether finufft, of the extra ``nufft``, is installed."""
    return importlib.util.find_spec("finufft") is not None


class Nufft(Algorithm[None]):
    """Squared exponential in three dimensions with the extra ``nufft``."""

    name = "nonuniform fast Fourier transform"

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.plan = fourier_plan(kernel.lengthscale, kernel.variance, 0.5 * tolerance)

    def grid(self, positions: Array) -> tuple[Array, list[float], list[int]]:
        """Centre, periods and numbers of modes per coordinate."""
        plan, low, high = self.plan, positions.min(axis=0), positions.max(axis=0)
        periods = [float(width) + plan.reach * plan.lengthscale for width in high - low]
        modes = [2 * math.ceil(plan.band * period / (2.0 * math.pi * plan.lengthscale)) + 2 for period in periods]
        return 0.5 * (low + high), periods, modes

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        if not (available() and np.all(np.isfinite(positions))):
            return None
        cells = float(np.prod(np.array(self.grid(positions)[2], dtype=np.float64)))
        if cells > 3e7:  # half a gigabyte a copy
            return None
        digits = -np.log10(self.tolerance)
        return cells * 400.0 + positions.shape[0] * 4.0 * (digits + 1.0) ** 2.7 + 10.0 * CALL, None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        import finufft

        plan, number = self.plan, positions.shape[0]
        centre, periods, modes = self.grid(positions)
        angles = [np.ascontiguousarray((positions[:, k] - centre[k]) * (2.0 * math.pi / periods[k])) for k in range(3)]
        options = {"eps": max(0.1 * self.tolerance, FINEST), "nthreads": 1}
        moments = finufft.nufft3d1(*angles, np.ones(number, dtype=complex), tuple(modes), isign=-1, **options)
        frequencies = []
        for k in range(3):
            frequency = (np.arange(modes[k]) - modes[k] // 2) * (2.0 * math.pi / periods[k])
            shape = [1, 1, 1]
            shape[k] = modes[k]
            weight = math.sqrt(2.0 * math.pi) * plan.lengthscale / periods[k]
            moments = moments * (weight * np.exp(-0.5 * (plan.lengthscale * frequency) ** 2)).reshape(shape)
            frequencies.append(frequency.reshape(shape))
        field = np.stack([1j * frequency * moments for frequency in frequencies])
        force = finufft.nufft3d2(*angles, field, isign=1, **options).real
        out[...] = (factor * plan.variance / number) * force.T
