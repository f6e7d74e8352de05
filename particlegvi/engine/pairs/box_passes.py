"""The compiled passes of the Chebyshev boxes in the plane (`particlegvi.engine.pairs.boxes`).

Each box is summed by one thread in the order of its particles: threads cannot change a bit.
"""

from typing import NamedTuple

import numpy as np

from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.vectors import WIDTH, broadcast, fma, loads, stores

NODES = 16
LANES = 16
SQUARE = NODES * NODES


class BoxGrid(NamedTuple):
    """Square boxes, numbered row by row; the first coordinate counts rows, the second columns."""

    low: float  # corner of the first box
    low_column: float
    inverse_side: float
    rows: int
    columns: int


@inlined
def box_of(x, i, grid):
    """Number of the box of particle i."""
    row = np.int64((x[i, 0] - grid.low) * grid.inverse_side)
    return row * grid.columns + np.int64((x[i, 1] - grid.low_column) * grid.inverse_side)


@compiled
def sort_by_box(x, grid, starts, order):
    """Counting sort: ``order`` lists the particles box by box; box b has the entries starts[b] to starts[b + 1]."""
    keys = np.empty(x.shape[0], dtype=np.int64)
    starts[:] = 0
    for i in range(x.shape[0]):
        keys[i] = box_of(x, i, grid)
        starts[keys[i] + 1] += 1
    for box in range(starts.size - 1):
        starts[box + 1] += starts[box]
    cursor = starts[:-1].copy()
    for i in range(keys.size):
        place = cursor[keys[i]]
        order[place] = i
        cursor[keys[i]] = place + 1


@nested
def polynomials(t, table, offset):
    """T_0..T_15 at LANES numbers t, into the flat ``table`` from ``offset`` on, lanes innermost."""
    for lane in range(LANES):
        table[offset + lane] = 1.0
        table[offset + LANES + lane] = t[lane]
    for m in range(2, NODES):
        here = offset + m * LANES
        for lane in range(LANES):
            table[here + lane] = fma(2.0 * t[lane], table[here - LANES + lane], -table[here - 2 * LANES + lane])


@nested
def tabulate(x, order, start, count, box, grid, table):
    """The polynomials of both coordinates, (2, NODES, LANES) flat, at ``count`` particles of a box, in [-1, 1] there.

    Lanes behind the last particle repeat it.
    """
    across, along = np.empty(LANES), np.empty(LANES)
    row, column = box // grid.columns, box % grid.columns
    for lane in range(LANES):
        particle = order[start + min(lane, count - 1)]
        across[lane] = 2.0 * ((x[particle, 0] - grid.low) * grid.inverse_side - row) - 1.0
        along[lane] = 2.0 * ((x[particle, 1] - grid.low_column) * grid.inverse_side - column) - 1.0
    polynomials(across, table, 0)
    polynomials(along, table, NODES * LANES)


@compiled
def sum_moments(x, order, starts, grid, first, last, moments):
    """Moments (boxes, NODES * NODES) of boxes first..last-1."""
    table = np.empty(2 * NODES * LANES)
    along = np.empty(NODES * LANES)  # the second coordinate's polynomials again, those of a particle side by side
    totals = np.empty(SQUARE)
    for box in range(first, last):
        totals[:] = 0.0
        for start in range(starts[box], starts[box + 1], LANES):
            count = min(LANES, starts[box + 1] - start)
            tabulate(x, order, start, count, box, grid, table)
            for lane in range(count):
                for k in range(NODES):
                    along[lane * NODES + k] = table[(NODES + k) * LANES + lane]
            for m in range(0, NODES, 2):  # two rows of moments stay in registers while the particles are added
                one = loads(totals, m * NODES, WIDTH, 2)
                other = loads(totals, (m + 1) * NODES, WIDTH, 2)
                for lane in range(count):
                    values = loads(along, lane * NODES, WIDTH, 2)
                    one = fma(broadcast(table[m * LANES + lane]), values, one)
                    other = fma(broadcast(table[(m + 1) * LANES + lane]), values, other)
                stores(totals, m * NODES, WIDTH, one)
                stores(totals, (m + 1) * NODES, WIDTH, other)
        moments[box] = totals


