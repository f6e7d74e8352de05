"""Repulsion of the squared-exponential kernel by nonuniform fast Fourier transforms (finufft), up to three dimensions.

The Fourier series of `engine.pairs.fourier` in each coordinate; finufft computes moments and field in O(N + M log M).
Its own sums depend on the number of threads. So each call of finufft has one thread and a fixed part of the particles,
the parts are computed side by side, and their moments are added in order.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from types import ModuleType
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.algorithm import CALL, Algorithm, extent
from particlegvi.engine.pairs.fourier import FourierPlan, fourier_plan
from particlegvi.tools.errors import MissingLibrary

FINEST = 1e-14  # the best tolerance of finufft in double precision
PART = 250_000  # particles that repay the transforms of a part of their own
MOST_PARTS = 2
MOST_MODES = 3e7  # half a gigabyte a copy
PARTICLE = {1: (8.5, 1.0), 2: (2.0, 2.0), 3: (3.0, 2.7)}  # nanoseconds, and the power of the digits, by dimension
MODE = {1: 200.0, 2: 400.0, 3: 400.0}  # nanoseconds
ROUNDING = 0.2 * np.finfo(np.float64).eps  # error of an angle, in periods, that shows in a force


class Box(NamedTuple):
    """The box on which the series is periodic: centre, periods and numbers of modes in each coordinate."""

    centre: Array
    periods: Array
    modes: list[int]


def library() -> ModuleType:
    """The module finufft, or an error that names it."""
    try:
        import finufft
    except ImportError:
        raise MissingLibrary("a repulsion among so many particles needs finufft: pip install finufft") from None
    return finufft


class Nufft(Algorithm[Box]):
    """Squared exponential in up to three dimensions."""

    name = "nonuniform fast Fourier transform"

    @cached_property
    def plan(self) -> FourierPlan:
        """Where the series is cut, with half of the tolerance."""
        return fourier_plan(self.kernel.lengthscale, self.kernel.variance, 0.5 * self.tolerance)

    def estimate(self, positions: Array) -> tuple[float, Box] | None:
        library()
        low, high = extent(positions)
        periods = high - low + self.plan.reach * self.plan.lengthscale
        pairs = np.ceil(self.plan.band * periods / (2.0 * math.pi * self.plan.lengthscale)) + 1.0
        modes = float(np.prod(2.0 * pairs))
        rounding = ROUNDING * periods.max() / self.plan.lengthscale
        if not (modes <= MOST_MODES and rounding <= 0.5 * self.tolerance):  # nor where a position is not finite
            return None
        factor, power = PARTICLE[self.dim]
        particle = factor * (1.0 - math.log10(self.tolerance)) ** power
        cost = modes * MODE[self.dim] + positions.shape[0] * particle + 10.0 * CALL
        return cost, Box(0.5 * (low + high), periods, [2 * int(count) for count in pairs])

    def force(self, positions: Array, prepared: Box, factor: float, out: Array) -> None:
        finufft, plan, dim, (centre, periods, modes) = library(), self.plan, self.dim, prepared
        number = positions.shape[0]
        to_modes, to_points = vars(finufft)[f"nufft{dim}d1"], vars(finufft)[f"nufft{dim}d2"]
        options = {"eps": max(self.tolerance, FINEST), "nthreads": 1}  # errs by a third of it, and less
        parts = min(MOST_PARTS, -(-number // PART))
        bounds = list(itertools.pairwise(number * part // parts for part in range(parts + 1)))
        angles = np.ascontiguousarray(((positions - centre) * (2.0 * math.pi / periods)).T)
        sums = np.empty((parts, *modes), dtype=complex)

        def add_up(first: int, last: int) -> None:
            for part in range(first, last):
                begin, end = bounds[part]
                ones = np.ones(end - begin, dtype=complex)
                to_modes(*angles[:, begin:end], ones, out=sums[part], isign=-1, **options)

        threads.split(add_up, parts)
        moments = sums.sum(axis=0)
        frequencies = []
        for k in range(dim):
            frequency = (np.arange(modes[k]) - modes[k] // 2) * (2.0 * math.pi / periods[k])
            frequency = frequency.reshape([-1 if axis == k else 1 for axis in range(dim)])
            weight = math.sqrt(2.0 * math.pi) * plan.lengthscale / periods[k]
            moments = moments * (weight * np.exp(-0.5 * (plan.lengthscale * frequency) ** 2))
            frequencies.append(1j * frequency)
        # The forces are real: one complex transform gives two coordinates, as its real and its imaginary part.
        frequencies += [np.zeros_like(frequencies[0])] * (dim % 2)
        pairs = np.stack(
            [(one + 1j * other) * moments for one, other in zip(frequencies[::2], frequencies[1::2], strict=True)]
        )
        scale = factor * plan.variance / number

        def evaluate(first: int, last: int) -> None:
            for part in range(first, last):
                begin, end = bounds[part]
                fields = to_points(*angles[:, begin:end], pairs, isign=1, **options).reshape(len(pairs), -1)
                for k in range(dim):
                    out[begin:end, k] = scale * (fields[k // 2].imag if k % 2 else fields[k // 2].real)

        threads.split(evaluate, parts)
