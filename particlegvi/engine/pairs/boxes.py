"""Repulsion of the squared-exponential kernel in one and two dimensions by Chebyshev boxes: linear in N.

Particles are sorted into boxes; each box sums up Chebyshev moments of its particles; moments become Chebyshev
coefficients of the field in every box within reach, one coordinate after the other; the field is evaluated at the
particles. The side of a box and the reach follow from the tolerance (`particlegvi.engine.pairs.box_sum`). Empty
stretches wider than the reach are cut out along each coordinate, so an outlier costs nothing.

Each box is summed by one thread in the order of its particles: threads cannot change a bit.
"""

import numpy as np

from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.vectors import WIDTH, broadcast, fma, loads, stores

NODES = 16
LANES = 16
SQUARE = NODES * NODES


@compiled
def box_numbers(values, origin, inverse_side, out):
    """floor((value - origin) / side) for one coordinate."""
    for i in range(values.size):
        out[i] = np.int64((values[i] - origin) * inverse_side)


@compiled
def sort_by_box(keys, boxes, starts, order):
    """Counting sort: ``order`` lists the particles box by box; box b has the entries starts[b] to starts[b + 1]."""
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
        # Empty boxes have no entry, so neighbours are found by their slots and not by their index.
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
    t = np.empty((2, LANES))
    table = np.empty(2 * NODES * LANES)
    second = NODES * LANES
    rows = np.empty(NODES * LANES)  # the second coordinate's polynomials again, with all of one particle side by side
    totals = np.empty(SQUARE)
    for box in range(first, last):
        for m in range(SQUARE):
            totals[m] = 0.0
        for start in range(starts[box], starts[box + 1], LANES):
            count = min(LANES, starts[box + 1] - start)
            for lane in range(LANES):
                particle = order[start + min(lane, count - 1)]
                t[0, lane] = (x[particle, 0] - corners[box, 0]) * inverse_half - 1.0
                t[1, lane] = (x[particle, 1] - corners[box, 1]) * inverse_half - 1.0
            polynomials(t, 0, 0, LANES, table)
            polynomials(t, 1, second, LANES, table)
            for lane in range(count):
                for k in range(NODES):
                    rows[lane * NODES + k] = table[second + k * LANES + lane]
            # Four rows of the table of moments stay in registers while all particles of the block are added.
            for m in range(0, NODES, 4):
                row = m * NODES
                here = m * LANES
                a, b = loads(totals, row, WIDTH, 2), loads(totals, row + NODES, WIDTH, 2)
                c, d = loads(totals, row + 2 * NODES, WIDTH, 2), loads(totals, row + 3 * NODES, WIDTH, 2)
                for lane in range(count):
                    values = loads(rows, lane * NODES, WIDTH, 2)
                    a = fma(broadcast(table[here + lane]), values, a)
                    b = fma(broadcast(table[here + LANES + lane]), values, b)
                    c = fma(broadcast(table[here + 2 * LANES + lane]), values, c)
                    d = fma(broadcast(table[here + 3 * LANES + lane]), values, d)
                stores(totals, row, WIDTH, a)
                stores(totals, row + NODES, WIDTH, b)
                stores(totals, row + 2 * NODES, WIDTH, c)
                stores(totals, row + 3 * NODES, WIDTH, d)
        for m in range(SQUARE):
            moments[box, m] = totals[m]


@compiled
def translate_rows(moments, width, slots, values, slopes, first, last, with_values, with_slopes):
    """Along the second coordinate: for rows of boxes first..last-1, moments to coefficients of kappa and kappa'.

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
def translate_columns(with_values, with_slopes, starts, width, slots, values, slopes, scale, first, last, field):
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
    flat = field.reshape(-1)
    zero = broadcast(0.0)
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
                first_coefficient = (box * 2 + component) * SQUARE
                here = component * LANES
                found = loads(result, here, WIDTH, 2)
                for m in range(0, NODES, 4):
                    base = first_coefficient + m * NODES
                    a, b, c, d = (zero, zero), (zero, zero), (zero, zero), (zero, zero)
                    for k in range(NODES):
                        values = loads(table, second + k * LANES, WIDTH, 2)
                        a = fma(broadcast(flat[base + k]), values, a)
                        b = fma(broadcast(flat[base + NODES + k]), values, b)
                        c = fma(broadcast(flat[base + 2 * NODES + k]), values, c)
                        d = fma(broadcast(flat[base + 3 * NODES + k]), values, d)
                    row = m * LANES
                    found = fma(a, loads(table, row, WIDTH, 2), found)
                    found = fma(b, loads(table, row + LANES, WIDTH, 2), found)
                    found = fma(c, loads(table, row + 2 * LANES, WIDTH, 2), found)
                    found = fma(d, loads(table, row + 3 * LANES, WIDTH, 2), found)
                stores(result, here, WIDTH, found)
            for lane in range(count):
                particle = order[start + lane]
                out[particle, 0] = result[lane]
                out[particle, 1] = result[LANES + lane]
