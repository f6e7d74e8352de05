"""Fourier series at many points: the moments of particles, and the series at particles.

Tiles of particles lie in lanes of eight, `TOGETHER` vectors at a time, so that each has something to do while the
others wait for their last result. The recurrences of a particle stay in registers while the modes pass, two at a time:
the two values that a recurrence needs then change places without being moved.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics.compiled import inlined
from particlegvi.engine.numerics.mathematics import COS_PI, SIN_PI
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    broadcast,
    fma,
    load,
    loads,
    multiply,
    multiply_subtract,
    polynomial,
    store,
    stores,
    subtract,
    total,
)

TILE = 256  # particles whose angles stay in the fastest cache
TWICE, SINE, ANGLES = (k * TILE for k in range(3))  # rows that hold the angles of a tile
TOGETHER = 4
GROUP = TOGETHER * WIDTH
COUNTED = np.repeat([1.0, 0.0], GROUP)  # read from GROUP - n on: ones for n particles, then zeros


@inlined
def twice_cos_and_sin(r):
    """2 cos and sin of 4 pi r for |r| <= 1/4: of pi r by polynomials, then the angle is doubled twice."""
    z = multiply(r, r)
    minus_two_sines = multiply(multiply(polynomial(SIN_PI, z), r), broadcast(-2.0))
    cosine = fma(multiply(broadcast(-0.5), minus_two_sines), minus_two_sines, broadcast(1.0))
    minus_sine = multiply(minus_two_sines, polynomial(COS_PI, z))
    two_sines = multiply(broadcast(-2.0), minus_sine)
    return fma(two_sines, add(minus_sine, minus_sine), broadcast(2.0)), multiply(two_sines, cosine)


@inlined
def turn_tile(x, first, last, origin, inverse_period, angles, at):
    """2 cos and sin of 2 pi (x - origin) / period for particles first..last-1, into ``angles`` from ``at`` on.

    No particle is farther from the origin than half a period. The tile is filled up to a multiple of GROUP with its
    last particle.
    """
    count = last - first
    whole = count // WIDTH * WIDTH
    padded = (count + GROUP - 1) // GROUP * GROUP
    sine_row = at + SINE
    for lane in range(whole, padded):
        angles[sine_row + lane] = x[first + min(lane, count - 1)]
    middle = broadcast(origin)
    scale = broadcast(0.5 * inverse_period)
    for i in range(0, padded, WIDTH):
        point = load(x, first + i) if i < whole else load(angles, sine_row + i)
        twice, sine = twice_cos_and_sin(multiply(subtract(point, middle), scale))
        store(angles, at + TWICE + i, twice)
        store(angles, sine_row + i, sine)


@inlined
def _sum(vectors):
    return add(add(vectors[0], vectors[1]), add(vectors[2], vectors[3]))


@inlined
def add_moments(angles, at, count, modes, lane_sums):
    """Add cos and sin of the modes 1, ..., ``modes`` (even) for the ``count`` particles of a tile to ``lane_sums``.

    ``lane_sums`` is (modes * 2 * WIDTH,): for each mode the lanes of the cosines and then of the sines. The modes
    follow from the recurrence T_{m+1} = 2 cos(t) T_m - T_{m-1}.
    """
    zero = broadcast(0.0)
    for i in range(0, count, GROUP):
        t = loads(angles, at + TWICE + i, WIDTH, TOGETHER)
        # particles that only fill the tile count nothing
        counted = loads(COUNTED, max(GROUP - count + i, 0), WIDTH, TOGETHER)
        c = multiply(counted, multiply(broadcast(0.5), t))
        s = multiply(counted, loads(angles, at + SINE + i, WIDTH, TOGETHER))
        c2, s2 = counted, (zero, zero, zero, zero)
        # Two modes a turn, so that the two last values need not change their names.
        for row in range(0, modes * 2 * WIDTH, 4 * WIDTH):
            store(lane_sums, row, add(load(lane_sums, row), _sum(c)))
            store(lane_sums, row + WIDTH, add(load(lane_sums, row + WIDTH), _sum(s)))
            c2, s2 = multiply_subtract(t, c, c2), multiply_subtract(t, s, s2)
            store(lane_sums, row + 2 * WIDTH, add(load(lane_sums, row + 2 * WIDTH), _sum(c2)))
            store(lane_sums, row + 3 * WIDTH, add(load(lane_sums, row + 3 * WIDTH), _sum(s2)))
            c, s = multiply_subtract(t, c2, c), multiply_subtract(t, s2, s)


@inlined
def fold_lanes(lane_sums, modes, sums):
    """Add up the lanes of ``lane_sums``: cos into row 0 of ``sums``, sin into row 1; and clear them."""
    zero = broadcast(0.0)
    for m in range(modes):
        row = m * 2 * WIDTH
        sums[0, m] = total(load(lane_sums, row))
        sums[1, m] = total(load(lane_sums, row + WIDTH))
        store(lane_sums, row, zero)
        store(lane_sums, row + WIDTH, zero)


@inlined
def evaluate_tile(angles, at, count, modes, weighted, factor, out, start):
    """out[start + i] = factor * sum_m (weighted[1, m] cos - weighted[0, m] sin)(m t_i), by Clenshaw's recurrence.

    ``modes`` is even. The tile's sines are overwritten.
    """
    scale, half, zero = broadcast(factor), broadcast(0.5), broadcast(0.0)
    zeros = zero, zero, zero, zero
    for i in range(0, count, GROUP):
        t = loads(angles, at + TWICE + i, WIDTH, TOGETHER)
        f, g, f2, g2 = zeros, zeros, zeros, zeros
        for m in range(modes - 1, 0, -2):
            a, b = broadcast(weighted[0, m]), broadcast(weighted[1, m])
            f2, g2 = fma(t, f, subtract(b, f2)), fma(t, g, subtract(a, g2))
            a, b = broadcast(weighted[0, m - 1]), broadcast(weighted[1, m - 1])
            f, g = fma(t, f2, subtract(b, f)), fma(t, g2, subtract(a, g))
        f = multiply_subtract(multiply(half, t), f, f2)
        sines = loads(angles, at + SINE + i, WIDTH, TOGETHER)
        stores(angles, at + SINE + i, WIDTH, multiply(scale, subtract(f, multiply(g, sines))))
    series = angles[at + SINE : at + SINE + count]
    wanted = out[start : start + count]
    for lane in range(count):
        wanted[lane] = series[lane]
