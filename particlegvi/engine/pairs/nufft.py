"""Repulsion of the squared-exponential kernel in three dimensions by nonuniform fast Fourier transforms (finufft).

The Fourier series of `engine.pairs.fourier` in three coordinates; finufft computes moments and field in
O(N + M log M). Its own sums depend on the number of threads. So each call of finufft has one thread and a fixed part of
the particles, the parts are computed side by side, and their moments are added in order.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
from functools import cache

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.algorithm import CALL, Algorithm
from particlegvi.engine.pairs.fourier import fourier_plan

FINEST = 1e-14  # the best tolerance of finufft in double precision
PART = 250_000  # particles that repay the transforms of a part of their own
MOST_PARTS = 2


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
        return cells * 400.0 + positions.shape[0] * 3.0 * (digits + 1.0) ** 2.7 + 10.0 * CALL, None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        import finufft

        plan, number = self.plan, positions.shape[0]
        centre, periods, modes = self.grid(positions)
        angles = [np.ascontiguousarray((positions[:, k] - centre[k]) * (2.0 * math.pi / periods[k])) for k in range(3)]
        options = {"eps": max(self.tolerance, FINEST), "nthreads": 1}  # errs by a third of it, and less
        parts = min(MOST_PARTS, -(-number // PART))
        bounds = [number * part // parts for part in range(parts + 1)]
        angles_of = [[angle[first:last] for angle in angles] for first, last in itertools.pairwise(bounds)]
        sums = np.empty((parts, *modes), dtype=complex)

        def add_up(first: int, last: int) -> None:
            for part in range(first, last):
                ones = np.ones(bounds[part + 1] - bounds[part], dtype=complex)
                finufft.nufft3d1(*angles_of[part], ones, out=sums[part], isign=-1, **options)

        threads.split(add_up, parts)
        moments = sums.sum(axis=0)
        frequencies = []
        for k in range(3):
            frequency = (np.arange(modes[k]) - modes[k] // 2) * (2.0 * math.pi / periods[k])
            shape = [1, 1, 1]
            shape[k] = modes[k]
            weight = math.sqrt(2.0 * math.pi) * plan.lengthscale / periods[k]
            moments = moments * (weight * np.exp(-0.5 * (plan.lengthscale * frequency) ** 2)).reshape(shape)
            frequencies.append(1j * frequency.reshape(shape))
        # The forces are real: one complex transform gives two coordinates, as its real and its imaginary part.
        pair = np.stack([(frequencies[0] + 1j * frequencies[1]) * moments, frequencies[2] * moments])
        scale = factor * plan.variance / number

        def evaluate(first: int, last: int) -> None:
            for part in range(first, last):
                two, one = finufft.nufft3d2(*angles_of[part], pair, isign=1, **options)
                rows = out[bounds[part] : bounds[part + 1]]
                rows[:, 0], rows[:, 1], rows[:, 2] = scale * two.real, scale * two.imag, scale * one.real

        threads.split(evaluate, parts)
