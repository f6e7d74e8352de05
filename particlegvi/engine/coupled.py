"""Many steps of a repulsive flow in one dimension without leaving compiled code.

With a few hundred particles a step costs a few microseconds, as much as one call from Python; so the whole loop of
repulsion (:mod:`particlegvi.engine.fourier`), drift, noise and move is compiled together. For large ensembles
:mod:`particlegvi.engine.repulsion` calls the same parts one by one, on several threads, with the same bits.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.compiled import compiled, nested
from particlegvi.engine.flow import LANES, NOISE, TWO_NOISES, WALLS, add_potential, copy_rows, fold
from particlegvi.engine.fourier import (
    ANGLES,
    CHUNK,
    MOST_MODES,
    STATE,
    TILE,
    add_moments,
    coefficients,
    evaluate_tile,
    extent,
    fold_lanes,
    fourier_box,
    turn_tile,
    weigh,
)
from particlegvi.engine.noise import fill_normals
from particlegvi.engine.vectors import WIDTH

BLOCK = 512  # particles a call of a term: a call costs as much as a few dozen particles


@nested
def move_flat(x, drift, force, stepping, row, now, following, switches):
    """The step of all particles on the line, in place: flat arrays, so that it vectorises."""
    gain, noise_now, noise_next, low, high = stepping
    step = gain[row, 0]
    a = noise_now[row, 0]
    b = noise_next[row, 0]
    for i in range(x.size):
        drift[i] = drift[i] + force[i]
    for i in range(x.size):
        drift[i] = step * drift[i] - (a * now[i] + b * following[i])
    for i in range(x.size):
        x[i] -= drift[i]
    if switches[WALLS]:
        for i in range(x.size):
            x[i] = fold(x[i], low[0], high[0])


@compiled
def advance_coupled(
    loss, prior, embedding, weights, switches, plan, positions, stepping, seed, first_step, steps, noises, held
):
    """Move all particles of ``positions`` (particles, 1) by up to ``steps`` steps, in place; return the steps done.

    Returns early, before the step, when the particles have spread so far that the series would need more than
    ``MOST_MODES`` modes: another algorithm takes that step. ``noises`` is (3, particles padded to LANES) and ``held``
    (1,) the pair of steps that its rows 0 and 1 hold, or -1; both persist between calls.
    """
    k0, k1 = seed
    number = positions.shape[0]
    padded = noises.shape[1]
    x = np.empty(padded)
    drift = np.empty(padded)
    force = np.zeros(padded)
    scratch = np.empty(BLOCK)
    chunks = (number + CHUNK - 1) // CHUNK
    state = np.empty(STATE)
    angles = np.empty((number + TILE - 1) // TILE * ANGLES)
    lane_sums = np.zeros(MOST_MODES * 2 * WIDTH)
    partial = np.empty((chunks, 2, MOST_MODES))
    weighted = np.empty((2, MOST_MODES))
    factors = np.empty(MOST_MODES)
    role = np.uint64(0)
    known_period = -1.0
    known_modes = -1
    done = 0
    for i in range(padded):
        x[i] = positions[min(i, number - 1), 0]
    for step in range(first_step, first_step + steps):
        least, greatest = extent(x[:number])
        if not (math.isfinite(least) and math.isfinite(greatest)):
            break
        period, modes = fourier_box(plan, least, greatest)
        if modes > MOST_MODES:
            break
        if period != known_period or modes != known_modes:
            coefficients(plan, period, modes, factors)
            known_period = period
            known_modes = modes
        for start in range(0, number, TILE):
            stop = min(number, start + TILE)
            tile = start // TILE * ANGLES
            turn_tile(x, start, stop, least, 1.0 / period, angles, tile)
            add_moments(angles, tile, stop - start, modes, state, lane_sums)
            if stop == number or stop % CHUNK == 0:
                fold_lanes(lane_sums, modes, partial[start // CHUNK])
        weigh(partial, factors, modes, weighted)
        for start in range(0, number, TILE):
            count = min(TILE, number - start)
            tile = start // TILE * ANGLES
            evaluate_tile(angles, tile, count, modes, weighted, weights[1] / number, state, force, start)

        is_odd = step % 2 == 1
        ahead = 1 if switches[TWO_NOISES] and is_odd else 0
        if switches[NOISE]:
            # with two noises an odd step begins with the pair it shares with the step before, and goes on to the next
            pair = step // 2
            while held[0] != pair + ahead:
                held[0] = pair + ahead if held[0] == pair else pair
                if switches[TWO_NOISES]:
                    copy_rows(noises[1:2], noises[2:3])
                for start in range(0, padded, LANES):
                    even = noises[0, start : start + LANES].reshape(1, LANES)
                    odd = noises[1, start : start + LANES].reshape(1, LANES)
                    fill_normals(start, even, odd, np.uint64(held[0]), role, k0, k1)
        for start in range(0, padded, BLOCK):
            end = min(start + BLOCK, padded)
            block = x[start:end].reshape(1, end - start)
            drift_block = drift[start:end].reshape(1, end - start)
            spare = scratch[: end - start].reshape(1, end - start)
            add_potential(loss, prior, embedding, weights, switches, block, drift_block, spare)
        now = noises[(2 if ahead else 1) if is_odd else 0]
        row = min(step - first_step, stepping[0].shape[0] - 1)
        move_flat(x, drift, force, stepping, row, now, noises[0 if is_odd else 1], switches)
        for i in range(number, padded):
            x[i] = x[number - 1]
        done += 1
    for i in range(number):
        positions[i, 0] = x[i]
    return done
