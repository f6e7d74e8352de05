"""Many steps of a repulsive flow in one dimension without leaving compiled code, by a series or a sorted scan.

With a few hundred particles a step costs about a microsecond, less than one call from Python; so the whole loop of
repulsion (`engine.pairs.fourier`), drift and move is compiled together. The noise of these steps is made
before, so that another thread can make it (`engine.steps.ahead`). For large ensembles
`engine.pairs.repulsion` calls the same parts one by one, on several threads, with the same bits.
"""

import math

import numpy as np

from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    as_row,
    broadcast,
    fma,
    load,
    maximum,
    minimum,
    multiply,
    store,
    subtract,
)
from particlegvi.engine.pairs.fourier import CHUNK, MOST_MODES, coefficients, extent, fourier_box, weigh
from particlegvi.engine.pairs.fourier_tiles import ANGLES, TILE, add_moments, evaluate_tile, fold_lanes, turn_tile
from particlegvi.engine.pairs.sorted_scan import scan_sorted, sort_again
from particlegvi.engine.steps.flow import EMBEDDING, KEPT, NOISE, WALLS, add_prior, fold, take_steps

BLOCK = 512  # particles in one call of a term; a call costs as much as a few dozen particles


@inlined
def move_line(x, number, drift, force, stepping, row, now, following, switches):
    """The step of the first ``number`` particles on the line, in place; return the least and the greatest then.

    The arrays are flat and as long as a multiple of GROUP; the last particle fills x up. Where a particle is not a
    finite number, neither is the least.
    """
    gain, noise_now, noise_next, low, high = stepping
    step = broadcast(gain[row, 0])
    a = broadcast(noise_now[row, 0])
    b = broadcast(noise_next[row, 0])
    padded = (number + WIDTH - 1) // WIDTH * WIDTH
    for i in range(0, padded, WIDTH):
        noise = add(multiply(a, load(now, i)), multiply(b, load(following, i)))
        slope = add(load(drift, i), load(force, i))
        store(x, i, subtract(load(x, i), subtract(multiply(step, slope), noise)))
    if switches[WALLS]:
        reflect_line(x, number, low, high)
    for i in range(number, x.size):
        x[i] = x[number - 1]
    zero = broadcast(0.0)
    least = load(x, 0)
    greatest = least
    nothing = zero
    for i in range(0, padded, WIDTH):
        point = load(x, i)
        least = minimum(point, least)
        greatest = maximum(point, greatest)
        nothing = fma(point, zero, nothing)
    store(force, 0, least)
    store(force, WIDTH, greatest)
    store(force, 2 * WIDTH, nothing)
    left, right, rest = force[0], force[WIDTH], 0.0
    for lane in range(WIDTH):
        left = min(left, force[lane])
        right = max(right, force[WIDTH + lane])
        rest += force[2 * WIDTH + lane]
    return left + rest, right


@nested
def reflect_line(x, number, low, high):
    """Reflect the first ``number`` particles at the walls; without walls (None) numba compiles nothing of it."""
    if low is not None:
        for i in range(number):
            x[i] = fold(x[i], low[0], high[0])


