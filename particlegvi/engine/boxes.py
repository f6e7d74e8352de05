"""Repulsion of the squared-exponential kernel in one and two dimensions by Chebyshev boxes: linear in N.

Particles are sorted into boxes; each box sums up Chebyshev moments of its particles; moments become Chebyshev
coefficients of the field in every box within reach, one coordinate after the other; the field is evaluated at the
particles. The side of a box and the reach follow from the tolerance (:mod:`particlegvi.engine.box_rule`). Empty
stretches wider than the reach are cut out along each coordinate, so an outlier costs nothing.

Each box is summed by one thread in the order of its particles: threads cannot change a bit.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.bits import fma
from particlegvi.engine.box_rule import NODES
from particlegvi.engine.compiled import compiled, nested

LANES = 16
SQUARE = NODES * NODES


@compiled
def box_numbers(values, origin, inverse_side, out):
    """floor((value - origin) / side) for one coordinate."""
    for i in range(values.size):
        out[i] = np.int64((values[i] - origin) * inverse_side)


@compiled
def sort_by_box(keys, boxes, starts, order):
    """Counting sort: ``order`` lists the particles box by box, those of box b from starts[b] to starts[b + 1]."""
    for b in range(boxes + 1):
        starts[b] = 0
    for i in range(keys.size):
        starts[keys[i] + 1] += 1
    for b in range(boxes):
        starts[b + 1] += starts[b]
    cursor = starts[:boxes].copy()
    for i in range(keys.size):
        place = cursor[keys[i]]
        order[place] = i
        cursor[keys[i]] = place + 1


@nested
def polynomials(t, row, offset, lanes, table):
    """T_0..T_15 at each of ``lanes`` numbers t[row, :], into the flat ``table`` from ``offset`` on, lanes innermost."""
    for lane in range(lanes):
        table[offset + lane] = 1.0
        table[offset + lanes + lane] = t[row, lane]
    for m in range(2, NODES):
        here = offset + m * lanes
        for lane in range(lanes):
            table[here + lane] = fma(2.0 * t[row, lane], table[here - lanes + lane], -table[here - 2 * lanes + lane])


@compiled
def moments_line(x, order, starts, corners, inverse_half, first, last, moments):
    """Moments (boxes, NODES) of boxes first..last-1 on the line."""
    t = np.empty((1, LANES))
    table = np.empty(NODES * LANES)
    for box in range(first, last):
        for m in range(NODES):
            moments[box, m] = 0.0
        for start in range(starts[box], starts[box + 1], LANES):
            count = min(LANES, starts[box + 1] - start)
            for lane in range(LANES):
                t[0, lane] = (x[order[start + min(lane, count - 1)], 0] - corners[box]) * inverse_half - 1.0
            polynomials(t, 0, 0, LANES, table)
            for m in range(NODES):
                total = 0.0
                for lane in range(count):
                    total += table[m * LANES + lane]
                moments[box, m] += total


@compiled
def translate_line(moments, slots, width, slopes, scale, first, last, field):
    """Coefficients (boxes, NODES) of the force in boxes first..last-1. ``slots`` are the boxes' places on the line."""
    boxes = moments.shape[0]
    for target in range(first, last):
        for m in range(NODES):
            field[target, m] = 0.0
        source = target
        while source > 0 and slots[target] - slots[source - 1] <= width:
            source -= 1
        while source < boxes and slots[source] - slots[target] <= width:
            operator = slopes[width + slots[target] - slots[source]]
            for m in range(NODES):
                total = field[target, m]
                for k in range(NODES):
                    total += operator[m, k] * (scale * moments[source, k])
                field[target, m] = total
            source += 1


@compiled
def evaluate_line(x, order, starts, corners, inverse_half, field, first, last, out):
    """The force at the particles of boxes first..last-1."""
    t = np.empty((1, LANES))
    table = np.empty(NODES * LANES)
    result = np.empty(LANES)
    for box in range(first, last):
        for start in range(starts[box], starts[box + 1], LANES):
            count = min(LANES, starts[box + 1] - start)
            for lane in range(LANES):
                t[0, lane] = (x[order[start + min(lane, count - 1)], 0] - corners[box]) * inverse_half - 1.0
                result[lane] = 0.0
            polynomials(t, 0, 0, LANES, table)
            for m in range(NODES):
                c = field[box, m]
                for lane in range(LANES):
                    result[lane] = fma(c, table[m * LANES + lane], result[lane])
            for lane in range(count):
                out[order[start + lane], 0] = result[lane]


