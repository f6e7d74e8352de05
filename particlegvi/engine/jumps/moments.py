"""Acceptance of jumps on the line from the moments of a Fourier series, for the squared exponential.

    kappa(r) ~ a_0 + sum_{m=1}^{M} a_m cos(w_m r),   w_m = 2 pi m / P,   a_m = 2 a_0 exp(-s^2 w_m^2 / 2),
    a_0 = variance s sqrt(2 pi) / P.

A particle that goes replaces one term of the moments sum_j cos(w_m x_j) and sum_j sin(w_m x_j), so that the change D of
the pair energy (see `particlegvi.engine.jumps.proposals`) costs one term for each mode. Images are at least ``reach``
lengthscales away and add at most 2.01 exp(-reach^2/2); the modes left out add at most exp(-band^2/2), band = s w_M:
both in units of the variance, for one value of kappa. M is a multiple of 8, and P the longest that it allows.

No D is below -(N - 1) variance. Proposals whose margin is too small even for that are turned down at once, and the
series need not cover them.

Decisions are made one after the other, but D is computed for a block of particles at once, as if none of the block
went. A particle k that goes changes D of particle n by an inner product in the space of the kernel, at most d_k + d_n
with d = variance - kappa(new - old). Where that could change a decision, D is corrected by those that went.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.jumps.line import MARGIN, NEW, OLD, span
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.mathematics import exp
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    broadcast,
    fma,
    load,
    loads,
    maximum,
    minimum,
    multiply,
    multiply_subtract,
    spread,
    store,
    subtract,
    total,
    totals,
    where_above_zero,
)
from particlegvi.engine.pairs.series import ANGLES, TILE, add_moments, fold_lanes, turn_tile, twice_cos_and_sin

LANES = 64
UNCLEAR = 0.25  # the most by which the particles of a block that go may change a margin
MOST_MODES = 1000  # rounding grows like the square of the number of modes; up to here it stays below 1e-10
MODES, ORIGIN, PERIOD, LOW, HIGH = range(5)  # of a box; 0 modes are no box
BOX = 5
COSINES, SINES, HEIGHTS = range(3)  # rows of the sums: the moments times the heights, and the heights a_m
SUMS = (3, MOST_MODES + WIDTH)


def series_cutoffs(tolerance: float) -> tuple[float, float]:
    """Reach and band whose errors together are at most ``tolerance`` times the variance for one value of kappa."""
    return math.sqrt(2.0 * math.log(4.02 / tolerance)), math.sqrt(2.0 * math.log(2.0 / tolerance))


@inlined
def _turn(places, lanes, box, angles):
    """2 cos and sin of the angles 2 pi (x - origin) / period of two rows of places, two rows of each: ``angles``."""
    origin, scale = broadcast(box[ORIGIN]), broadcast(0.5 / box[PERIOD])
    for row in (0, LANES):
        for lane in range(row, row + lanes, WIDTH):
            twice, sine = twice_cos_and_sin(multiply(subtract(load(places, lane), origin), scale))
            store(angles, lane, twice)
            store(angles, 2 * LANES + lane, sine)


@inlined
def _gains(angles, lanes, modes, even, odd, gains, change):
    """Fill ``gains`` with the change of every mode's cosines and sines by each of ``lanes`` particles, a row each.

    Fill ``change`` with its product with the moments.

    ``angles`` has the angles of the old and of the new places (`_turn`).
    """
    half, zero, one = broadcast(0.5), broadcast(0.0), broadcast(1.0)
    for lane in range(0, lanes, WIDTH):
        # pairs of the old and the new place
        t, s = loads(angles, lane, LANES, 2), loads(angles, 2 * LANES + lane, LANES, 2)
        c, c2, s2 = multiply(half, t), (one, one), (zero, zero)
        of_even, of_odd = zero, zero
        for m in range(0, modes, 2):
            row = 2 * m * LANES + lane
            dc, ds = subtract(c[1], c[0]), subtract(s[1], s[0])
            store(gains, row, dc)
            store(gains, row + LANES, ds)
            of_even, of_odd = fma(spread(even, m), dc, of_even), fma(spread(odd, m), ds, of_odd)
            c2, s2 = multiply_subtract(t, c, c2), multiply_subtract(t, s, s2)
            dc, ds = subtract(c2[1], c2[0]), subtract(s2[1], s2[0])
            store(gains, row + 2 * LANES, dc)
            store(gains, row + 3 * LANES, ds)
            of_even, of_odd = fma(spread(even, m + 1), dc, of_even), fma(spread(odd, m + 1), ds, of_odd)
            c, s = multiply_subtract(t, c2, c), multiply_subtract(t, s2, s)
        store(change, lane, add(of_even, of_odd))


@inlined
def _of_those_before(lane, modes, heights, gains, goes):
    """The change of the energy of the particle at ``lane`` by the particles before it that go."""
    found = broadcast(0.0)
    for m in range(2 * modes):
        row = m * LANES
        before = broadcast(0.0)
        for other in range(0, lane, WIDTH):
            before = fma(load(goes, other), load(gains, row + other), before)
        found = fma(broadcast(heights[m // 2] * gains[row + lane]), before, found)
    return total(found)


@inlined
def _sums(gains, row, lanes, goes):
    """The sums of eight modes over the particles that go, every second row from ``row`` on."""
    zero = broadcast(0.0)
    found = zero, zero, zero, zero, zero, zero, zero, zero
    for lane in range(0, lanes, WIDTH):
        found = fma(load(goes, lane), loads(gains, row + lane, 2 * LANES, WIDTH), found)
    return totals(found)


@inlined
def _add_gains(lanes, modes, gains, goes, heights, even, odd):
    """Change the moments by the gains of the particles that go."""
    for m in range(0, modes, WIDTH):
        height, row = load(heights, m), 2 * m * LANES
        store(even, m, fma(height, _sums(gains, row, lanes, goes), load(even, m)))
        store(odd, m, fma(height, _sums(gains, row + LANES, lanes, goes), load(odd, m)))


@nested
def _cover(scale, variance, cutoffs, x, low, high, box, sums):
    """Let the series cover [low, high] and all particles; returns whether it can. It may do so already."""
    if box[MODES] > 0.0 and low >= box[LOW] and high <= box[HIGH]:
        return True
    for i in range(x.size):
        low = min(low, x[i])
        high = max(high, x[i])
    reach, band = cutoffs
    width = high - low + reach * scale
    modes = WIDTH * np.ceil(band * width / (2.0 * math.pi * scale * WIDTH))
    if not modes <= min(MOST_MODES, 4 * x.size + 32):
        return False
    box[MODES], box[ORIGIN] = modes, 0.5 * (low + high)
    box[PERIOD] = 2.0 * math.pi * scale * modes / band
    half = 0.5 * (box[PERIOD] - reach * scale)
    box[LOW], box[HIGH] = min(low, box[ORIGIN] - half), max(high, box[ORIGIN] + half)
    number = np.int64(modes)
    angles, lane_sums = np.empty(ANGLES), np.zeros(number * 2 * WIDTH)
    for start in range(0, x.size, TILE):
        stop = min(x.size, start + TILE)
        turn_tile(x, start, stop, box[ORIGIN], 1.0 / box[PERIOD], angles, 0)
        add_moments(angles, 0, stop - start, number, lane_sums)
    fold_lanes(lane_sums, number, sums)
    for m in range(number):
        w = scale * 2.0 * math.pi * (m + 1) / box[PERIOD]
        height = 2.0 * variance * scale * math.sqrt(2.0 * math.pi) / box[PERIOD] * exp(-0.5 * w * w)
        sums[HEIGHTS, m] = height
        sums[COSINES, m] *= height
        sums[SINES, m] *= height
    return True


@inlined
def _range(new, margin, side, counts, sure):
    """The least and the greatest of the proposals of half ``side`` whose margin is above ``sure``."""
    least, greatest, lanes = broadcast(np.inf), broadcast(-np.inf), np.empty(2 * WIDTH)
    low, high = np.inf, -np.inf
    for segment in range(counts.shape[2]):
        start, stop = span(counts, segment, side)
        whole = start + (stop - start) // WIDTH * WIDTH
        for at in range(start, whole, WIDTH):
            above, places = subtract(load(margin, at), broadcast(sure)), load(new, at)
            least = minimum(where_above_zero(above, places, least), least)
            greatest = maximum(where_above_zero(above, places, greatest), greatest)
        for at in range(whole, stop):
            if margin[at] > sure:
                low, high = min(low, new[at]), max(high, new[at])
    store(lanes, 0, least)
    store(lanes, WIDTH, greatest)
    for lane in range(WIDTH):
        low, high = min(low, lanes[lane]), max(high, lanes[WIDTH + lane])
    return low, high


@compiled
def accept_series(scale, variance, cutoffs, factor, x, side, members, counts, rows, box, sums):
    """Move the accepted particles of half ``side``, one after the other; return how many, or -1, with nothing moved,
    where the series would need too many modes.

    ``cutoffs`` is (reach, band), ``x`` (N,), ``box`` (BOX,) and ``sums`` SUMS; the others are of a `line.stage`.
    """
    sure = -factor * (x.size - 1) * variance
    low, high = _range(rows[NEW], rows[MARGIN], side, counts, sure)
    if low > high:
        return 0
    if not _cover(scale, variance, cutoffs, x, low, high, box, sums):
        return -1
    modes = np.int64(box[MODES])
    even, odd, heights = sums[COSINES], sums[SINES], sums[HEIGHTS]
    # The truncation of the series belongs to the bound below.
    least = 8.0 * variance * exp(-0.5 * cutoffs[1] ** 2)  # above the error of a distance of the series
    lanes, inverse = LANES, 1.0 / scale
    # Particles of a block are decided together: a block must be short where they push each other strongly.
    while lanes > WIDTH and lanes * factor * variance > UNCLEAR:
        lanes //= 2
    places, angles = np.empty(2 * LANES), np.empty(4 * LANES)
    excess, square, goes, gains = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(2 * modes * LANES)
    taken = 0
    for segment in range(counts.shape[2]):
        begin, end = span(counts, segment, side)
        for start in range(begin, end, lanes):
            count = min(lanes, end - start)
            for lane in range(count):
                at = np.uint64(start + lane)  # unsigned, so that numbers in a row are loaded together
                places[lane] = rows[OLD, at]
                places[LANES + lane] = rows[NEW, at] if rows[MARGIN, at] > sure else rows[OLD, at]
            for lane in range(count, lanes):
                places[lane] = places[count - 1]
                places[LANES + lane] = places[lane]
            _turn(places, lanes, box, angles)
            _gains(angles, lanes, modes, even, odd, gains, excess)
            for lane in range(count):
                z = (places[LANES + lane] - places[lane]) * inverse
                own = variance * (1.0 - exp(-0.5 * z * z))  # less the particle's own term
                excess[lane] = rows[MARGIN, np.uint64(start + lane)] - factor * (own + excess[lane])
                square[lane] = factor * (own + least)
            for lane in range(lanes):
                goes[lane] = 0.0
            moved, squares = 0.0, 0.0
            for lane in range(count):
                rest = excess[lane]
                # The bound d_k + d_n of the module docstring: a clear decision needs no correction.
                if abs(rest) <= squares + moved * square[lane]:
                    rest -= factor * _of_those_before(lane, modes, heights, gains, goes)
                go = 1.0 if rest > 0.0 else 0.0
                goes[lane] = go
                moved += go
                squares += go * square[lane]
                x[np.uint64(members[0, np.uint64(start + lane)])] = places[LANES + lane] if rest > 0.0 else places[lane]
            _add_gains(lanes, modes, gains, goes, heights, even, odd)
            taken += int(moved)
    return taken
