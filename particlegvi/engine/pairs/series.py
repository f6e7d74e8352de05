"""Sums over modes of a Fourier series at many points: the moments of particles, and the series at particles.

Tiles of particles lie in lanes of eight, four vectors at a time, so that each has something to do while the others wait
for their last result. The recurrences of a particle stay in registers while the modes pass, two at a time: the
two values that a recurrence needs then change places without being moved.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.numerics.compiled import inlined
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
)

TILE = 256  # particles whose angles stay in the fastest cache
TWICE, SINE, ANGLES = (k * TILE for k in range(3))  # rows that hold the angles of a tile
GROUP = 4 * WIDTH
COUNTED = np.repeat([1.0, 0.0], GROUP)  # read from GROUP - n on: ones for n particles, then zeros
S0, S1, S2, S3, S4, S5, S6, S7 = (
    (-1.0) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(8)
)
C1, C2, C3, C4, C5, C6, C7, C8 = ((-1.0) ** k * math.pi ** (2 * k) / math.factorial(2 * k) for k in range(1, 9))


@inlined
def twice_cos_and_sin(r):
    """2 cos and sin of 4 pi r for |r| <= 1/4: of pi r by polynomials, then the angle is doubled twice."""
    z = multiply(r, r)
    p = multiply_add(broadcast(S7), z, broadcast(S6))
    p = multiply_add(p, z, broadcast(S5))
    p = multiply_add(p, z, broadcast(S4))
    p = multiply_add(p, z, broadcast(S3))
    p = multiply_add(p, z, broadcast(S2))
    p = multiply_add(p, z, broadcast(S1))
    p = multiply_add(p, z, broadcast(S0))
    c = multiply_add(broadcast(C8), z, broadcast(C7))
    c = multiply_add(c, z, broadcast(C6))
    c = multiply_add(c, z, broadcast(C5))
    c = multiply_add(c, z, broadcast(C4))
    c = multiply_add(c, z, broadcast(C3))
    c = multiply_add(c, z, broadcast(C2))
    c = multiply_add(c, z, broadcast(C1))
    c = multiply_add(c, z, broadcast(1.0))
    minus_two_sines = multiply(multiply(p, r), broadcast(-2.0))
    cosine = multiply_add(multiply(broadcast(-0.5), minus_two_sines), minus_two_sines, broadcast(1.0))
    minus_sine = multiply(minus_two_sines, c)
    two_sines = multiply(broadcast(-2.0), minus_sine)
    return multiply_add(two_sines, add(minus_sine, minus_sine), broadcast(2.0)), multiply(two_sines, cosine)


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
def add_moments(angles, at, count, modes, lane_sums):
    """Add cos and sin of the modes 1, ..., ``modes`` (even) for the ``count`` particles of a tile to ``lane_sums``.

    ``lane_sums`` is (modes * 2 * WIDTH,): for each mode the lanes of the cosines, then of the sines. The modes of
    a particle follow from the recurrence T_{m+1} = 2 cos(t) T_m - T_{m-1}.
    """
    half = broadcast(0.5)
    zero = broadcast(0.0)
    # Four vectors at a time: each recurrence waits for its own last value, and four of them hide that.
    for i in range(0, count, GROUP):
        j, k, n = i + WIDTH, i + 2 * WIDTH, i + 3 * WIDTH
        ti = load(angles, at + TWICE + i)
        tj = load(angles, at + TWICE + j)
        tk = load(angles, at + TWICE + k)
        tn = load(angles, at + TWICE + n)
        mask = max(GROUP - count + i, 0)  # particles that only fill the tile count nothing
        ci2 = load(COUNTED, mask)
        cj2 = load(COUNTED, mask + WIDTH)
        ck2 = load(COUNTED, mask + 2 * WIDTH)
        cn2 = load(COUNTED, mask + 3 * WIDTH)
        ci, si, si2 = multiply(ci2, multiply(half, ti)), multiply(ci2, load(angles, at + SINE + i)), zero
        cj, sj, sj2 = multiply(cj2, multiply(half, tj)), multiply(cj2, load(angles, at + SINE + j)), zero
        ck, sk, sk2 = multiply(ck2, multiply(half, tk)), multiply(ck2, load(angles, at + SINE + k)), zero
        cn, sn, sn2 = multiply(cn2, multiply(half, tn)), multiply(cn2, load(angles, at + SINE + n)), zero
        # Two modes a turn, so that the two last values need not change their names.
        for row in range(0, modes * 2 * WIDTH, 4 * WIDTH):
            cosines = add(load(lane_sums, row), add(add(ci, cj), add(ck, cn)))
            sines = add(load(lane_sums, row + WIDTH), add(add(si, sj), add(sk, sn)))
            store(lane_sums, row, cosines)
            store(lane_sums, row + WIDTH, sines)
            ci2 = multiply_subtract(ti, ci, ci2)
            cj2 = multiply_subtract(tj, cj, cj2)
            ck2 = multiply_subtract(tk, ck, ck2)
            cn2 = multiply_subtract(tn, cn, cn2)
            si2 = multiply_subtract(ti, si, si2)
            sj2 = multiply_subtract(tj, sj, sj2)
            sk2 = multiply_subtract(tk, sk, sk2)
            sn2 = multiply_subtract(tn, sn, sn2)
            cosines = add(load(lane_sums, row + 2 * WIDTH), add(add(ci2, cj2), add(ck2, cn2)))
            sines = add(load(lane_sums, row + 3 * WIDTH), add(add(si2, sj2), add(sk2, sn2)))
            store(lane_sums, row + 2 * WIDTH, cosines)
            store(lane_sums, row + 3 * WIDTH, sines)
            ci = multiply_subtract(ti, ci2, ci)
            cj = multiply_subtract(tj, cj2, cj)
            ck = multiply_subtract(tk, ck2, ck)
            cn = multiply_subtract(tn, cn2, cn)
            si = multiply_subtract(ti, si2, si)
            sj = multiply_subtract(tj, sj2, sj)
            sk = multiply_subtract(tk, sk2, sk)
            sn = multiply_subtract(tn, sn2, sn)


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

    ``modes`` is even. What was kept of the sines is lost.
    """
    scale = broadcast(factor)
    half = broadcast(0.5)
    zero = broadcast(0.0)
    for i in range(0, count, GROUP):
        j, k, n = i + WIDTH, i + 2 * WIDTH, i + 3 * WIDTH
        ti = load(angles, at + TWICE + i)
        tj = load(angles, at + TWICE + j)
        tk = load(angles, at + TWICE + k)
        tn = load(angles, at + TWICE + n)
        fi, fj, fk, fn = zero, zero, zero, zero
        gi, gj, gk, gn = zero, zero, zero, zero
        fi2, fj2, fk2, fn2 = zero, zero, zero, zero
        gi2, gj2, gk2, gn2 = zero, zero, zero, zero
        for m in range(modes - 1, 0, -2):
            a = broadcast(weighted[0, m])
            b = broadcast(weighted[1, m])
            fi2 = multiply_add(ti, fi, subtract(b, fi2))
            fj2 = multiply_add(tj, fj, subtract(b, fj2))
            fk2 = multiply_add(tk, fk, subtract(b, fk2))
            fn2 = multiply_add(tn, fn, subtract(b, fn2))
            gi2 = multiply_add(ti, gi, subtract(a, gi2))
            gj2 = multiply_add(tj, gj, subtract(a, gj2))
            gk2 = multiply_add(tk, gk, subtract(a, gk2))
            gn2 = multiply_add(tn, gn, subtract(a, gn2))
            a = broadcast(weighted[0, m - 1])
            b = broadcast(weighted[1, m - 1])
            fi = multiply_add(ti, fi2, subtract(b, fi))
            fj = multiply_add(tj, fj2, subtract(b, fj))
            fk = multiply_add(tk, fk2, subtract(b, fk))
            fn = multiply_add(tn, fn2, subtract(b, fn))
            gi = multiply_add(ti, gi2, subtract(a, gi))
            gj = multiply_add(tj, gj2, subtract(a, gj))
            gk = multiply_add(tk, gk2, subtract(a, gk))
            gn = multiply_add(tn, gn2, subtract(a, gn))
        row = at + SINE
        fi = multiply_subtract(multiply(half, ti), fi, fi2)
        fj = multiply_subtract(multiply(half, tj), fj, fj2)
        fk = multiply_subtract(multiply(half, tk), fk, fk2)
        fn = multiply_subtract(multiply(half, tn), fn, fn2)
        store(angles, row + i, multiply(scale, subtract(fi, multiply(gi, load(angles, row + i)))))
        store(angles, row + j, multiply(scale, subtract(fj, multiply(gj, load(angles, row + j)))))
        store(angles, row + k, multiply(scale, subtract(fk, multiply(gk, load(angles, row + k)))))
        store(angles, row + n, multiply(scale, subtract(fn, multiply(gn, load(angles, row + n)))))
    found = angles[at + SINE : at + SINE + count]
    wanted = out[start : start + count]
    for lane in range(count):
        wanted[lane] = found[lane]