@compiled
def moments_plane(x, order, starts, corners, inverse_half, first, last, moments):
    """Moments (boxes, NODES * NODES) of boxes first..last-1 in the plane."""
    t = np.empty((2, 4))
    table = np.empty(2 * NODES * 4)
    totals = np.empty(SQUARE)
    row = np.empty(4 * NODES)
    for box in range(first, last):
        for m in range(SQUARE):
            totals[m] = 0.0
        for start in range(starts[box], starts[box + 1], 4):
            count = min(4, starts[box + 1] - start)
            for lane in range(4):
                particle = order[start + min(lane, count - 1)]
                t[0, lane] = (x[particle, 0] - corners[box, 0]) * inverse_half - 1.0
                t[1, lane] = (x[particle, 1] - corners[box, 1]) * inverse_half - 1.0
            polynomials(t, 0, 0, 4, table)
            polynomials(t, 1, 4 * NODES, 4, table)
            for lane in range(4):
                present = 1.0 if lane < count else 0.0
                for m in range(NODES):
                    row[lane * NODES + m] = table[4 * NODES + m * 4 + lane] * present
            for m in range(NODES):
                a = table[m * 4]
                b = table[m * 4 + 1]
                c = table[m * 4 + 2]
                d = table[m * 4 + 3]
                for k in range(NODES):
                    pair = fma(a, row[k], totals[m * NODES + k])
                    pair = fma(b, row[NODES + k], pair)
                    pair = fma(c, row[2 * NODES + k], pair)
                    totals[m * NODES + k] = fma(d, row[3 * NODES + k], pair)
        for m in range(SQUARE):
            moments[box, m] = totals[m]


@compiled
def translate_rows(moments, width, slots, values, slopes, first, last, with_values, with_slopes):
    """Along the second coordinate: for rows of boxes first..last-1, moments to coefficients of kappa and its slope.

    ``moments``, ``with_values`` and ``with_slopes`` are (rows, columns, NODES * NODES); ``slots`` (columns,).
    """
    columns = moments.shape[1]
    total = np.empty(2 * SQUARE)
    for row in range(first, last):
        for target in range(columns):
            for i in range(2 * SQUARE):
                total[i] = 0.0
            source = target
            while source > 0 and slots[target] - slots[source - 1] <= width:
                source -= 1
            while source < columns and slots[source] - slots[target] <= width:
                offset = width + slots[target] - slots[source]
                block = moments[row, source]
                if block[0] != 0.0:  # the first moment counts the particles
                    for m in range(NODES):
                        for k in range(NODES):
                            weight = block[m * NODES + k]
                            for j in range(NODES):
                                here = m * NODES + j
                                # operators are read transposed, so that j is contiguous
                                total[here] = fma(weight, values[offset, k, j], total[here])
                                total[SQUARE + here] = fma(weight, slopes[offset, k, j], total[SQUARE + here])
                source += 1
            for i in range(SQUARE):
                with_values[row, target, i] = total[i]
                with_slopes[row, target, i] = total[SQUARE + i]


@compiled
def translate_columns(
    with_values, with_slopes, starts, width, slots, values, slopes, scale, first, last, field
):
    """Along the first coordinate: for rows first..last-1 of target boxes, the coefficients of both force components.

    ``field`` is (rows, columns, 2, NODES * NODES); only boxes that hold particles are filled.
    """
    rows, columns, _ = with_values.shape
    total = np.empty(2 * SQUARE)
    for target in range(first, last):
        for column in range(columns):
            box = target * columns + column
            if starts[box + 1] == starts[box]:
                continue
            for i in range(2 * SQUARE):
                total[i] = 0.0
            source = target
            while source > 0 and slots[target] - slots[source - 1] <= width:
                source -= 1
            while source < rows and slots[source] - slots[target] <= width:
                offset = width + slots[target] - slots[source]
                plain = with_values[source, column]
                sloped = with_slopes[source, column]
                for m in range(NODES):
                    for k in range(NODES):
                        slope = slopes[offset, k, m]
                        value = values[offset, k, m]
                        for j in range(NODES):
                            here = m * NODES + j
                            total[here] = fma(slope, plain[k * NODES + j], total[here])
                            total[SQUARE + here] = fma(value, sloped[k * NODES + j], total[SQUARE + here])
                source += 1
            for i in range(SQUARE):
                field[target, column, 0, i] = scale * total[i]
                field[target, column, 1, i] = scale * total[SQUARE + i]


@compiled
def evaluate_plane(x, order, starts, corners, inverse_half, field, first, last, out):
    """The force at the particles of boxes first..last-1; ``field`` is (boxes, 2, NODES * NODES)."""
    t = np.empty((2, LANES))
    table = np.empty(2 * NODES * LANES)
    second = NODES * LANES
    result = np.empty(2 * LANES)
    for box in range(first, last):
        for start in range(starts[box], starts[box + 1], LANES):
            count = min(LANES, starts[box + 1] - start)
            for lane in range(LANES):
                particle = order[start + min(lane, count - 1)]
                t[0, lane] = (x[particle, 0] - corners[box, 0]) * inverse_half - 1.0
                t[1, lane] = (x[particle, 1] - corners[box, 1]) * inverse_half - 1.0
                result[lane] = 0.0
                result[LANES + lane] = 0.0
            polynomials(t, 0, 0, LANES, table)
            polynomials(t, 1, second, LANES, table)
            for component in range(2):
                coefficients = field[box, component]
                for m in range(NODES):
                    base = m * NODES
                    for lane in range(LANES):
                        inner = 0.0
                        for k in range(NODES):
                            inner = fma(coefficients[base + k], table[second + k * LANES + lane], inner)
                        here = component * LANES + lane
                        result[here] = fma(inner, table[m * LANES + lane], result[here])
            for lane in range(count):
                particle = order[start + lane]
                out[particle, 0] = result[lane]
                out[particle, 1] = result[LANES + lane]
