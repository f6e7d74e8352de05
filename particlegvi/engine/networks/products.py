"""Products of small matrices with their sums in registers: always in the order of the rows of the data."""

from __future__ import annotations

from particlegvi.engine.networks.layout import TILE
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    broadcast,
    load,
    multiply,
    multiply_add,
    spread,
    store,
    total,
    where_above_zero,
)


@nested
def store_tile(out, at, row, rectify, a, b, c, d):
    """A vector of each of four rows; with ``rectify`` what is below zero becomes zero."""
    if rectify:
        zero = broadcast(0.0)
        a = where_above_zero(a, a, zero)
        b = where_above_zero(b, b, zero)
        c = where_above_zero(c, c, zero)
        d = where_above_zero(d, d, zero)
    store(out, at, a)
    store(out, at + row, b)
    store(out, at + 2 * row, c)
    store(out, at + 3 * row, d)


@nested
def rows_by_weights(x, at_x, stride, inner, weights, at_w, biases, at_b, out, at, row, rows, rectify):
    """out (rows, row) = x (rows, inner) @ weights (inner, row) + biases (row,), all flat; rows are a multiple of TILE.

    With ``rectify`` its negative entries become zero.
    """
    for r in range(0, rows, TILE):
        x0 = at_x + r * stride
        x1 = x0 + stride
        x2 = x1 + stride
        x3 = x2 + stride
        j = 0
        while j + 2 * WIDTH <= row:
            b0 = load(biases, at_b + j)
            b1 = load(biases, at_b + j + WIDTH)
            a00, a10, a20, a30 = b0, b0, b0, b0
            a01, a11, a21, a31 = b1, b1, b1, b1
            w = at_w + j
            for k in range(inner):
                w0 = load(weights, w)
                w1 = load(weights, w + WIDTH)
                w += row
                s = spread(x, x0 + k)
                a00 = multiply_add(s, w0, a00)
                a01 = multiply_add(s, w1, a01)
                s = spread(x, x1 + k)
                a10 = multiply_add(s, w0, a10)
                a11 = multiply_add(s, w1, a11)
                s = spread(x, x2 + k)
                a20 = multiply_add(s, w0, a20)
                a21 = multiply_add(s, w1, a21)
                s = spread(x, x3 + k)
                a30 = multiply_add(s, w0, a30)
                a31 = multiply_add(s, w1, a31)
            o = at + r * row + j
            store_tile(out, o, row, rectify, a00, a10, a20, a30)
            store_tile(out, o + WIDTH, row, rectify, a01, a11, a21, a31)
            j += 2 * WIDTH
        if j < row:
            b0 = load(biases, at_b + j)
            a00, a10, a20, a30 = b0, b0, b0, b0
            w = at_w + j
            for k in range(inner):
                w0 = load(weights, w)
                w += row
                a00 = multiply_add(spread(x, x0 + k), w0, a00)
                a10 = multiply_add(spread(x, x1 + k), w0, a10)
                a20 = multiply_add(spread(x, x2 + k), w0, a20)
                a30 = multiply_add(spread(x, x3 + k), w0, a30)
            store_tile(out, at + r * row + j, row, rectify, a00, a10, a20, a30)


