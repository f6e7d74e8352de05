"""The passes of a network over a block of rows, and the entry points of networks: tasks on all particles, and steps.

Sums are in the order of the rows. No matrix product of a library is called, so that neither threads nor the number of
particles can change a bit.

Everything is made of `pass_over`, one pass over a batch by one particle. An entry point has one place that calls it:
two places would compile the pass twice, and a call that is not inlined counts references to all of its arrays, which
takes a fifth of the time of a small network.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.networks.functions import RELU, activate, block_costs
from particlegvi.engine.networks.layout import (
    BIASES,
    BLOCK,
    FAN_IN,
    FAN_OUT,
    LARGEST,
    ROW,
    STRIDE,
    TILE,
    UNITS,
    WEIGHTS,
    carry,
    even_block,
    transpose,
)
from particlegvi.engine.networks.moving import move_particle, next_noise
from particlegvi.engine.networks.products import (
    add_outer,
    dot_products,
    last_layer,
    rows_by_weights,
    slope_of,
)
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.vectors import WIDTH, load, multiply, store

VALUE, GRADIENT, OUTPUTS, PULL_BACK = range(4)  # tasks of a pass


class PassRoom(NamedTuple):
    """Memory of a pass over blocks of rows; all arrays are flat, except the transposed weights."""

    packed: Array  # the parameters in padded form
    transposed: Array  # (layers, numbers): weights between hidden layers; row 0 stays zero, biases of the backward pass
    padded_gradient: Array  # of the cost, as packed as the parameters
    units: Array  # the inputs and the units of every hidden layer
    slopes: Array  # of the units
    deltas: Array  # slopes of the cost in the units
    outputs: Array
    targets: Array
    errors: Array  # slopes of the cost in the outputs


@inlined
def pass_over(task, layout, codes, x, data, batch, outer, room):
    """One pass of the particle ``x`` (dim,) over a batch of the data, block by block; it returns the mean cost.

    With GRADIENT and PULL_BACK ``room.padded_gradient`` then holds the padded gradient. OUTPUTS writes the outputs into
    ``outer`` (rows * outputs,), and PULL_BACK reads slopes there, whose sum with the gradients of the outputs becomes
    the padded gradient.

    ``batch`` is (the numbers of rows of the data, or none where these are in their order; where it begins; how many
    rows it has).
    """
    plan, scales, _ = layout
    rows, begin, count = batch
    number = plan[plan.shape[0] - 1, FAN_OUT]
    carry(x, room.packed, plan, scales, True)
    transpose(room.packed, plan, room.transposed)
    for i in range(room.padded_gradient.size):
        room.padded_gradient[i] = 0.0
    total, share = 0.0, 1.0 / count
    size = BLOCK if task == VALUE else even_block(count)
    for at in range(begin, begin + count, size):
        block = min(size, begin + count - at)
        full = take_rows(data[0], rows, at, block, plan[0, STRIDE], room.units)
        forward(room.packed, plan, codes[0], full, room.units, room.slopes, room.outputs)
        if task in (VALUE, GRADIENT):
            take_rows(data[1], rows, at, block, data[1].shape[1], room.targets)
            total += block_costs(codes[1], room.outputs, room.targets, block, number, share, room.errors)
        else:
            exchange(task, room.outputs, outer[at * number : (at + block) * number], room.errors)
        if task in (GRADIENT, PULL_BACK):
            for i in range(block * number, full * number):
                room.errors[i] = 0.0
            backward(plan, codes[0], full, room)
    return total * share


@inlined
def exchange(task, outputs, outer, errors):
    """outer = the outputs of a block; or with PULL_BACK the slopes there become the errors."""
    if task == OUTPUTS:
        for i in range(outer.size):
            outer[i] = outputs[i]
    else:
        for i in range(outer.size):
            errors[i] = outer[i]


@compiled
def task_part(task, layout, codes, positions, data, batch, outer, result, first, last):
    """One of the four tasks of `pass_over` for particles first, ..., last - 1 of ``positions`` (particles, dim).

    VALUE fills ``result`` (particles, 1) with the mean costs over a batch, GRADIENT ``result`` (particles, dim) with
    their gradients. OUTPUTS fills ``outer`` (particles, rows, outputs). PULL_BACK fills ``result`` with the sums over
    rows and outputs of the entries of ``outer`` times the gradients of the outputs.

    The codes are those of the activation and of the cost; the data are X (n, inputs) and targets (n, outputs), or
    (n, 1) labels. The batch is (numbers of rows (1 or particles, any), where it begins, how many rows it has), the last
    two (1,); without numbers the rows are the data in their order.
    """
    plan, scales, sizes = layout
    rows, starts, counts = batch
    flat = outer.reshape((outer.shape[0], outer.shape[1] * outer.shape[2]))
    room = room_for(plan, sizes)
    for particle in range(first, last):
        own = rows[min(particle, rows.shape[0] - 1)], starts[0], counts[0]
        mean = pass_over(
            task, layout, codes, positions[particle], data, own, flat[min(particle, flat.shape[0] - 1)], room
        )
        if task == VALUE:
            result[particle, 0] = mean
        elif task != OUTPUTS:
            carry(room.padded_gradient, result[particle], plan, scales, False)


@compiled
def steps_part(layout, codes, positions, data, batches, motion, first, last):
    """Move particles first, ..., last - 1 of ``positions`` (particles, dim), a step for each batch.

    A particle takes all its steps before the next one begins. `particlegvi.engine.networks.moving` explains ``motion``.
    The layout, the codes and the data are those of `task_part`, and the batches, too, where starts and counts are
    (steps,).
    """
    plan, scales, sizes = layout
    rows, starts, counts = batches
    room = room_for(plan, sizes)
    force = np.zeros(sizes[0])
    noise = np.zeros((3, sizes[0]))
    outer = np.zeros(0)
    for particle in range(first, last):
        drawn = -1  # the pair of steps whose noise is ready
        numbers = rows[min(particle, rows.shape[0] - 1)]
        for index in range(starts.size):
            batch = numbers, starts[index], counts[index]
            pass_over(GRADIENT, layout, codes, positions[particle], data, batch, outer, room)
            carry(room.padded_gradient, force, plan, scales, False)
            drawn = next_noise(motion, particle, index, noise, drawn)
            move_particle(motion, index, positions[particle], force, noise)


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


@inlined
def backward(plan, activation, rows, room):
    """Add the sum over the rows of the errors (rows, outputs) times the gradients of the outputs to the gradient."""
    last = plan.shape[0] - 1
    rectified = activation == RELU
    units, slopes, deltas, gradient = room.units, room.slopes, room.deltas, room.padded_gradient
    last_layer(
        units, plan[last, UNITS], plan[last, ROW], slopes, rectified, room.packed, plan[last, WEIGHTS],
        plan[last, FAN_OUT], room.errors, rows, gradient, plan[last, BIASES], deltas,
    )  # fmt: skip
    for layer in range(last - 1, -1, -1):
        row = plan[layer, ROW]
        at = plan[layer + 1, UNITS]
        before = plan[layer, UNITS]
        stride = plan[layer, STRIDE]
        add_outer(
            units, before, stride, plan[layer, FAN_IN], deltas, at, row, rows, gradient, plan[layer, WEIGHTS],
            plan[layer, BIASES],
        )  # fmt: skip
        if layer > 0:
            rows_by_weights(
                deltas, at, row, plan[layer, FAN_OUT], room.transposed[layer], 0, room.transposed[0], 0, deltas, before,
                stride, rows, False,
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
def room_for(plan, sizes):
    """The memory of passes of a network with this plan and these sizes."""
    outputs = plan[plan.shape[0] - 1, FAN_OUT]
    most = 0
    for layer in range(plan.shape[0]):
        if layer > 0:
            most = max(most, plan[layer, FAN_OUT] * plan[layer - 1, ROW])
        most = max(most, plan[layer, ROW])
    transposed = np.zeros((plan.shape[0], most if plan.shape[0] > 2 else 0))
    padded, units, size = sizes[1], sizes[2], LARGEST * outputs
    blocks = np.zeros(units), np.zeros(units), np.zeros(units), np.zeros(size), np.zeros(size), np.zeros(size)
    return PassRoom(np.zeros(padded), transposed, np.zeros(padded), *blocks)
