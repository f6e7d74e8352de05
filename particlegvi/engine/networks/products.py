"""Products of small matrices with their sums in registers: always in the order of the rows of the data."""

from __future__ import annotations

from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.vectors import WIDTH, add, load, multiply, multiply_add, spread, store, total

TILE = 4  # rows of the data at a time


@nested
def rows_by_weights(x, at_x, stride, inner, weights, at_w, biases, at_b, out, at, row, rows):
    """out (rows, row) = x (rows, inner) @ weights (inner, row) + biases (row,), all flat; rows are a multiple of TILE.
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
            store(out, o, a00)
            store(out, o + WIDTH, a01)
            store(out, o + row, a10)
            store(out, o + row + WIDTH, a11)
            store(out, o + 2 * row, a20)
            store(out, o + 2 * row + WIDTH, a21)
            store(out, o + 3 * row, a30)
            store(out, o + 3 * row + WIDTH, a31)
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
            o = at + r * row + j
            store(out, o, a00)
            store(out, o + row, a10)
            store(out, o + 2 * row, a20)
            store(out, o + 3 * row, a30)


@nested
def add_outer(units, at_x, stride, inner, deltas, at_d, row, rows, gradient, at_w, at_b):
    """gradient (inner, row) += units (rows, inner)^T @ deltas (rows, row), and at ``at_b`` the deltas' column sums."""
    for j in range(0, row, WIDTH):
        k = 0
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
        for r in range(rows):
            u = at + r * row
            w = at_w + c * row
            s = multiply(load(units, u), load(weights, w))
            for j in range(WIDTH, row, WIDTH):
                s = multiply_add(load(units, u + j), load(weights, w + j), s)
            out[r * outputs + c] = total(s) + biases[at_b + c]


@nested
def last_layer(units, at, row, slopes, weights, at_w, outputs, errors, rows, gradient, at_b, deltas):
    """The backward pass of the last layer for errors (rows, outputs).

    The gradient of its parameters is added to, and deltas = (errors @ weights) * slopes are those of its inputs.
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
                    store(deltas, q, multiply(multiply(e, w), load(slopes, q)))
                    q += row
            else:
                for r in range(rows):
                    e = spread(errors, r * outputs + c)
                    g = multiply_add(e, load(units, q), g)
                    store(deltas, q, multiply_add(multiply(e, w), load(slopes, q), load(deltas, q)))
                    q += row
            store(gradient, o, g)
    for c in range(outputs):
        total_error = gradient[at_b + c]
        for r in range(rows):
            total_error += errors[r * outputs + c]
        gradient[at_b + c] = total_error