@nested
def add_outer(units, at_x, stride, inner, deltas, at_d, row, rows, gradient, at_w, at_b, begin):
    """gradient (inner, row) += units (rows, inner)^T @ deltas (rows, row), and at ``at_b`` the deltas' column sums.

    Only the rows of the gradient from ``begin`` on, a multiple of 4; the column sums go with the first one.
    """
    for j in range(0, row, WIDTH):
        k = begin
        while k + 8 <= inner:
            o = at_w + k * row + j
            c0 = load(gradient, o)
            c1 = load(gradient, o + row)
            c2 = load(gradient, o + 2 * row)
            c3 = load(gradient, o + 3 * row)
            c4 = load(gradient, o + 4 * row)
            c5 = load(gradient, o + 5 * row)
            c6 = load(gradient, o + 6 * row)
            c7 = load(gradient, o + 7 * row)
            b = load(gradient, at_b + j)
            p = at_x + k
            q = at_d + j
            for _ in range(rows):
                d = load(deltas, q)
                b = add(b, d)
                c0 = multiply_add(spread(units, p), d, c0)
                c1 = multiply_add(spread(units, p + 1), d, c1)
                c2 = multiply_add(spread(units, p + 2), d, c2)
                c3 = multiply_add(spread(units, p + 3), d, c3)
                c4 = multiply_add(spread(units, p + 4), d, c4)
                c5 = multiply_add(spread(units, p + 5), d, c5)
                c6 = multiply_add(spread(units, p + 6), d, c6)
                c7 = multiply_add(spread(units, p + 7), d, c7)
                p += stride
                q += row
            store(gradient, o, c0)
            store(gradient, o + row, c1)
            store(gradient, o + 2 * row, c2)
            store(gradient, o + 3 * row, c3)
            store(gradient, o + 4 * row, c4)
            store(gradient, o + 5 * row, c5)
            store(gradient, o + 6 * row, c6)
            store(gradient, o + 7 * row, c7)
            if k == 0:
                store(gradient, at_b + j, b)
            k += 8
        while k < inner:  # four at a time: beyond the last of them there is room
            o = at_w + k * row + j
            c0 = load(gradient, o)
            c1 = load(gradient, o + row)
            c2 = load(gradient, o + 2 * row)
            c3 = load(gradient, o + 3 * row)
            b = load(gradient, at_b + j)
            p = at_x + k
            q = at_d + j
            for _ in range(rows):
                d = load(deltas, q)
                b = add(b, d)
                c0 = multiply_add(spread(units, p), d, c0)
                c1 = multiply_add(spread(units, p + 1), d, c1)
                c2 = multiply_add(spread(units, p + 2), d, c2)
                c3 = multiply_add(spread(units, p + 3), d, c3)
                p += stride
                q += row
            store(gradient, o, c0)
            store(gradient, o + row, c1)
            store(gradient, o + 2 * row, c2)
            store(gradient, o + 3 * row, c3)
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
            w = load(weights, first)
            s0 = multiply(load(units, u), w)
            s1 = multiply(load(units, u + row), w)
            s2 = multiply(load(units, u + 2 * row), w)
            s3 = multiply(load(units, u + 3 * row), w)
            for j in range(WIDTH, row, WIDTH):
                w = load(weights, first + j)
                s0 = multiply_add(load(units, u + j), w, s0)
                s1 = multiply_add(load(units, u + row + j), w, s1)
                s2 = multiply_add(load(units, u + 2 * row + j), w, s2)
                s3 = multiply_add(load(units, u + 3 * row + j), w, s3)
            o = r * outputs + c
            out[o] = total(s0) + biases[at_b + c]
            out[o + outputs] = total(s1) + biases[at_b + c]
            out[o + 2 * outputs] = total(s2) + biases[at_b + c]
            out[o + 3 * outputs] = total(s3) + biases[at_b + c]


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
                    g = multiply_add(e, load(units, q), g)
                    store(deltas, q, multiply(multiply(e, w), slope_of(units, slopes, q, rectified)))
                    q += row
            else:
                for r in range(rows):
                    e = spread(errors, r * outputs + c)
                    g = multiply_add(e, load(units, q), g)
                    slope = slope_of(units, slopes, q, rectified)
                    store(deltas, q, multiply_add(multiply(e, w), slope, load(deltas, q)))
                    q += row
            store(gradient, o, g)
    add_errors(outputs, errors, rows, gradient, at_b)


@nested
def add_errors(outputs, errors, rows, gradient, at_b):
    """The gradient of the biases of the last layer."""
    for c in range(outputs):
        total_error = gradient[at_b + c]
        for r in range(rows):
            total_error += errors[r * outputs + c]
        gradient[at_b + c] = total_error


@nested
def last_two_layers(units, at, row, slopes, rectified, weights, at_w, errors, rows, inputs, gradient, before, deltas):
    """`last_layer` with one output, and of the layer before the first eight rows of `add_outer` with its biases.

    Fused, because the two alone would store and load again values that stay in registers here. ``inputs`` is (place,
    stride) of the inputs of the layer before in the units, ``before`` the places of its weights and biases in the
    gradient.
    """
    at_x, stride = inputs
    at_first, at_b = before
    for j in range(0, row, WIDTH):
        w = load(weights, at_w + j)
        g = load(gradient, at_w + j)
        b = load(gradient, at_b + j)
        o = at_first + j
        c0 = load(gradient, o)
        c1 = load(gradient, o + row)
        c2 = load(gradient, o + 2 * row)
        c3 = load(gradient, o + 3 * row)
        c4 = load(gradient, o + 4 * row)
        c5 = load(gradient, o + 5 * row)
        c6 = load(gradient, o + 6 * row)
        c7 = load(gradient, o + 7 * row)
        p = at_x
        q = at + j
        for r in range(rows):
            e = spread(errors, r)
            g = multiply_add(e, load(units, q), g)
            d = multiply(multiply(e, w), slope_of(units, slopes, q, rectified))
            store(deltas, q, d)
            b = add(b, d)
            c0 = multiply_add(spread(units, p), d, c0)
            c1 = multiply_add(spread(units, p + 1), d, c1)
            c2 = multiply_add(spread(units, p + 2), d, c2)
            c3 = multiply_add(spread(units, p + 3), d, c3)
            c4 = multiply_add(spread(units, p + 4), d, c4)
            c5 = multiply_add(spread(units, p + 5), d, c5)
            c6 = multiply_add(spread(units, p + 6), d, c6)
            c7 = multiply_add(spread(units, p + 7), d, c7)
            p += stride
            q += row
        store(gradient, at_w + j, g)
        store(gradient, at_b + j, b)
        store(gradient, o, c0)
        store(gradient, o + row, c1)
        store(gradient, o + 2 * row, c2)
        store(gradient, o + 3 * row, c3)
        store(gradient, o + 4 * row, c4)
        store(gradient, o + 5 * row, c5)
        store(gradient, o + 6 * row, c6)
        store(gradient, o + 7 * row, c7)
