"""Many steps of a repulsive flow in one dimension without leaving compiled code, by a series or a sorted scan.

With a few hundred particles a step costs about a microsecond, less than one call from Python; so the whole loop of
repulsion (`engine.pairs.fourier`), drift and move is compiled together. The noise of these steps is made
ahead, by another thread (`NoiseAhead`). For large ensembles `engine.pairs.repulsion` calls the same parts one by one,
on several threads, with the same bits.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, noise_part
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
from particlegvi.engine.pairs.fourier_tiles import (
    ANGLES,
    GROUP,
    TILE,
    add_moments,
    evaluate_tile,
    fold_lanes,
    turn_tile,
)
from particlegvi.engine.pairs.sorted_scan import scan_sorted, sort_again
from particlegvi.engine.steps.flow import EMBEDDING, KEPT, NOISE, WALLS, add_prior, fold, take_steps

NUMBERS = 2**17  # normals of a block at most: 1 MB, which passes from one processor to the other in a shared cache
BLOCK = 512  # particles in one call of a term; a call costs as much as a few dozen particles


class LineRoom(NamedTuple):
    """Memory of the steps of one ensemble; what is as long as the particles is padded to a multiple of GROUP."""

    x: Array  # (padded,): the particles; the last one fills it up
    drift: Array  # (padded,)
    force: Array  # (padded,)
    scratch: Array  # (BLOCK,)
    angles: Array  # (tiles * ANGLES,): what a tile of particles needs twice
    lane_sums: Array  # (MOST_MODES * 2 * WIDTH,), zeros between two steps
    partial: Array  # (chunks, 2, MOST_MODES): moments
    weighted: Array  # (2, MOST_MODES): the moments times the factors
    factors: Array  # (MOST_MODES,)
    pull: Array  # (MOST_MODES,)


@nested
def room_for(positions, padded):
    """The memory, with the particles of ``positions`` (particles, 1) in it."""
    number = positions.shape[0]
    x, force, lane_sums = np.empty(padded), np.empty(padded), np.empty(MOST_MODES * 2 * WIDTH)
    for i in range(padded):
        x[i] = positions[min(i, number - 1), 0]
        force[i] = 0.0
    for i in range(lane_sums.size):  # a loop, because numba's zeros cost a tenth of a second of compiling
        lane_sums[i] = 0.0
    angles = np.empty((number + TILE - 1) // TILE * ANGLES)
    partial = np.empty(((number + CHUNK - 1) // CHUNK, 2, MOST_MODES))
    weighted, factors, pull = np.empty((2, MOST_MODES)), np.empty(MOST_MODES), np.empty(MOST_MODES)
    return LineRoom(x, np.empty(padded), force, np.empty(BLOCK), angles, lane_sums, partial, weighted, factors, pull)


@inlined
def move_line(room, number, stepping, row, normals, step, switches):
    """The step of the first ``number`` particles on the line, in place; return the least and the greatest then.

    ``normals`` (steps, padded) has those of this step in row ``step``, with those of the next one behind. Where a
    particle is not a finite number, neither is the least.
    """
    gain, noise_now, noise_next, low, high = stepping
    x, drift, force = room.x, room.drift, room.force
    now, following = normals[step], normals[min(step + 1, normals.shape[0] - 1)]
    size = broadcast(gain[row, 0])
    a = broadcast(noise_now[row, 0])
    b = broadcast(noise_next[row, 0])
    padded = (number + WIDTH - 1) // WIDTH * WIDTH
    for i in range(0, padded, WIDTH):
        noise = add(multiply(a, load(now, i)), multiply(b, load(following, i)))
        slope = add(load(drift, i), load(force, i))
        store(x, i, subtract(load(x, i), subtract(multiply(size, slope), noise)))
    if switches[WALLS]:
        reflect_line(x, number, low, high)
    for i in range(number, x.size):
        x[i] = x[number - 1]
    return range_of(x, padded, force)


@inlined
def range_of(x, padded, scratch):
    """The least and the greatest of the first ``padded`` numbers; the least is not finite where one of them is not."""
    zero = broadcast(0.0)
    least = load(x, 0)
    greatest = least
    nothing = zero
    for i in range(0, padded, WIDTH):
        point = load(x, i)
        least = minimum(point, least)
        greatest = maximum(point, greatest)
        nothing = fma(point, zero, nothing)
    store(scratch, 0, least)
    store(scratch, WIDTH, greatest)
    store(scratch, 2 * WIDTH, nothing)
    left, right, rest = scratch[0], scratch[WIDTH], 0.0
    for lane in range(WIDTH):
        left = min(left, scratch[lane])
        right = max(right, scratch[WIDTH + lane])
        rest += scratch[2 * WIDTH + lane]
    return left + rest, right


@nested
def reflect_line(x, number, low, high):
    """Reflect the first ``number`` particles at the walls; without walls (None) numba compiles nothing of it."""
    if low is not None:
        for i in range(number):
            x[i] = fold(x[i], low[0], high[0])


@inlined
def sum_moments(room, number, box):
    """The moments of the particles in ``partial``, and in ``angles`` what `fill_forces` reads."""
    for start in range(0, number, TILE):
        stop = min(number, start + TILE)
        tile = start // TILE * ANGLES
        turn_tile(room.x, start, stop, box.origin, 1.0 / box.period, room.angles, tile)
        add_moments(room.angles, tile, stop - start, box.modes, room.lane_sums)
        # Chunks are added in order, as the parallel sum of many particles does: the bits are the same.
        if stop == number or stop % CHUNK == 0:
            fold_lanes(room.lane_sums, box.modes, room.partial[start // CHUNK])


@inlined
def fill_forces(room, number, box, lambda1):
    """The forces on the particles by the series."""
    sum_moments(room, number, box)
    weigh(room.partial, room.factors, room.pull, number, box.modes, room.weighted)
    for start in range(0, number, TILE):
        tile, count = start // TILE * ANGLES, min(TILE, number - start)
        evaluate_tile(room.angles, tile, count, box.modes, room.weighted, lambda1 / number, room.force, start)


@inlined
def fill_drift(loss, prior, embedding, weights, switches, room):
    """drift = grad V at the particles, in blocks of a few hundred."""
    for start in range(0, room.x.size, BLOCK):
        length = min(BLOCK, room.x.size - start)
        block, drift = as_row(room.x, start, length), as_row(room.drift, start, length)
        loss.gradients(block, drift)
        add_prior(prior, embedding, weights, switches, block, drift, as_row(room.scratch, 0, length))


@compiled
def advance_coupled(potential, switches, plan, positions, stepping, normals, steps):
    """Move all particles of ``positions`` (particles, 1) by the ``steps``, in place; return how many were done.

    Returns early, before the step, when the particles have spread so far that the series would need more than
    ``MOST_MODES`` modes: another algorithm takes that step. ``normals`` (steps, particles padded to GROUP) begins with
    the even step of the pair of ``steps[0]``; without noise it has one row. The stepping is that of
    `particlegvi.engine.steps.flow.advance`.
    """
    (loss, prior, embedding, weights), (begin, end) = potential, steps
    number = positions.shape[0]
    room = room_for(positions, normals.shape[1])
    terms = switches.copy()
    modes, attracts, done = -1, False, 0  # of the coefficients, and the steps so far
    least, greatest = extent(room.x)
    for step in range(begin, end):
        if not (math.isfinite(least) and math.isfinite(greatest)):
            break
        box = fourier_box(plan, least, greatest)
        if box.modes > MOST_MODES:
            break
        if box.modes != modes or box.attracts != attracts:  # they depend on the box alone, which seldom changes
            coefficients(plan, box, room.factors, room.pull)
            modes, attracts = box.modes, box.attracts
        fill_forces(room, number, box, weights[1])
        # The series may already contain the attraction to the prior; it must not be added twice.
        terms[EMBEDDING] = 0 if box.attracts else switches[EMBEDDING]
        fill_drift(loss, prior, embedding, weights, terms, room)
        place = step - begin // 2 * 2 if switches[NOISE] else 0
        row = min(step - begin, stepping[0].shape[0] - 1)
        least, greatest = move_line(room, number, stepping, row, normals, place, switches)
        done += 1
    for i in range(number):
        positions[i, 0] = room.x[i]
    return done


@compiled
def advance_scanned(potential, switches, slope, positions, order, kept, stepping, key, steps):
    """Move all particles of ``positions`` (particles, 1) by the ``steps`` with the repulsion of a sorted scan.

    ``order`` (particles,) sorts the particles; from one step to the next few change their places in it. ``slope`` is
    that of `scan_sorted`; ``kept``, (1, particles) or (0, 0), is the room for the normals of one more step. The
    stepping and the key are those of `particlegvi.engine.steps.flow.advance`.
    """
    number = positions.shape[0]
    x = positions.reshape(-1)
    ascending = np.empty(number)
    sums = np.empty((3, number))
    force = np.empty((number, 1))
    terms = switches.copy()
    (gain, noise_now, noise_next, low, high), (begin, end) = stepping, steps
    for step in range(begin, end):
        sort_again(x, order, ascending)
        scan_sorted(ascending, order, slope, 2.0 * potential.weights[1] / number, sums, force.reshape(-1))
        terms[KEPT] = 1 if kept.size > 0 and step % 2 == 1 and step > begin else 0
        row = min(step - begin, gain.shape[0] - 1)
        coefficients = gain[row : row + 1], noise_now[row : row + 1], noise_next[row : row + 1], low, high
        take_steps(potential, terms, positions, (force, kept), coefficients, key, (step, step + 1), (0, number))


class NoiseAhead:
    """Normals of the steps on the line, in blocks that begin at multiples of their number of steps.

    With a second thread the block after the one in use is begun as well: steps are often asked for in short groups, one
    after the other, with jumps or records between them. If the steps use no noise, the normals are zeros; with ``two``
    a step also uses the noise of the next one.
    """

    def __init__(self, key: tuple[np.uint64, np.uint64], noise: bool, two: bool):
        self.key, self.noise, self.two = key, noise, two
        # The block in use and the one after: their normals, and what waits for them where that has to be waited for.
        self._blocks: dict[tuple[int, int], tuple[np.ndarray, threads.Work | None]] = {}

    def pieces(self, particles: int, first_step: int, steps: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """(step, number of steps, normals (steps, particles padded to GROUP) from an even step, this or before, on)."""
        padded = -(-particles // GROUP) * GROUP
        if not self.noise:
            yield first_step, steps, np.zeros((1, padded))
            return
        length = max(2, NUMBERS // padded // 2 * 2)
        step, end = first_step, first_step + steps
        while step < end:
            number, begun = divmod(step, length)
            count = min(end - step, length - begun)
            yield step, count, self._block(number, length // 2, padded)[begun // 2 * 2 :]
            step += count

    def _block(self, number: int, pairs: int, padded: int) -> np.ndarray:
        """The normals (steps, padded) of a block; with a second thread the next one is begun."""
        before = self._blocks
        self._blocks = {}
        for wanted in (number, number + 1) if threads.count() > 1 else (number,):
            known = before.get((wanted, padded))
            self._blocks[wanted, padded] = known or self._begun(wanted, pairs, padded)
        normals, wait = self._blocks[number, padded]
        if wait is not None:
            wait()
            self._blocks[number, padded] = normals, None
        return normals.reshape(-1, padded)

    def _begun(self, number: int, pairs: int, padded: int) -> tuple[np.ndarray, threads.Work]:
        normals = np.empty((pairs + self.two, 2, padded))
        first = number * pairs
        return normals, threads.begin(lambda: noise_part(normals, first, NOISE_ROLE, 1, 0, len(normals), self.key))
