"""Repulsion by the direct sum over pairs: any kernel, any dimension, O(N^2) operations and O(N) memory.

Blocks of targets lie in lanes, and each lane adds its sources in order, so threads cannot change a bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.engine import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.compiled import compiled, nested

LANES = 32


@nested
def add_source(kernel, sources, source, targets, sums, scratch):
    """Add slope(|x - y|^2) (x - y) of one source y to the flat ``sums`` (dim * LANES,) of a block of targets x.

    Up to three dimensions everything stays in registers; beyond, differences pass through ``scratch``. Flat arrays with
    constant offsets, because LLVM gives up vectorising where it must check many arrays for overlap.
    """
    dim = sources.shape[1]
    if dim == 1:
        y0 = sources[source, 0]
        for lane in range(LANES):
            d0 = targets[lane] - y0
            sums[lane] += kernel.slope(d0 * d0) * d0
    elif dim == 2:
        y0 = sources[source, 0]
        y1 = sources[source, 1]
        for lane in range(LANES):
            d0 = targets[lane] - y0
            d1 = targets[LANES + lane] - y1
            slope = kernel.slope(d0 * d0 + d1 * d1)
            sums[lane] += slope * d0
            sums[LANES + lane] += slope * d1
    elif dim == 3:
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
        squares = dim * LANES
        for lane in range(LANES):
            scratch[squares + lane] = 0.0
        for coordinate in range(dim):
            y = sources[source, coordinate]
            row = coordinate * LANES
            for lane in range(LANES):
                difference = targets[row + lane] - y
                scratch[row + lane] = difference
                scratch[squares + lane] += difference * difference
        for lane in range(LANES):
            scratch[squares + lane] = kernel.slope(scratch[squares + lane])
        for coordinate in range(dim):
            row = coordinate * LANES
            for lane in range(LANES):
                sums[row + lane] += scratch[squares + lane] * scratch[row + lane]


@nested
def load_targets(positions, start, count, targets, sums):
    """Targets start, ..., start + count - 1 into lanes, the last one filling up, and their sums set to zero."""
    for coordinate in range(positions.shape[1]):
        for lane in range(LANES):
            targets[coordinate * LANES + lane] = positions[start + min(lane, count - 1), coordinate]
            sums[coordinate * LANES + lane] = 0.0


@nested
def store_sums(sums, start, count, factor, out):
    """2 factor times the sums of the targets, to ``out``."""
    for coordinate in range(out.shape[1]):
        for lane in range(count):
            out[start + lane, coordinate] = 2.0 * factor * sums[coordinate * LANES + lane]


@compiled
def direct_part(kernel, positions, first, last, factor, out):
    """out_i = factor * sum_j grad_1 kappa(x_i, x_j) for i in first..last-1, with positions and out (particles, dim)."""
    number, dim = positions.shape
    targets = np.empty(dim * LANES)
    sums = np.empty(dim * LANES)
    scratch = np.empty((dim + 1) * LANES)
    for start in range(first, last, LANES):
        count = min(LANES, last - start)
        load_targets(positions, start, count, targets, sums)
        for source in range(number):
            add_source(kernel, positions, source, targets, sums, scratch)
        store_sums(sums, start, count, factor, out)


def pair_energy(kernel: Any, positions: np.ndarray) -> float:
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
