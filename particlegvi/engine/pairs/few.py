"""The direct sum of `engine.pairs.direct` for up to eight particles of many coordinates: the same bits, in less time.

Blocks of targets have eight lanes there where they have 64, so that five networks do not pay for 64.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.numerics.vectors import WIDTH, add, broadcast, load, multiply, store, subtract
from particlegvi.engine.pairs.direct import load_targets, store_sums

FEW = WIDTH  # particles, at most
MANY = 3  # coordinates, more than these


@compiled
def few_part(kernel, positions, first, last, factor, out):
    """`engine.pairs.direct.direct_part` for FEW particles at most."""
    number, dim = positions.shape
    targets = np.empty(dim * WIDTH)
    sums = np.empty(dim * WIDTH)
    scratch = np.empty((dim + 1) * WIDTH)
    load_targets(positions, first, last - first, targets, sums)
    for source in range(number):
        squares = broadcast(0.0)
        for coordinate in range(dim):
            row = coordinate * WIDTH
            difference = subtract(load(targets, row), broadcast(positions[source, coordinate]))
            store(scratch, row, difference)
            squares = add(squares, multiply(difference, difference))
        store(scratch, dim * WIDTH, squares)
        for lane in range(dim * WIDTH, (dim + 1) * WIDTH):
            scratch[lane] = kernel.slope(scratch[lane])
        slopes = load(scratch, dim * WIDTH)
        for row in range(0, dim * WIDTH, WIDTH):
            store(sums, row, add(load(sums, row), multiply(slopes, load(scratch, row))))
    store_sums(sums, first, last - first, factor, out)