@inlined
def sum_moments(x, number, box, angles, lane_sums, partial):
    """The moments of the particles x in ``partial`` (chunks, 2, modes), and in ``angles`` what `add_forces` reads."""
    for start in range(0, number, TILE):
        stop = min(number, start + TILE)
        tile = start // TILE * ANGLES
        turn_tile(x, start, stop, box.origin, 1.0 / box.period, angles, tile)
        add_moments(angles, tile, stop - start, box.modes, lane_sums)
        # Chunks are added in order, as the parallel sum of many particles does: the bits are the same.
        if stop == number or stop % CHUNK == 0:
            fold_lanes(lane_sums, box.modes, partial[start // CHUNK])


@inlined
def fill_forces(number, modes, angles, weighted, lambda1, force):
    """The forces on the particles by the series."""
    for start in range(0, number, TILE):
        count = min(TILE, number - start)
        evaluate_tile(angles, start // TILE * ANGLES, count, modes, weighted, lambda1 / number, force, start)


@inlined
def fill_drift(loss, prior, embedding, weights, switches, x, drift, scratch):
    """drift = grad V at the particles x, in blocks of a few hundred."""
    for start in range(0, x.size, BLOCK):
        length = min(BLOCK, x.size - start)
        block = as_row(x, start, length)
        slope = as_row(drift, start, length)
        loss.gradients(block, slope)
        add_prior(prior, embedding, weights, switches, block, slope, as_row(scratch, 0, length))


@compiled
def advance_coupled(loss, prior, embedding, weights, switches, plan, positions, stepping, normals, first_step, steps):
    """Move all particles of ``positions`` (particles, 1) by up to ``steps`` steps, in place; return the steps done.

    Returns early, before the step, when the particles have spread so far that the series would need more than
    ``MOST_MODES`` modes: another algorithm takes that step. ``normals`` (steps, particles padded to GROUP) begins with
    the even step of the pair of ``first_step``.
    """
    number = positions.shape[0]
    padded = normals.shape[1]
    x = np.empty(padded)
    drift = np.empty(padded)
    force = np.empty(padded)
    scratch = np.empty(BLOCK)
    angles = np.empty((number + TILE - 1) // TILE * ANGLES)
    lane_sums = np.empty(MOST_MODES * 2 * WIDTH)
    partial = np.empty(((number + CHUNK - 1) // CHUNK, 2, MOST_MODES))
    weighted = np.empty((2, MOST_MODES))
    factors = np.empty(MOST_MODES)
    pull = np.empty(MOST_MODES)
    terms = switches.copy()
    modes_known, attracts_known, done = -1, False, 0
    # The last particle fills the padding, so that whole vectors need no mask and the range does not grow.
    for i in range(padded):
        x[i] = positions[min(i, number - 1), 0]
        force[i] = 0.0
    for i in range(lane_sums.size):  # a loop, because numba's zeros cost a tenth of a second of compiling
        lane_sums[i] = 0.0
    least, greatest = extent(x)
    for step in range(first_step, first_step + steps):
        if not (math.isfinite(least) and math.isfinite(greatest)):
            break
        box = fourier_box(plan, least, greatest)
        if box.modes > MOST_MODES:
            break
        # The coefficients depend on the box alone, which seldom changes.
        if box.modes != modes_known or box.attracts != attracts_known:
            coefficients(plan, box, factors, pull)
            modes_known, attracts_known = box.modes, box.attracts
        sum_moments(x, number, box, angles, lane_sums, partial)
        weigh(partial, factors, pull, number, box.modes, weighted)
        fill_forces(number, box.modes, angles, weighted, weights[1], force)
        # The series may already contain the attraction to the prior; it must not be added twice.
        terms[EMBEDDING] = 0 if box.attracts else switches[EMBEDDING]
        fill_drift(loss, prior, embedding, weights, terms, x, drift, scratch)
        place = step - first_step // 2 * 2 if switches[NOISE] else 0
        following = normals[min(place + 1, normals.shape[0] - 1)]
        row = min(step - first_step, stepping[0].shape[0] - 1)
        least, greatest = move_line(x, number, drift, force, stepping, row, normals[place], following, switches)
        done += 1
    for i in range(number):
        positions[i, 0] = x[i]
    return done


@compiled
def advance_scanned(
    loss, prior, embedding, weights, switches, slope, positions, order, kept, stepping, seed, first_step, steps
):
    """Move all particles of ``positions`` (particles, 1) by ``steps`` steps with the repulsion of a sorted scan.

    ``order`` sorts the particles; from one step to the next few change their places in it. ``slope`` is that of
    `scan_sorted`; ``kept`` is the room of `take_steps` for the normals of one more step.
    """
    number = positions.shape[0]
    x = positions.reshape(-1)
    ascending = np.empty(number)
    room = np.empty((3, number))
    force = np.empty((number, 1))
    terms = switches.copy()
    for step in range(first_step, first_step + steps):
        sort_again(x, order, ascending)
        scan_sorted(ascending, order, slope, 2.0 * weights[1] / number, room, force.reshape(-1))
        terms[KEPT] = 1 if kept.size > 0 and step % 2 == 1 and step > first_step else 0
        take_steps(
            loss, prior, embedding, weights, terms, positions, (force, kept), stepping, first_step, seed, step, 1, 0,
            number,
        )  # fmt: skip
