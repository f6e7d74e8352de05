"""The passes of a network over a block of rows, and the entry points of networks: tasks on all particles, and steps.

Sums are in the order of the rows. No matrix product of a library is called, so that neither threads nor the number of
particles can change a bit.

Everything is made of `pass_over`, one pass over a batch by one particle. An entry point has one place that calls it:
two places would compile the pass twice, and a call that is not inlined counts references to all of its arrays, which
takes a fifth of the time of a small network.
"""

import numpy as np

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


@inlined
def pass_over(task, layout, codes, x, data, rows, batch, told, place, room):
    """One pass of the particle ``x`` (dim,) over a batch of the data, block by block.

    With the task VALUE it returns the mean cost; with GRADIENT ``room`` then holds its padded gradient. OUTPUTS
    writes the outputs into ``told`` (flat) from ``place`` on, and PULL_BACK reads slopes there, whose sum with the
    gradients of the outputs becomes the padded gradient.

    ``batch`` is (where it begins; how many rows it has). ``rows`` are the numbers of rows of the data, or empty where
    the data are in their order.
    """
    plan, scales, _ = layout
    X, Y = data
    start, count = batch
    packed, transposed, gradient, units, slopes, deltas, outputs, targets, errors = room
    number = plan[plan.shape[0] - 1, FAN_OUT]
    carry(x, packed, plan, scales, True)
    transpose(packed, plan, transposed)
    for i in range(gradient.size):
        gradient[i] = 0.0
    total = 0.0
    share = 1.0 / count
    size = BLOCK if task == VALUE else even_block(count)
    for begin in range(0, count, size):
        at = start + begin
        block = min(size, count - begin)
        full = take_rows(X, rows, at, block, plan[0, STRIDE], units)
        forward(packed, plan, codes[0], full, units, slopes, outputs)
        beginning = place + at * number
        if task == OUTPUTS:
            for i in range(block * number):
                told[beginning + i] = outputs[i]
        elif task == PULL_BACK:
            for i in range(block * number):
                errors[i] = told[beginning + i]
        else:
            take_rows(Y, rows, at, block, Y.shape[1], targets)
            total += block_costs(codes[1], outputs, targets, block, number, share, errors)
        if task in (GRADIENT, PULL_BACK):
            for i in range(block * number, full * number):
                errors[i] = 0.0
            backward(packed, transposed, plan, codes[0], full, units, slopes, errors, deltas, gradient)
    return total * share


@compiled
def task_part(task, layout, codes, positions, data, batch, told, result, first, last):
    """One of the four tasks of `pass_over` for particles first, ..., last - 1 of ``positions`` (particles, dim).

    VALUE fills ``result`` (particles, 1) with the mean costs over a batch, GRADIENT ``result`` (particles, dim) with
    their gradients. OUTPUTS fills ``told`` (particles, rows, outputs). PULL_BACK fills ``result`` with the sums over
    rows and outputs of the entries of ``told`` times the gradients of the outputs.

    The codes are those of the activation and of the cost; the data are X (n, inputs) and targets (n, outputs), or
    (n, 1) labels. The batch is (numbers of rows (1 or particles, any), where it begins, how many rows it has), the last
    two (1,); without numbers the rows are the data in their order.
    """
    plan, scales, sizes = layout
    rows, starts, counts = batch
    flat = told.reshape(-1)
    row = flat.size // max(1, positions.shape[0])  # of the numbers told, for one particle
    room = workspace(plan, sizes)
    for particle in range(first, last):
        numbers = rows[min(particle, rows.shape[0] - 1)]
        mean = pass_over(
            task, layout, codes, positions[particle], data, numbers, (starts[0], counts[0]), flat, particle * row, room
        )  # fmt: skip
        if task == VALUE:
            result[particle, 0] = mean
        elif task != OUTPUTS:
            carry(room[2], result[particle], plan, scales, False)


@compiled
def steps_part(layout, codes, positions, data, batches, motion, first, last):
    """Move particles first, ..., last - 1 of ``positions`` (particles, dim), a step for each batch.

    A particle takes all its steps before the next one begins. `particlegvi.engine.networks.moving` explains ``motion``.
    The layout, the codes and the data are those of `task_part`, and the batches, too, where starts and counts are
    (steps,).
    """
    plan, scales, sizes = layout
    rows, starts, counts = batches
    room = workspace(plan, sizes)
    force = np.zeros(sizes[0])
    noise = np.zeros((3, sizes[0]))
    untold = np.zeros(0)
    for particle in range(first, last):
        held = -1  # the pair of steps whose noise is there
        numbers = rows[min(particle, rows.shape[0] - 1)]
        for index in range(starts.size):
            batch = starts[index], counts[index]
            pass_over(GRADIENT, layout, codes, positions[particle], data, numbers, batch, untold, 0, room)
            carry(room[2], force, plan, scales, False)
            held = next_noise(motion, particle, index, noise, held)
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


@nested
def backward(packed, transposed, plan, activation, rows, units, slopes, errors, deltas, gradient):
    """gradient += the sum over the rows of errors (rows, outputs) times the gradients of the outputs."""
    last = plan.shape[0] - 1
    rectified = activation == RELU
    outputs = plan[last, FAN_OUT]
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
            plan[layer, BIASES],
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
    """Room of a pass: packed and transposed weights, gradient, units, slopes, deltas, outputs, targets and errors.

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
    return np.zeros(sizes[1]), transposed, np.zeros(sizes[1]), *blocks
