"""Repulsion by the direct sum over pairs: any kernel, any dimension, O(N^2) operations and O(N) memory.

Blocks of targets lie in lanes, and each lane adds its sources in order, so threads cannot change a bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.engine import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.compiled import compiled

LANES = 32


@compiled
def direct_part(kernel, positions, first, last, factor, out):
    """out_i = factor * sum_j grad_1 kappa(x_i, x_j) for i in first..last-1, with positions and out (particles, dim)."""
    number, dim = positions.shape
    # rows of scratch, flat so that the loops over lanes vectorise: targets, differences, sums, squared distances
    targets = np.empty(dim * LANES)
    scratch = np.empty((2 * dim + 1) * LANES)
    sums = dim * LANES
    squares = 2 * dim * LANES
    for start in range(first, last, LANES):
        count = min(LANES, last - start)
        for coordinate in range(dim):
            for lane in range(LANES):
                targets[coordinate * LANES + lane] = positions[start + min(lane, count - 1), coordinate]
                scratch[sums + coordinate * LANES + lane] = 0.0
        for source in range(number):
            for lane in range(LANES):
                scratch[squares + lane] = 0.0
            for coordinate in range(dim):
                y = positions[source, coordinate]
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
                    scratch[sums + row + lane] += scratch[squares + lane] * scratch[row + lane]
        for coordinate in range(dim):
            for lane in range(count):
                out[start + lane, coordinate] = 2.0 * factor * scratch[sums + coordinate * LANES + lane]


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