@compiled
def translate_along(moments, grid, values, slopes, first, last, with_values, with_slopes):
    """Along the second coordinate: for rows of boxes first..last-1, moments to coefficients of kappa and kappa'.

    ``moments``, ``with_values`` and ``with_slopes`` are (boxes, NODES * NODES). The operators (offsets, k, j) are
    those of `boxes.operators`, transposed so that j is contiguous.
    """
    width = values.shape[0] // 2
    total = np.empty(2 * SQUARE)
    for target in range(first * grid.columns, last * grid.columns):
        column = target % grid.columns
        total[:] = 0.0
        for offset in range(max(-width, column + 1 - grid.columns), min(width, column) + 1):
            block = moments[target - offset]
            if block[0] == 0.0:  # the first moment counts the particles
                continue
            for m in range(NODES):
                for k in range(NODES):
                    weight = block[m * NODES + k]
                    for j in range(NODES):
                        here = m * NODES + j
                        total[here] = fma(weight, values[width + offset, k, j], total[here])
                        total[SQUARE + here] = fma(weight, slopes[width + offset, k, j], total[SQUARE + here])
        with_values[target] = total[:SQUARE]
        with_slopes[target] = total[SQUARE:]


@compiled
def translate_across(with_values, with_slopes, starts, grid, values, slopes, scale, first, last, field):
    """Along the first coordinate: for rows of boxes first..last-1, the coefficients of both components of the force.

    ``field`` is (boxes, 2 * NODES * NODES); only boxes that hold particles are filled.
    """
    width = values.shape[0] // 2
    total = np.empty(2 * SQUARE)
    for target in range(first * grid.columns, last * grid.columns):
        if starts[target + 1] == starts[target]:
            continue
        row = target // grid.columns
        total[:] = 0.0
        for offset in range(max(-width, row + 1 - grid.rows), min(width, row) + 1):
            plain = with_values[target - offset * grid.columns]
            sloped = with_slopes[target - offset * grid.columns]
            for m in range(NODES):
                for k in range(NODES):
                    slope = slopes[width + offset, k, m]
                    value = values[width + offset, k, m]
                    for j in range(NODES):
                        here = m * NODES + j
                        total[here] = fma(slope, plain[k * NODES + j], total[here])
                        total[SQUARE + here] = fma(value, sloped[k * NODES + j], total[SQUARE + here])
        for i in range(2 * SQUARE):
            field[target, i] = scale * total[i]


@inlined
def fields_at(flat, begin, table):
    """Both components of the force at LANES particles, a pair of vectors each.

    ``flat`` has the coefficients of a box from ``begin`` on, (2, NODES, NODES), ``table`` the particles' polynomials.
    """
    zeros = broadcast(0.0), broadcast(0.0)
    first, second = zeros, zeros
    for m in range(0, NODES, 2):  # two rows of both fields at once, which do not wait for each other
        a, b, c, d = zeros, zeros, zeros, zeros
        for k in range(begin + m * NODES, begin + (m + 1) * NODES):
            along = loads(table, (NODES + k % NODES) * LANES, WIDTH, 2)
            a = fma(broadcast(flat[k]), along, a)
            b = fma(broadcast(flat[k + NODES]), along, b)
            c = fma(broadcast(flat[k + SQUARE]), along, c)
            d = fma(broadcast(flat[k + SQUARE + NODES]), along, d)
        across, following = loads(table, m * LANES, WIDTH, 2), loads(table, (m + 1) * LANES, WIDTH, 2)
        first = fma(b, following, fma(a, across, first))
        second = fma(d, following, fma(c, across, second))
    return first, second


@compiled
def evaluate(x, order, starts, grid, field, first, last, out):
    """The force ``out`` (particles, 2) at the particles x (particles, 2) of boxes first..last-1.

    ``order`` (particles,) and ``starts`` (boxes + 1,) are those of `sort_by_box`, ``field`` (boxes, 2 * NODES * NODES)
    is that of `translate_across`.
    """
    table = np.empty(2 * NODES * LANES)
    forces = np.empty(2 * LANES)
    flat = field.reshape(-1)
    for box in range(first, last):
        for start in range(starts[box], starts[box + 1], LANES):
            count = min(LANES, starts[box + 1] - start)
            tabulate(x, order, start, count, box, grid, table)
            of_first, of_second = fields_at(flat, box * 2 * SQUARE, table)
            stores(forces, 0, WIDTH, of_first)
            stores(forces, LANES, WIDTH, of_second)
            for lane in range(count):
                for i in range(2):
                    out[order[start + lane], i] = forces[i * LANES + lane]
