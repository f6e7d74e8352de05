"""Repulsion by the direct sum over pairs: any kernel, any dimension, O(N^2) operations and O(N) memory.

In up to three dimensions blocks of targets lie in lanes, and each lane adds its sources in order; beyond, and for
features, the lanes are the coordinates of one target. Neither lets threads change a bit.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.vectors import WIDTH, broadcast, fma, load, store, subtract, total
from particlegvi.engine.pairs.algorithm import CALL, Algorithm, pair_cost
from particlegvi.engine.terms import evaluate  # noqa: F401 - registers the methods of terms

LANES = 32  # targets of a block
MOST = 3  # dimensions in which targets lie in lanes


@nested
def add_sources(kernel, sources, first, last, targets, sums):
    """Add slope(|x - y|^2) (x - y) of the sources y in first..last-1, in order, to the sums of a block of targets x.

    ``targets`` and ``sums`` are flat, a row of LANES for each of up to three coordinates: everything stays in
    registers. Flat arrays with constant offsets, because LLVM gives up vectorising where it must check many arrays for
    overlap; the loop over sources is in each branch, so that a kernel's constants are loaded once and not for each
    source.
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
    else:
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
    targets = np.empty(dim * LANES)
    sums = np.empty(dim * LANES)
    for start in range(first, last, LANES):
        count = min(LANES, last - start)
        load_targets(positions, start, count, targets, sums)
        add_sources(kernel, positions, 0, number, targets, sums)
        store_sums(sums, start, count, factor, out)


@compiled
def add_pairs(kernel, x, y, sizes, factor, out, begin, end):
    """out_i += factor sum_j grad_1 k(x_i, y_j) for i in begin..end-1, rows of flat arrays: see `padded`.

    ``sizes`` are the numbers of rows of y and of numbers in a row.
    """
    others, row = sizes
    weights = np.empty(WIDTH)
    for i in range(begin, end):
        at = i * row
        for first in range(0, others, WIDTH):  # so many at once, whose slopes are computed side by side
            count = min(WIDTH, others - first)
            for j in range(WIDTH):
                other = (first + min(j, count - 1)) * row
                squares = broadcast(0.0)
                for k in range(0, row, WIDTH):
                    gap = subtract(load(x, at + k), load(y, other + k))
                    squares = fma(gap, gap, squares)
                weights[j] = total(squares)
            for j in range(WIDTH):
                weights[j] = 2.0 * factor * kernel.slope(weights[j])
            for k in range(0, row, WIDTH):
                own = load(x, at + k)
                sums = load(out, at + k)
                for j in range(count):
                    gap = subtract(own, load(y, (first + j) * row + k))
                    sums = fma(broadcast(weights[j]), gap, sums)
                store(out, at + k, sums)


def padded(points: Array) -> Array:
    """Points (n, size) with zeros behind each row, up to a multiple of WIDTH."""
    number, size = points.shape
    rows = np.zeros((number, -(-size // WIDTH) * WIDTH))
    rows[:, :size] = points
    return rows


def pair_forces(kernel: Kernel, x: Array, y: Array, factor: float, out: Array) -> None:
    """out_i += factor sum_j grad_1 k(x_i, y_j) for `padded` points x and y, with out of the shape of x."""
    part, sizes = add_pairs.for_terms(kernel), y.shape
    one, other, sums = (array.reshape(-1) for array in (x, y, out))
    threads.split(lambda a, b: part(kernel, one, other, sizes, factor, sums, a, b), len(x), least=256)


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
        scale = factor / number
        if self.dim > MOST:
            points = padded(positions)
            force = np.zeros_like(points)
            pair_forces(kernel, points, points, scale, force)
            out[...] = force[:, : self.dim]
            return
        part = direct_part.for_terms(kernel)
        threads.split(lambda a, b: part(kernel, positions, a, b, scale, out), number, LANES, least=256)


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
