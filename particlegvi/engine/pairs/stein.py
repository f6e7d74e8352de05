"""The sum of Stein variational gradient descent: vectors averaged over the particles by a kernel, and the repulsion.

    out_i = 1/N sum_j ( kappa(x_i, x_j) v_j + weight * grad_1 kappa(x_i, x_j) )

by the direct sum over pairs: any kernel, any dimension, O(N^2) operations and O(N) memory. Targets lie in lanes, and
each lane adds its sources in order, so threads cannot change a bit.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.pairs.direct import LANES, load_targets, store_sums


@nested
def add_source(kernel, sources, vectors, source, weight, targets, sums, gaps, values, slopes):
    """Add one source to the flat ``sums`` (dim * LANES,) of a block of targets."""
    for lane in range(LANES):
        values[lane] = 0.0
    for coordinate in range(sources.shape[1]):
        y = sources[source, coordinate]
        row = coordinate * LANES
        for lane in range(LANES):
            difference = targets[row + lane] - y
            gaps[row + lane] = difference
            values[lane] += difference * difference
    for lane in range(LANES):
        slopes[lane] = weight * kernel.slope(values[lane])
    for lane in range(LANES):
        values[lane] = kernel.value(values[lane])
    for coordinate in range(sources.shape[1]):
        vector = vectors[source, coordinate]
        row = coordinate * LANES
        for lane in range(LANES):
            sums[row + lane] += values[lane] * vector + slopes[lane] * gaps[row + lane]


@compiled
def stein_part(kernel, positions, vectors, weight, first, last, out):
    """The sums of particles first, ..., last - 1; positions, vectors and out are (particles, dim)."""
    number, dim = positions.shape
    targets = np.empty(dim * LANES)
    sums = np.empty(dim * LANES)
    gaps = np.empty(dim * LANES)
    values = np.empty(LANES)
    slopes = np.empty(LANES)
    for start in range(first, last, LANES):
        count = min(LANES, last - start)
        load_targets(positions, start, count, targets, sums)
        for source in range(number):
            add_source(kernel, positions, vectors, source, 2.0 * weight, targets, sums, gaps, values, slopes)
        store_sums(sums, start, count, 0.5 / number, out)


def stein_sum(kernel: Kernel, positions: Array, vectors: Array, weight: float) -> Array:
    """1/N sum_j (kappa(x_i, x_j) v_j + weight grad_1 kappa(x_i, x_j)), shape (particles, dim), C-contiguous input."""
    part = stein_part.for_terms(kernel)
    out = np.empty_like(positions)
    number = positions.shape[0]
    threads.split(lambda a, b: part(kernel, positions, vectors, weight, a, b, out), number, LANES, least=256)
    return out
