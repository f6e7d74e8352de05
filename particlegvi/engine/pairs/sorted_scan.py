"""The exact repulsion on the line for kernels that are a polynomial times exp(-rate |x - y|): Matern 3/2 and 5/2.

In sorted order a sum over all particles to the left is carried on from one particle to the next, because moving on by
d multiplies every exponential by exp(-rate d) and turns each power of the distance into a sum of lower ones. Two scans,
from the left and from the right, therefore replace N^2 pairs. All terms have one sign within a scan, so that nothing
cancels in it, and coinciding particles add nothing to each other whatever their order.
"""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.mathematics import exp
from particlegvi.engine.pairs.algorithm import CALL, Algorithm


@runtime_checkable
class ExponentialSlope(Protocol):
    """An optional part of a `Kernel`: its derivative is a polynomial times an exponential of the distance."""

    def exponential_slope(self) -> tuple[float, float, float]:
        """(rate, b, c) with which ``slope`` is ``(b + c r) exp(-rate r)``, r the distance."""


@nested
def sort_again(x, order, ascending):
    """Bring ``order`` into the order of x (n,), as a stable sort does, and put x in this order into ``ascending``.

    Equal numbers stand in the order of their places. It takes n operations where only neighbours have to change.
    """
    for i in range(order.size):
        mine = order[i]
        here = x[mine]
        place = np.uint64(i)
        while place > 0:
            before = place - np.uint64(1)
            if not (ascending[before] > here or (ascending[before] == here and order[before] > mine)):
                break
            ascending[place], order[place] = ascending[before], order[before]
            place = before
        ascending[place], order[place] = here, mine


@nested
def scan_sorted(x, order, slope, factor, room, forces):
    """forces[order[i]] = factor sum_j (constant + linear r) exp(-rate r) (x_i - x_j), r = |x_i - x_j|, for ascending x
    (n,). ``slope`` is (rate, constant, linear), ``room`` (3, n)."""
    rate, constant, linear = slope
    gaps, decays, sums = room[0], room[1], room[2]
    number = x.size
    for i in range(1, number):
        gaps[i] = abs(x[i] - x[i - 1])
    for i in range(1, number):
        decays[i] = exp(-rate * gaps[i])
    for direction in range(2):
        # sums over the particles passed so far of exp(-rate r), r exp(-rate r) and r^2 exp(-rate r)
        zeroth = 0.0
        first = 0.0
        second = 0.0
        sign = 1.0 if direction == 0 else -1.0
        for step in range(number):
            at = np.uint64(step if direction == 0 else number - 1 - step)
            if step > 0:
                gap = at if direction == 0 else at + np.uint64(1)
                distance, decay = gaps[gap], decays[gap]
                passed = zeroth + 1.0
                second = decay * (second + distance * (2.0 * first + distance * passed))
                first = decay * (first + distance * passed)
                zeroth = decay * passed
                if decay == 0.0:  # distance times nothing is nothing, also where distance is infinite
                    second = 0.0
                    first = 0.0
            add = sign * (constant * first + linear * second)
            sums[at] = add if direction == 0 else sums[at] + add
    for i in range(number):
        forces[np.uint64(order[i])] = factor * sums[i]


@compiled
def scan_part(x, order, slope, factor, forces):
    """`scan_sorted` for particles x (n,) in any order, of which ``order`` sorts them."""
    ascending = np.empty(x.size)
    for i in range(x.size):
        ascending[i] = x[order[i]]
    scan_sorted(ascending, order, slope, factor, np.empty((3, x.size)), forces)


class Scan(Algorithm[None]):
    """Kernels that are a polynomial times an exponential of the distance, on the line."""

    name = "sorted scan"
    exact = True

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        assert isinstance(kernel, ExponentialSlope)
        self.slope = kernel.exponential_slope()

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        return self.cost(positions.shape[0]), None

    @staticmethod
    def cost(number: int) -> float:
        """Nanoseconds for so many particles."""
        return number * (15.0 + 5.0 * math.log2(number + 1.0)) + 2.0 * CALL

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        x = positions.reshape(-1)
        scan_part(x, np.argsort(x, kind="stable"), self.slope, 2.0 * factor / x.size, out.reshape(-1))
