"""The exact repulsion on the line for kernels that are a polynomial times exp(-rate |x - y|): Matern 3/2 and 5/2.

In sorted order a sum over all particles to the left is carried on from one particle to the next, because moving on by
d multiplies every exponential by exp(-rate d) and turns each power of the distance into a sum of lower ones. Two scans,
from the left and from the right, therefore replace N^2 pairs. All terms have one sign within a scan, so that nothing
cancels in it, and coinciding particles add nothing to each other whatever their order.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.numerics.mathematics import exp
from particlegvi.engine.pairs.algorithm import CALL, Algorithm


@runtime_checkable
class ExponentialSlope(Protocol):
    """An optional part of a `Kernel`: its derivative is a polynomial times an exponential of the distance."""

    def exponential_slope(self) -> tuple[float, float, float]:
        """(rate, b, c) with which ``slope`` is ``(b + c r) exp(-rate r)``, r the distance."""


@compiled
def scan_sorted(x, rate, constant, linear, forces):
    """forces[i] = sum_j (constant + linear r) exp(-rate r) (x_i - x_j) with r = |x_i - x_j|, for ascending x (n,)."""
    number = x.size
    for direction in range(2):
        # sums over the particles passed so far of exp(-rate r), r exp(-rate r) and r^2 exp(-rate r)
        zeroth = 0.0
        first = 0.0
        second = 0.0
        sign = 1.0 if direction == 0 else -1.0
        for step in range(number):
            i = step if direction == 0 else number - 1 - step
            if step > 0:
                distance = abs(x[i] - x[i - 1 if direction == 0 else i + 1])
                decay = exp(-rate * distance)
                passed = zeroth + 1.0
                second = decay * (second + distance * (2.0 * first + distance * passed))
                first = decay * (first + distance * passed)
                zeroth = decay * passed
                if decay == 0.0:  # distance times nothing is nothing, also where distance is infinite
                    second = 0.0
                    first = 0.0
            add = sign * (constant * first + linear * second)
            forces[i] = add if direction == 0 else forces[i] + add


class Scan(Algorithm[None]):
    """Kernels that are a polynomial times an exponential of the distance, on the line."""

    name = "sorted scan"
    exact = True

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        assert isinstance(kernel, ExponentialSlope)
        self.slope = kernel.exponential_slope()

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        number = positions.shape[0]
        return number * (15.0 + 5.0 * np.log2(number + 1.0)) + 2.0 * CALL, None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        flat = positions.reshape(-1)
        order = np.argsort(flat, kind="stable")
        forces = np.empty(flat.size)
        scan_sorted(flat[order], *self.slope, forces)
        out.reshape(-1)[order] = (2.0 * factor / flat.size) * forces
