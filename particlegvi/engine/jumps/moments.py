"""Acceptance of jumps on the line from the moments of a Fourier series, for the squared exponential.

    kappa(r) ~ a_0 + sum_{m=1}^{M} a_m cos(w_m r),   w_m = 2 pi m / P,   a_m = 2 a_0 exp(-s^2 w_m^2 / 2),
    a_0 = variance s sqrt(2 pi) / P.

A particle that goes replaces one term of the moments sum_j cos(w_m x_j) and sum_j sin(w_m x_j), so that the change D of
the pair energy (see `particlegvi.engine.jumps.pairs`) costs one term for each mode. Images are at least ``reach``
lengthscales away and add at most 2.01 exp(-reach^2/2); the modes left out add at most exp(-band^2/2), band = s w_M:
both in units of the variance, for one value of kappa. M is a multiple of 8, and P the longest that it allows.

No D is below -(N - 1) variance. Proposals whose margin is too small even for that are turned down at once, and the
series need not cover them.
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
    load,
    multiply,
    multiply_add,
    multiply_subtract,
    store,
    subtract,
    total,
    turned,
)
from particlegvi.engine.pairs.series import ANGLES, TILE, add_moments, fold_lanes, turn_tile, twice_cos_and_sin

LANES = 64
MOST_MODES = 1000  # rounding grows like the square of the number of modes; up to here it stays below 1e-10
MODES, ORIGIN, PERIOD, LOW, HIGH = range(5)  # of a box; 0 modes are no box
BOX = 5
COSINES, SINES, HEIGHTS = range(3)  # rows of the sums: the moments times the heights, and the heights a_m
SUMS = (3, MOST_MODES + WIDTH)


def series_cutoffs(tolerance: float) -> tuple[float, float]:
    """Reach and band whose errors together are at most ``tolerance`` times the variance for one value of kappa."""
    return math.sqrt(2.0 * math.log(4.02 / tolerance)), math.sqrt(2.0 * math.log(2.0 / tolerance))


@inlined
def _sum_of_angles(rows, to, one, two, lane):
    """cos and sin of the sum of two angles, and their place, from rows ``one`` and ``two`` into row ``to``."""
    c, s = load(rows, one * LANES + lane), load(rows, (8 + one) * LANES + lane)
    d, t = load(rows, two * LANES + lane), load(rows, (8 + two) * LANES + lane)
    store(rows, to * LANES + lane, multiply_subtract(c, d, multiply(s, t)))
    store(rows, (8 + to) * LANES + lane, multiply_add(s, d, multiply(c, t)))


@nested
def _multiples(x, first, count, box, tile, rows, out, at):
    """cos and sin of the multiples 1, ..., 8 of the angles 2 pi (x - origin) / period of x[first:first + count].

    Into 16 entries of ``out`` from ``at`` on, and so on for every particle 32 entries later. ``tile`` (LANES,) and
    ``rows`` (16 LANES,) are scratch.
    """
    for lane in range(LANES):
        tile[lane] = x[first + min(lane, count - 1)]
    origin, scale = broadcast(box[ORIGIN]), broadcast(0.5 / box[PERIOD])
    for lane in range(0, LANES, WIDTH):
        twice, sine = twice_cos_and_sin(multiply(subtract(load(tile, lane), origin), scale))
        store(rows, lane, multiply(broadcast(0.5), twice))
        store(rows, 8 * LANES + lane, sine)
    for k in range(1, WIDTH):
        for lane in range(0, LANES, WIDTH):
            _sum_of_angles(rows, k, (k - 1) // 2, k // 2, lane)
    for lane in range(0, LANES, WIDTH):
        for part in range(2):
            a, b, c, d, e, f, g, h = turned(rows, part * WIDTH * LANES + lane, LANES)
            place = 32 * lane + at + part * WIDTH
            store(out, place, a)
            store(out, place + 32, b)
            store(out, place + 64, c)
            store(out, place + 96, d)
            store(out, place + 128, e)
            store(out, place + 160, f)
            store(out, place + 192, g)
            store(out, place + 224, h)


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


@compiled
def accept_series(scale, variance, cutoffs, factor, x, side, members, counts, rows, box, sums):
    """Move those of half ``side`` that are accepted, one after the other; return how many, or -1, with nothing moved,
    where the series would need too many modes.

    ``cutoffs`` is (reach, band), ``x`` (N,), ``box`` (BOX,) and ``sums`` SUMS; the others are of a `line.stage`.
    """
    sure = -factor * (x.size - 1) * variance
    low, high = np.inf, -np.inf
    for segment in range(counts.shape[2]):
        start, stop = span(counts, segment, side)
        for at in range(start, stop):
            if rows[MARGIN, at] > sure:
                low = min(low, rows[NEW, at])
                high = max(high, rows[NEW, at])
    if low > high:
        return 0
    if not _cover(scale, variance, cutoffs, x, low, high, box, sums):
        return -1
    modes = np.int64(box[MODES])
    even, odd, heights = sums[COSINES], sums[SINES], sums[HEIGHTS]
    tile, scratch, angles, own = np.empty(LANES), np.empty(16 * LANES), np.empty(32 * LANES), np.empty(LANES)
    c_gain, s_gain = np.empty(modes), np.empty(modes)
    taken = 0
    for segment in range(counts.shape[2]):
        begin, end = span(counts, segment, side)
        for start in range(begin, end, LANES):
            count = min(LANES, end - start)
            for which in range(2):  # OLD and NEW
                _multiples(rows[OLD + which], start, count, box, tile, scratch, angles, 16 * which)
            for lane in range(count):
                z = (rows[NEW, start + lane] - rows[OLD, start + lane]) / scale
                own[lane] = variance * (1.0 - exp(-0.5 * z * z))  # less the particle's own term
            for lane in range(count):
                at = start + lane
                if not rows[MARGIN, at] > sure:
                    continue
                first = 32 * lane
                co, so = load(angles, first), load(angles, first + 8)
                cn, sn = load(angles, first + 16), load(angles, first + 24)
                co8, so8 = broadcast(angles[first + 7]), broadcast(angles[first + 15])
                cn8, sn8 = broadcast(angles[first + 23]), broadcast(angles[first + 31])
                change, change_too = broadcast(0.0), broadcast(0.0)
                for m in range(0, modes, WIDTH):
                    dc, ds = subtract(cn, co), subtract(sn, so)
                    store(c_gain, m, dc)
                    store(s_gain, m, ds)
                    change = multiply_add(load(even, m), dc, change)
                    change_too = multiply_add(load(odd, m), ds, change_too)
                    cosine = multiply_subtract(co, co8, multiply(so, so8))
                    so = multiply_add(so, co8, multiply(co, so8))
                    co = cosine
                    cosine = multiply_subtract(cn, cn8, multiply(sn, sn8))
                    sn = multiply_add(sn, cn8, multiply(cn, sn8))
                    cn = cosine
                if rows[MARGIN, at] > factor * (own[lane] + total(add(change, change_too))):
                    taken += 1
                    x[members[0, at]] = rows[NEW, at]
                    for m in range(0, modes, WIDTH):
                        store(even, m, multiply_add(load(heights, m), load(c_gain, m), load(even, m)))
                        store(odd, m, multiply_add(load(heights, m), load(s_gain, m), load(odd, m)))
    return taken
