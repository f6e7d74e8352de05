"""The forward and the backward pass of a network over a block of rows, with sums in the order of the rows.

No matrix product of a library is called, so that neither threads nor the number of particles can change a bit.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.networks.functions import RELU, activate
from particlegvi.engine.networks.layout import BIASES, FAN_IN, FAN_OUT, LARGEST, ROW, STRIDE, TILE, UNITS, WEIGHTS
from particlegvi.engine.networks.products import (
    add_errors,
    add_outer,
    dot_products,
    last_layer,
    last_two_layers,
    rows_by_weights,
    slope_of,
)
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.vectors import WIDTH, load, multiply, store


@nested
def forward(packed, plan, activation, rows, units, slopes, outputs):
    """The outputs (rows, outputs) for the inputs in ``units``, with the units and slopes of every hidden layer."""
    last = plan.shape[0] - 1
    for layer in range(last):
        row = plan[layer, ROW]
        at = plan[layer + 1, UNITS]
        rows_by_weights(
            units, plan[layer, UNITS], plan[layer, STRIDE], plan[layer, FAN_IN], packed, plan[layer, WEIGHTS],
            packed, plan[layer, BIASES], units, at, row, rows, activation == RELU,
        )  # fmt: skip
        if activation != RELU:
            activate(activation, units, slopes, at, rows * row)
    dot_products(
        units, plan[last, UNITS], plan[last, ROW], packed, plan[last, WEIGHTS], packed, plan[last, BIASES],
        plan[last, FAN_OUT], outputs, rows,
    )  # fmt: skip


@nested
def backward(packed, transposed, plan, activation, rows, units, slopes, errors, deltas, gradient):
    """gradient += the sum over the rows of errors (rows, outputs) times the gradients of the outputs."""
    last = plan.shape[0] - 1
    rectified = activation == RELU
    outputs = plan[last, FAN_OUT]
    done = 0
    # The common network, one hidden layer and one output, has a fused pass.
    if last == 1 and outputs == 1 and plan[0, FAN_IN] >= 8:
        last_two_layers(
            units, plan[1, UNITS], plan[1, ROW], slopes, rectified, packed, plan[1, WEIGHTS], errors, rows,
            (plan[0, UNITS], plan[0, STRIDE]), gradient, (plan[0, WEIGHTS], plan[0, BIASES]), deltas,
        )  # fmt: skip
        add_errors(outputs, errors, rows, gradient, plan[1, BIASES])
        done = 8
    else:
        last_layer(
            units, plan[last, UNITS], plan[last, ROW], slopes, rectified, packed, plan[last, WEIGHTS], outputs,
            errors, rows, gradient, plan[last, BIASES], deltas,
        )  # fmt: skip
    for layer in range(last - 1, -1, -1):
        row = plan[layer, ROW]
        at = plan[layer + 1, UNITS]
        before = plan[layer, UNITS]
        stride = plan[layer, STRIDE]
        add_outer(
            units, before, stride, plan[layer, FAN_IN], deltas, at, row, rows, gradient, plan[layer, WEIGHTS],
            plan[layer, BIASES], done,
        )  # fmt: skip
        if layer > 0:
            rows_by_weights(
                deltas, at, row, plan[layer, FAN_OUT], transposed[layer], 0, transposed[0], 0, deltas, before, stride,
                rows, False,
            )  # fmt: skip
            for i in range(before, before + rows * stride, WIDTH):
                store(deltas, i, multiply(load(deltas, i), slope_of(units, slopes, i, rectified)))


@nested
def take_rows(X, rows, first, count, stride, block):
    """Rows first, ..., first + count - 1 of the data, or the rows of these numbers in ``rows``, into a flat block.

    Returns their number, filled up with zeros to a multiple of TILE.
    """
    columns = X.shape[1]
    flat = X.reshape(-1)
    for r in range(count):
        source = (rows[first + r] if rows.size > 0 else first + r) * columns
        at = r * stride
        for k in range(0, columns - WIDTH + 1, WIDTH):
            store(block, at + k, load(flat, source + k))
        for k in range(columns // WIDTH * WIDTH, columns):
            block[at + k] = flat[source + k]
    full = (count + TILE - 1) // TILE * TILE
    for i in range(count * stride, full * stride):
        block[i] = 0.0
    return full


@nested
def workspace(plan, sizes):
    """Room for a block: units, slopes, deltas, outputs, targets, errors, and the transposed weights of each layer.

    Row 0 of the transposed weights stays zero, as biases of the backward pass.
    """
    outputs = plan[plan.shape[0] - 1, FAN_OUT]
    most = 0
    for layer in range(plan.shape[0]):
        if layer > 0:
            most = max(most, plan[layer, FAN_OUT] * plan[layer - 1, ROW])
        most = max(most, plan[layer, ROW])
    transposed = np.zeros((plan.shape[0], most if plan.shape[0] > 2 else 0))
    size = LARGEST * outputs
    blocks = np.zeros(sizes[2]), np.zeros(sizes[2]), np.zeros(sizes[2]), np.zeros(size), np.zeros(size), np.zeros(size)
    return *blocks, transposed
