"""Repulsion by the direct sum over pairs: any kernel, any dimension, O(N^2) operations and O(N) memory.

Blocks of targets lie in lanes, and each lane adds its sources in order, so threads cannot change a bit. For up to eight
particles of many coordinates, such as networks, blocks have eight lanes and not 64: the same bits, in less time.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import adapter, threads  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.vectors import WIDTH, add, broadcast, load, multiply, store, subtract
from particlegvi.engine.pairs.algorithm import CALL, Algorithm, pair_cost

LANES = 32  # targets of a block in up to three dimensions
WIDE = 64  # targets of a block beyond: loops of twice the length cost half as much per target
FEW = WIDTH  # particles, at most
MANY = 3  # coordinates, more than these


@nested
def add_sources(kernel, sources, first, last, targets, sums, scratch):
    """Add slope(|x - y|^2) (x - y) of the sources y in first..last-1, in order, to the sums of a block of targets x.

    ``targets`` and ``sums`` are flat, a row of LANES (WIDE beyond three dimensions) for each coordinate. Up to three
    dimensions everything stays in registers; beyond, differences pass through ``scratch``. Flat arrays with constant
    offsets, because LLVM gives up vectorising where it must check many arrays for overlap; the loop over sources is in
    each branch, so that a kernel's constants are loaded once and not for each source.
    """
    dim = sources.shape[1]
    if dim == 1:
        for source in range(first, last):
            y0 = sources[source, 0]
            for lane in range(LANES):
                d0 = targets[lane] - y0
                sums[lane] += kernel.slope(d0 * d0) * d0
    elif dim == 2:
        for source in range(first, last):
            y0 = sources[source, 0]
            y1 = sources[source, 1]
            for lane in range(LANES):
                d0 = targets[lane] - y0
                d1 = targets[LANES + lane] - y1
                slope = kernel.slope(d0 * d0 + d1 * d1)
                sums[lane] += slope * d0
                sums[LANES + lane] += slope * d1
    elif dim == 3:
        for source in range(first, last):
            y0 = sources[source, 0]
            y1 = sources[source, 1]
            y2 = sources[source, 2]
            for lane in range(LANES):
                d0 = targets[lane] - y0
                d1 = targets[LANES + lane] - y1
                d2 = targets[2 * LANES + lane] - y2
                slope = kernel.slope(d0 * d0 + d1 * d1 + d2 * d2)
                sums[lane] += slope * d0
                sums[LANES + lane] += slope * d1
                sums[2 * LANES + lane] += slope * d2
    else:
        squares = scratch[dim * WIDE : (dim + 1) * WIDE]
        for source in range(first, last):
            for lane in range(WIDE):
                squares[lane] = 0.0
            for coordinate in range(dim):
                y = sources[source, coordinate]
                row = coordinate * WIDE
                for lane in range(WIDE):
                    difference = targets[row + lane] - y
                    scratch[row + lane] = difference
                    squares[lane] += difference * difference
            for lane in range(WIDE):
                squares[lane] = kernel.slope(squares[lane])
            for coordinate in range(dim):
                row = coordinate * WIDE
                for lane in range(WIDE):
                    sums[row + lane] += squares[lane] * scratch[row + lane]


@nested
def load_targets(positions, start, count, targets, sums):
    """Targets start, ..., start + count - 1 into lanes, the last one filling up, and their sums set to zero."""
    width = targets.size // positions.shape[1]
    for coordinate in range(positions.shape[1]):
        for lane in range(width):
            targets[coordinate * width + lane] = positions[start + min(lane, count - 1), coordinate]
            sums[coordinate * width + lane] = 0.0


@nested
def store_sums(sums, start, count, factor, out):
    """2 factor times the sums of the targets, to ``out``."""
    width = sums.size // out.shape[1]
    for coordinate in range(out.shape[1]):
        for lane in range(count):
            out[start + lane, coordinate] = 2.0 * factor * sums[coordinate * width + lane]


@compiled
def direct_part(kernel, positions, first, last, factor, out):
    """out_i = factor * sum_j grad_1 kappa(x_i, x_j) for i in first..last-1, with positions and out (particles, dim)."""
    number, dim = positions.shape
    width = LANES if dim <= 3 else WIDE
    targets = np.empty(dim * width)
    sums = np.empty(dim * width)
    scratch = np.empty((dim + 1) * width)
    for start in range(first, last, width):
        count = min(width, last - start)
        load_targets(positions, start, count, targets, sums)
        add_sources(kernel, positions, 0, number, targets, sums, scratch)
        store_sums(sums, start, count, factor, out)


@nested
def few_forces(kernel, positions, first, last, factor, out, targets):
    """`direct_part` for FEW particles at most; ``targets`` is room for dim WIDTH numbers.

    The distances are not kept: the differences are made twice.
    """
    number, dim = positions.shape
    slopes = np.empty(FEW * WIDTH)
    count = last - first
    for lane in range(WIDTH):
        x = positions[first + min(lane, count - 1)]
        for coordinate in range(dim):
            targets[coordinate * WIDTH + lane] = x[coordinate]
    for source in range(number):
        squares = broadcast(0.0)
        for coordinate in range(dim):
            difference = subtract(load(targets, coordinate * WIDTH), broadcast(positions[source, coordinate]))
            squares = add(squares, multiply(difference, difference))
        store(slopes, source * WIDTH, squares)
    for i in range(number * WIDTH):
        slopes[i] = kernel.slope(slopes[i])
    for coordinate in range(dim):
        target = load(targets, coordinate * WIDTH)
        sums = broadcast(0.0)
        for source in range(number):
            difference = subtract(target, broadcast(positions[source, coordinate]))
            sums = add(sums, multiply(load(slopes, source * WIDTH), difference))
        store(targets, coordinate * WIDTH, sums)
    for lane in range(count):
        for coordinate in range(dim):
            out[first + lane, coordinate] = 2.0 * factor * targets[coordinate * WIDTH + lane]


@compiled
def few_part(kernel, positions, first, last, factor, out):
    """`few_forces`, from Python."""
    few_forces(kernel, positions, first, last, factor, out, np.empty(positions.shape[1] * WIDTH))


class Direct(Algorithm[None]):
    """Every pair: any kernel, any dimension, no error but rounding."""

    name = "direct sum"
    exact = True

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        return self.cost(*positions.shape), None

    @staticmethod
    def cost(number: int, dim: int) -> float:
        """Nanoseconds for so many particles."""
        return number**2 * pair_cost(dim) + CALL

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        kernel, number = self.kernel, positions.shape[0]
        part = (few_part if number <= FEW and self.dim > MANY else direct_part).for_terms(kernel)
        scale, lanes = factor / number, LANES if self.dim <= 3 else WIDE
        threads.split(lambda a, b: part(kernel, positions, a, b, scale, out), number, lanes, least=256)


def pair_energy(kernel: Kernel, positions: Array) -> float:
    """1/N^2 sum_ij kappa(x_i, x_j), self pairs included."""
    return float(_pair_energy.for_terms(kernel)(kernel, np.ascontiguousarray(positions, dtype=np.float64)))


@compiled
def _pair_energy(kernel, positions):
    number, dim = positions.shape
    total = 0.0
    for i in range(number):
        row = 0.0
        for j in range(i):
            square = 0.0
            for coordinate in range(dim):
                difference = positions[i, coordinate] - positions[j, coordinate]
                square += difference * difference
            row += kernel.value(square)
        total += 2.0 * row + kernel.value(0.0)
    return total / number / number
