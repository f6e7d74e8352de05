"""The one entry point of networks: values, gradients, outputs, pulled-back slopes, or steps.

Everything is made of `pass_over`, one pass over a batch by one particle. All tasks share one entry point, and in it one
place that calls it. Two places would compile the pass twice, and a call that is not inlined counts references to all of
its arrays, which takes a fifth of the time of a small network.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.networks.backward import backward, forward, take_rows, workspace
from particlegvi.engine.networks.functions import block_costs
from particlegvi.engine.networks.layout import BLOCK, FAN_OUT, STRIDE, even_block, pack, transpose, unpack
from particlegvi.engine.networks.moving import add_push, move_particle, next_noise, push_outputs, push_weights
from particlegvi.engine.numerics.compiled import compiled, inlined
from particlegvi.engine.numerics.vectors import WIDTH

VALUE, GRADIENT, OUTPUTS, PULL_BACK, STEPS, MOVE, REPELLED = range(7)
TELL, PULL, GO = range(3)  # phases of a step


@inlined
def pass_over(task, layout, codes, x, data, context, rows, batch, told, place, room):
    """One pass of the particle ``x`` (dim,) over a batch of the data, block by block.

    With the task VALUE it returns the mean cost; with GRADIENT ``room`` then holds its padded gradient. OUTPUTS
    writes the outputs into ``told`` (flat) from ``place`` on, and PULL_BACK reads slopes there, whose sum with the
    gradients of the outputs becomes the padded gradient.

    ``batch`` is (whether it is of the context or of the data; where it begins; how many rows it has). ``rows`` are the
    numbers of rows of the data, or empty where the data are in their order, as the context always is.
    """
    plan, scales, _ = layout
    X, Y = data
    on_context, start, count = batch
    packed, transposed, gradient, units, slopes, deltas, outputs, targets, errors = room
    number = plan[plan.shape[0] - 1, FAN_OUT]
    pack(x, plan, scales, packed)
    transpose(packed, plan, transposed)
    for i in range(gradient.size):
        gradient[i] = 0.0
    total = 0.0
    share = 1.0 / count
    size = BLOCK if task == VALUE else even_block(count)
    for begin in range(0, count, size):
        at = start + begin
        block = min(size, count - begin)
        if on_context:
            full = take_rows(context, rows[:0], at, block, plan[0, STRIDE], units)
        else:
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
def work_part(what, layout, codes, positions, data, batches, table, result, motion, repelling, first, last):
    """One of the seven tasks for particles first, ..., last - 1 of ``positions`` (particles, dim).

    VALUE fills ``result`` (particles, 1) with the mean costs over a batch, GRADIENT ``result`` (particles, dim) with
    their gradients. OUTPUTS fills ``table`` (particles, rows, outputs). PULL_BACK fills ``result`` with the sums over
    rows and outputs of the entries of ``table`` times the gradients of the outputs. STEPS moves the particles, a step
    for each batch. MOVE moves them by one step under the force in ``result`` alone, which it overwrites, and the
    pull of a mean embedding in ``table`` (1, particles, dim) where that is switched on. REPELLED is STEPS with
    repulsion, of all particles, and needs as much room as the particles in ``result``, and in ``table`` the room for
    outputs of `particlegvi.engine.networks.moving`.

    Parameters
    ----------
    layout : tuple
        A `particlegvi.engine.networks.layout.Layout`.
    codes : int64 array (2,)
        Codes of the activation and of the cost.
    data : tuple
        X (n, inputs) and targets (n, outputs), or (n, 1) labels.
    batches : tuple
        Numbers of rows (1 or particles, any); where the batch of each pass begins and how many rows it has, (passes,).
        Without numbers the rows are the data in their order.
    motion : tuple
        For STEPS, MOVE and REPELLED: see `particlegvi.engine.networks.moving`.
    repelling : tuple
        For REPELLED: see `particlegvi.engine.networks.moving`.
    """
    plan, scales, sizes = layout
    rows, starts, counts = batches
    kernel, context, draws, embedding = repelling
    if what == MOVE:
        noise = np.zeros((3, sizes[0]))
        for particle in range(first, last):
            next_noise(motion, particle, 0, noise, -1)
            move_particle(motion, 0, positions[particle], result[particle], table[0, particle], noise)
        return
    moves = what in (STEPS, REPELLED)
    together = what == REPELLED
    said = context.shape[0] if together else 0  # rows of which outputs repel each other
    told = table.reshape(-1)
    row = told.size // max(1, positions.shape[0])  # of the numbers told, for one particle
    units, slopes, deltas, outputs, targets, errors, transposed = workspace(plan, sizes)
    packed = np.zeros(sizes[1])
    gradient = np.zeros(sizes[1])
    room = packed, transposed, gradient, units, slopes, deltas, outputs, targets, errors
    dim = sizes[0] if moves else 0
    force = np.zeros(dim)
    pull = np.zeros(dim)
    # A particle that is alone takes all its steps before the next one begins; particles that repel each other take
    # every step together. Noise is made for two steps at a time and held until the second one.
    group = last - first if together else 1
    noises = np.zeros((group, 3, dim))
    held = np.full(group, -1)
    scratch = np.zeros(told.size if said > 0 else (dim * WIDTH if together else 0))
    # Where outputs repel each other, a step has three phases: all particles tell their outputs, then all pull back the
    # forces on these, then all move. Any other task, and any other step, has the last phase alone.
    for begin in range(first, last, max(1, group)):
        for own in range(group):
            held[own] = -1
        for index in range(starts.size):
            for phase in range(TELL if said > 0 else GO, GO + 1):
                if phase == PULL:
                    push_outputs(kernel, told, group, draws, motion, scratch)
                elif together and said == 0:
                    push_weights(kernel, positions, motion, result, scratch)
                for own in range(group):
                    particle = begin + own
                    if phase == GO:
                        task = GRADIENT if moves else what
                        batch = False, starts[index], counts[index]
                    else:
                        task = OUTPUTS if phase == TELL else PULL_BACK
                        batch = True, 0, said
                    numbers = rows[min(particle, rows.shape[0] - 1)]
                    mean = pass_over(
                        task, layout, codes, positions[particle], data, context, numbers, batch, told, particle * row,
                        room,
                    )  # fmt: skip
                    if task == VALUE:
                        result[particle, 0] = mean
                    elif moves and phase == GO:
                        unpack(gradient, plan, scales, force)
                        if together:
                            add_push(embedding, positions[particle], result[particle], force, pull)
                        held[own] = next_noise(motion, particle, index, noises[own], held[own])
                        move_particle(motion, index, positions[particle], force, pull, noises[own])
                    elif task != OUTPUTS:
                        unpack(gradient, plan, scales, result[particle])
