"""Products of small matrices with their sums in registers: always in the order of the rows of the data."""

from particlegvi.engine.networks.layout import TILE
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    broadcast,
    fma,
    load,
    loads,
    multiply,
    spread,
    spreads,
    store,
    stores,
    total,
    where_above_zero,
)


@nested
def store_tile(out, at, row, rectify, tile):
    """A vector of each of four rows; with ``rectify`` a number below zero becomes zero."""
    stores(out, at, row, where_above_zero(tile, tile, broadcast(0.0)) if rectify else tile)


@nested
def rows_by_weights(x, at_x, stride, inner, weights, at_w, biases, at_b, out, at, row, rows, rectify):
    """out (rows, row) = x (rows, inner) @ weights (inner, row) + biases (row,), all flat; rows are a multiple of TILE.

    With ``rectify`` negative entries become zero.
    """
    for r in range(0, rows, TILE):
        first = at_x + r * stride
        j = 0
        while j + 2 * WIDTH <= row:
            bias, other = load(biases, at_b + j), load(biases, at_b + j + WIDTH)
            a, b = (bias, bias, bias, bias), (other, other, other, other)
            w = at_w + j
            for k in range(inner):
                values = spreads(x, first + k, stride, TILE)
                a = fma(values, load(weights, w), a)
                b = fma(values, load(weights, w + WIDTH), b)
                w += row
            o = at + r * row + j
            store_tile(out, o, row, rectify, a)
            store_tile(out, o + WIDTH, row, rectify, b)
            j += 2 * WIDTH
        if j < row:
            bias = load(biases, at_b + j)
            a = bias, bias, bias, bias
            w = at_w + j
            for k in range(inner):
                a = fma(spreads(x, first + k, stride, TILE), load(weights, w), a)
                w += row
            store_tile(out, at + r * row + j, row, rectify, a)


@nested
def add_outer(units, at_x, stride, inner, deltas, at_d, row, rows, gradient, at_w, at_b):
    """gradient (inner, row) += units (rows, inner)^T @ deltas (rows, row), and at ``at_b`` the deltas' column sums."""
    for j in range(0, row, WIDTH):
        k = 0
        while k + 8 <= inner:
            o = at_w + k * row + j
            c = loads(gradient, o, row, 8)
            b = load(gradient, at_b + j)
            p = at_x + k
            q = at_d + j
            for _ in range(rows):
                d = load(deltas, q)
                b = add(b, d)
                c = fma(spreads(units, p, 1, 8), d, c)
                p += stride
                q += row
            stores(gradient, o, row, c)
            if k == 0:
                store(gradient, at_b + j, b)
            k += 8
        while k < inner:  # four at a time: beyond the last of them there is room
            o = at_w + k * row + j
            c4 = loads(gradient, o, row, 4)
            b = load(gradient, at_b + j)
            p = at_x + k
            q = at_d + j
            for _ in range(rows):
                d = load(deltas, q)
                b = add(b, d)
                c4 = fma(spreads(units, p, 1, 4), d, c4)
                p += stride
                q += row
            stores(gradient, o, row, c4)
            if k == 0:
                store(gradient, at_b + j, b)
            k += 4


@nested
def dot_products(units, at, row, weights, at_w, biases, at_b, outputs, out, rows):
    """out (rows, outputs) = units (rows, row) @ weights (outputs, row)^T + biases (outputs,), all flat."""
    for c in range(outputs):
        first = at_w + c * row
        for r in range(0, rows, TILE):
            u = at + r * row
            sums = multiply(loads(units, u, row, TILE), load(weights, first))
            for j in range(WIDTH, row, WIDTH):
                sums = fma(loads(units, u + j, row, TILE), load(weights, first + j), sums)
            o = r * outputs + c
            out[o] = total(sums[0]) + biases[at_b + c]
            out[o + outputs] = total(sums[1]) + biases[at_b + c]
            out[o + 2 * outputs] = total(sums[2]) + biases[at_b + c]
            out[o + 3 * outputs] = total(sums[3]) + biases[at_b + c]


@nested
def slope_of(units, slopes, at, rectified):
    """The slopes of eight units; of rectified units they follow from the signs."""
    if rectified:
        return where_above_zero(load(units, at), broadcast(1.0), broadcast(0.0))
    return load(slopes, at)


@nested
def last_layer(units, at, row, slopes, rectified, weights, at_w, outputs, errors, rows, gradient, at_b, deltas):
    """The backward pass of the last layer for errors (rows, outputs).

    Adds to the gradient of its parameters; deltas = (errors @ weights) * slopes belong to its inputs.
    """
    for j in range(0, row, WIDTH):
        for c in range(outputs):
            o = at_w + c * row + j
            g = load(gradient, o)
            w = load(weights, o)
            q = at + j
            if c == 0:
                for r in range(rows):
                    e = spread(errors, r * outputs)
                    g = fma(e, load(units, q), g)
                    store(deltas, q, multiply(multiply(e, w), slope_of(units, slopes, q, rectified)))
                    q += row
            else:
                for r in range(rows):
                    e = spread(errors, r * outputs + c)
                    g = fma(e, load(units, q), g)
                    slope = slope_of(units, slopes, q, rectified)
                    store(deltas, q, fma(multiply(e, w), slope, load(deltas, q)))
                    q += row
            store(gradient, o, g)
    for c in range(outputs):
        total_error = gradient[at_b + c]
        for r in range(rows):
            total_error += errors[r * outputs + c]
        gradient[at_b + c] = total_error
