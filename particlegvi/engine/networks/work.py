"""The one entry point of networks: values, gradients, outputs, pulled-back slopes, or steps, particle by particle.

They share one compiled loop over blocks of rows, because compiling that twice takes twice as long.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.networks.backward import backward, forward, take_rows, workspace
from particlegvi.engine.networks.costs import block_costs
from particlegvi.engine.networks.layout import BLOCK, FAN_OUT, STRIDE, even_block, pack, transpose, unpack
from particlegvi.engine.networks.moving import move_particle, next_noise
from particlegvi.engine.numerics.compiled import compiled

VALUE, GRADIENT, OUTPUTS, PULL_BACK, STEPS, MOVE = range(6)


@compiled
def work_part(what, layout, codes, positions, data, batches, table, result, motion, first, last):
    """One of the six for particles first, ..., last - 1 of ``positions`` (particles, dim).

    VALUE fills ``result`` (particles, 1) with the mean costs over a batch, GRADIENT ``result`` (particles, dim) with
    their gradients. OUTPUTS fills ``table`` (particles, rows, outputs). PULL_BACK fills ``result`` with the sums over
    rows and outputs of the entries of ``table`` times the gradients of the outputs. STEPS moves the particles, a step
    for each batch. MOVE moves them by one step under the force in ``result`` alone, which it overwrites, and the
    pull of a mean embedding in ``table`` (1, particles, dim) where that is switched on.

    Parameters
    ----------
    layout : tuple
        A `particlegvi.engine.networks.layout.Layout`.
    codes : int64 array (2,)
        Of the activation and of the cost.
    data : tuple
        X (n, inputs) and targets (n, outputs), or (n, 1) labels.
    batches : tuple
        Numbers of rows (1 or particles, any); where the batch of each pass begins and how many rows it has, (passes,).
        Without numbers the rows are the data in their order.
    motion : tuple
        For STEPS: see `particlegvi.engine.networks.moving`.
    """
    plan, scales, sizes = layout
    X, Y = data
    rows, starts, counts = batches
    number = plan[plan.shape[0] - 1, FAN_OUT]
    units, slopes, deltas, outputs, targets, errors, transposed = workspace(plan, sizes)
    packed = np.zeros(sizes[1])
    gradient = np.zeros(sizes[1])
    dim = sizes[0] if what >= STEPS else 0
    slope = np.zeros(dim)
    noise = np.zeros((3, dim))
    back = what in (GRADIENT, PULL_BACK, STEPS)
    for particle in range(first, last):
        chosen = rows[min(particle, rows.shape[0] - 1)]
        held = -1
        for index in range(starts.size):
            if what == MOVE:
                held = next_noise(motion, particle, index, noise, held)
                move_particle(motion, index, positions[particle], result[particle], table[0, particle], noise)
                continue
            pack(positions[particle], plan, scales, packed)
            transpose(packed, plan, transposed)
            for i in range(gradient.size):
                gradient[i] = 0.0
            total = 0.0
            count = counts[index]
            share = 1.0 / count
            size = BLOCK if what == VALUE else even_block(count)
            for begin in range(0, count, size):
                at = starts[index] + begin
                block = min(size, count - begin)
                full = take_rows(X, chosen, at, block, plan[0, STRIDE], units)
                forward(packed, plan, codes[0], full, units, slopes, outputs)
                if what == OUTPUTS:
                    for r in range(block):
                        for c in range(number):
                            table[particle, at + r, c] = outputs[r * number + c]
                elif what == PULL_BACK:
                    for r in range(block):
                        for c in range(number):
                            errors[r * number + c] = table[particle, at + r, c]
                else:
                    take_rows(Y, chosen, at, block, Y.shape[1], targets)
                    total += block_costs(codes[1], outputs, targets, block, number, share, errors)
                if back:
                    for i in range(block * number, full * number):
                        errors[i] = 0.0
                    backward(packed, transposed, plan, codes[0], full, units, slopes, errors, deltas, gradient)
            if what == VALUE:
                result[particle, 0] = total * share
            elif what == STEPS:
                unpack(gradient, plan, scales, slope)
                held = next_noise(motion, particle, index, noise, held)
                move_particle(motion, index, positions[particle], slope, slope, noise)
            elif back:
                unpack(gradient, plan, scales, result[particle])
