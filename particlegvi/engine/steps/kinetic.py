"""Kinetic steps, with a velocity for every coordinate, compiled. With c^2 = 1 - noise_now^2 / kl_weight:

    v <- v - gain * drift(x),  x <- x + gain v / 2,  v <- c v + noise_now * Z_k,  x <- x + gain v / 2

`particlegvi.integrators.baoab` has the same step in Python, for losses that compiled code cannot call.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, fill_normals
from particlegvi.engine.steps.flow import add_prior, direction, fold, load_block, store_block, width_of_blocks


@nested
def half_move(x, v, gain, low, high):
    """x <- x + gain v / 2, reflected at the walls with v turned round."""
    for i in range(x.shape[0]):
        for lane in range(x.shape[1]):
            place = x[i, lane] + 0.5 * gain[i] * v[i, lane]
            if low is not None:
                v[i, lane] *= direction(place, low[i], high[i])
                place = fold(place, low[i], high[i])
            x[i, lane] = place


@compiled
def advance_kinetic(potential, switches, state, forces, stepping, key, steps, particles):
    """`particlegvi.engine.steps.flow.advance` for a ``state`` (particles, 2 dim) of places and velocities."""
    (gain, noise_now, _, low, high), (begin, end), (first, last) = stepping, steps, particles
    loss, prior, embedding, weights = potential
    kl_weight, dim = weights[0], gain.shape[1]
    width = width_of_blocks(particles, dim)
    both = np.empty((2 * dim, width))
    x = both[:dim]
    v = both[dim:]
    drift = np.empty((dim, width))
    scratch = np.empty((dim, width))
    even = np.empty((dim, width))
    odd = np.empty((dim, width))
    for start in range(first, last, width):
        load_block(state, start, both)
        for step in range(begin, end):
            row = min(step - begin, gain.shape[0] - 1)
            if step == begin or step % 2 == 0:
                fill_normals(start, even, odd, np.uint64(step // 2), NOISE_ROLE, key[0], key[1])
            now = even if step % 2 == 0 else odd
            loss.gradients(x, drift)
            add_prior(prior, embedding, weights, switches, x, drift, scratch)
            for i in range(dim):
                for lane in range(width):
                    v[i, lane] -= gain[row, i] * drift[i, lane]
            half_move(x, v, gain[row], low, high)
            for i in range(dim):
                noise = noise_now[row, i]
                kept = math.sqrt(1.0 - noise * noise / kl_weight)
                for lane in range(width):
                    v[i, lane] = kept * v[i, lane] + noise * now[i, lane]
            half_move(x, v, gain[row], low, high)
        store_block(both, start, last, state)
