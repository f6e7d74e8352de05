"""Repulsion of the squared-exponential kernel in one dimension as a truncated Fourier series: linear in N, exact to a
tolerance chosen in advance.

On a circle of circumference P, with w_m = 2 pi m / P and the moments A_m = mean cos(w_m x_j), B_m = mean sin(w_m x_j),

    1/N sum_j kappa'(x - x_j) ~ sum_{m=1}^{M} c_m ( B_m cos(w_m x) - A_m sin(w_m x) ),
    c_m = variance * 2 s w_m sqrt(2 pi) / P * exp(-s^2 w_m^2 / 2),   s = lengthscale.

Two errors, both bounded before the run in units of variance / lengthscale (the force of one particle is at most 0.61
of that unit): images of particles at a distance of at least ``reach`` lengthscales add at most 2.01 reach
exp(-reach^2/2); the modes left out add at most sqrt(2/pi) exp(-band^2/2), with band = s w_M. Each is given half of
the tolerance.

The sums run over lanes of 8 particles and chunks of ``CHUNK`` particles in a fixed order: threads cannot change a bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.engine.compiled import compiled, nested
from particlegvi.engine.mathematics import exp
from particlegvi.engine.noise import sin_cos_turn
from particlegvi.engine.vectors import (
    WIDTH,
    add,
    load,
    multiply,
    multiply_add,
    multiply_subtract,
    spread,
    store,
    subtract,
)

CHUNK = 4096
TILE = 256  # particles whose recurrences stay in the fastest cache
TWICE, SINE, ANGLES = (k * TILE for k in range(3))  # rows of what is kept of the angles of a tile
C0, C1, S0, S1, STATE = (k * TILE for k in range(5))  # rows of the scratch of a tile
MOST_MODES = 128  # rounding grows like the square of the number of modes; up to here it stays below 1e-13 of the unit


class FourierPlan(NamedTuple):
    """What the tolerance fixes before a run."""

    lengthscale: float
    variance: float
    reach: float  # distance of the nearest image, in lengthscales
    band: float  # largest frequency kept, times the lengthscale


def fourier_plan(lengthscale: float, variance: float, tolerance: float) -> FourierPlan:
    """Cut-offs whose errors add up to at most ``tolerance`` (in units of variance / lengthscale)."""
    tolerance = max(tolerance, 1e-15)
    band = math.sqrt(2.0 * math.log(math.sqrt(8.0 / math.pi) / tolerance))
    reach = band
    while 2.01 * reach * math.exp(-0.5 * reach * reach) > 0.5 * tolerance:
        reach += 0.01
    return FourierPlan(float(lengthscale), float(variance), reach, band)


@nested
def fourier_box(plan, low, high):
    """Period and number of modes for particles in [low, high]. The period is rounded up, so that it seldom changes."""
    unit = 0.25 * plan.lengthscale
    period = np.ceil((high - low + plan.reach * plan.lengthscale) / unit) * unit
    modes = int(np.ceil(plan.band * period / (2.0 * math.pi * plan.lengthscale)))
    return period, (modes + 3) // 4 * 4


@nested
def coefficients(plan, period, modes, out):
    """c_m for m = 1, ..., modes."""
    s = plan.lengthscale
    for m in range(modes):
        frequency = 2.0 * math.pi * (m + 1) / period
        weight = 2.0 * math.sqrt(2.0 * math.pi) * s / period * plan.variance
        out[m] = weight * frequency * exp(-0.5 * (s * frequency) * (s * frequency))


@nested
def extent(x):
    """Least and greatest of a flat array."""
    low = x[0]
    high = x[0]
    for i in range(x.size):
        low = min(low, x[i])
        high = max(high, x[i])
    return low, high


@nested
def turn_tile(x, first, last, origin, inverse_period, angles, at):
    """2 cos and sin of 2 pi (x - origin) / period for particles first..last-1, into ``angles`` from ``at`` on.

    The tile is filled up to a multiple of 32 with its last particle.
    """
    count = last - first
    padded = (count + 4 * WIDTH - 1) // (4 * WIDTH) * (4 * WIDTH)
    row = angles[at : at + ANGLES]
    for lane in range(count):
        row[SINE + lane] = (x[first + lane] - origin) * inverse_period
    for lane in range(count, padded):
        row[SINE + lane] = row[SINE + count - 1]
    for lane in range(padded):
        sine, cosine = sin_cos_turn(row[SINE + lane])
        row[TWICE + lane] = 2.0 * cosine
        row[SINE + lane] = sine


@nested
def add_moments(angles, at, count, modes, state, lane_sums):
    """Add cos and sin of the modes for the ``count`` particles of a tile to ``lane_sums`` (modes * 2 * WIDTH,).

    ``state`` (STATE,) is scratch. Four modes at a time by the three-term recurrence
    T_{m+1} = 2 cos(t) T_m - T_{m-1}, their sums in registers while the tile passes.
    """
    padded = (count + WIDTH - 1) // WIDTH * WIDTH
    for lane in range(padded):
        state[C0 + lane] = 1.0
        state[S0 + lane] = 0.0
        state[C1 + lane] = 0.5 * angles[at + TWICE + lane]
        state[S1 + lane] = angles[at + SINE + lane]
    for lane in range(count, padded):  # fillers count nothing
        state[C0 + lane] = 0.0
        state[C1 + lane] = 0.0
        state[S1 + lane] = 0.0
    for m in range(0, modes, 4):
        row = m * 2 * WIDTH
        c1_sum = load(lane_sums, row)
        s1_sum = load(lane_sums, row + WIDTH)
        c2_sum = load(lane_sums, row + 2 * WIDTH)
        s2_sum = load(lane_sums, row + 3 * WIDTH)
        c3_sum = load(lane_sums, row + 4 * WIDTH)
        s3_sum = load(lane_sums, row + 5 * WIDTH)
        c4_sum = load(lane_sums, row + 6 * WIDTH)
        s4_sum = load(lane_sums, row + 7 * WIDTH)
        for i in range(0, padded, WIDTH):
            t = load(angles, at + TWICE + i)
            c1 = load(state, C1 + i)
            s1 = load(state, S1 + i)
            c2 = multiply_subtract(t, c1, load(state, C0 + i))
            s2 = multiply_subtract(t, s1, load(state, S0 + i))
            c3 = multiply_subtract(t, c2, c1)
            s3 = multiply_subtract(t, s2, s1)
            c4 = multiply_subtract(t, c3, c2)
            s4 = multiply_subtract(t, s3, s2)
            c1_sum = add(c1_sum, c1)
            s1_sum = add(s1_sum, s1)
            c2_sum = add(c2_sum, c2)
            s2_sum = add(s2_sum, s2)
            c3_sum = add(c3_sum, c3)
            s3_sum = add(s3_sum, s3)
            c4_sum = add(c4_sum, c4)
            s4_sum = add(s4_sum, s4)
            store(state, C0 + i, c4)
            store(state, S0 + i, s4)
            store(state, C1 + i, multiply_subtract(t, c4, c3))
            store(state, S1 + i, multiply_subtract(t, s4, s3))
        store(lane_sums, row, c1_sum)
        store(lane_sums, row + WIDTH, s1_sum)
        store(lane_sums, row + 2 * WIDTH, c2_sum)
        store(lane_sums, row + 3 * WIDTH, s2_sum)
        store(lane_sums, row + 4 * WIDTH, c3_sum)
        store(lane_sums, row + 5 * WIDTH, s3_sum)
        store(lane_sums, row + 6 * WIDTH, c4_sum)
        store(lane_sums, row + 7 * WIDTH, s4_sum)


@nested
def fold_lanes(lane_sums, modes, sums):
    """Add up the lanes of ``lane_sums`` in order: cos into row 0 of ``sums``, sin into row 1; and clear them."""
    for m in range(modes):
        a = 0.0
        b = 0.0
        for lane in range(WIDTH):
            a += lane_sums[m * 2 * WIDTH + lane]
            b += lane_sums[m * 2 * WIDTH + WIDTH + lane]
        sums[0, m] = a
        sums[1, m] = b
    for i in range(modes * 2 * WIDTH):
        lane_sums[i] = 0.0


@nested
def evaluate_tile(angles, at, count, modes, weighted, factor, state, out, start):
    """out[start + i] = factor * sum_m (weighted[1, m] cos - weighted[0, m] sin)(m t_i), by Clenshaw's recurrence.

    Four vectors of particles at a time, so that each has something to do while the others wait for their last result.
    """
    scale = spread(factor)
    half = spread(0.5)
    zero = spread(0.0)
    for i in range(0, count, 4 * WIDTH):
        j, k, n = i + WIDTH, i + 2 * WIDTH, i + 3 * WIDTH
        ti = load(angles, at + TWICE + i)
        tj = load(angles, at + TWICE + j)
        tk = load(angles, at + TWICE + k)
        tn = load(angles, at + TWICE + n)
        fi, fj, fk, fn = zero, zero, zero, zero
        gi, gj, gk, gn = zero, zero, zero, zero
        fi2, fj2, fk2, fn2 = zero, zero, zero, zero
        gi2, gj2, gk2, gn2 = zero, zero, zero, zero
        for m in range(modes - 1, -1, -1):
            a = spread(weighted[0, m])
            b = spread(weighted[1, m])
            fi, fi2 = multiply_add(ti, fi, subtract(b, fi2)), fi
            fj, fj2 = multiply_add(tj, fj, subtract(b, fj2)), fj
            fk, fk2 = multiply_add(tk, fk, subtract(b, fk2)), fk
            fn, fn2 = multiply_add(tn, fn, subtract(b, fn2)), fn
            gi, gi2 = multiply_add(ti, gi, subtract(a, gi2)), gi
            gj, gj2 = multiply_add(tj, gj, subtract(a, gj2)), gj
            gk, gk2 = multiply_add(tk, gk, subtract(a, gk2)), gk
            gn, gn2 = multiply_add(tn, gn, subtract(a, gn2)), gn
        for v in range(4):
            t, f, f2, g = (ti, fi, fi2, gi) if v == 0 else (tj, fj, fj2, gj)
            if v == 2:
                t, f, f2, g = tk, fk, fk2, gk
            if v == 3:
                t, f, f2, g = tn, fn, fn2, gn
            here = i + v * WIDTH
            cosines = multiply_subtract(multiply(half, t), f, f2)
            sines = multiply(g, load(angles, at + SINE + here))
            store(state, C1 + here, multiply(scale, subtract(cosines, sines)))
    for lane in range(count):
        out[start + lane] = state[C1 + lane]


@nested
def weigh(partial, factors, modes, weighted):
    """Add the chunks' moments in order and weigh them: c_m A_m (row 0) and c_m B_m (row 1)."""
    for row in range(2):
        for m in range(modes):
            total = 0.0
            for chunk in range(partial.shape[0]):
                total += partial[chunk, row, m]
            weighted[row, m] = total * factors[m]


@compiled
def extent_part(x, first, last):
    """Least and greatest of x[first:last]."""
    return extent(x[first:last])


@compiled
def moments_part(x, first_chunk, last_chunk, origin, inverse_period, modes, partial):
    """Moments of the chunks first_chunk..last_chunk-1, each into its row of ``partial`` (chunks, 2, modes)."""
    state = np.empty(STATE)
    angles = np.empty(ANGLES)
    lane_sums = np.zeros(modes * 2 * WIDTH)
    for chunk in range(first_chunk, last_chunk):
        end = min(x.size, (chunk + 1) * CHUNK)
        for start in range(chunk * CHUNK, end, TILE):
            stop = min(end, start + TILE)
            turn_tile(x, start, stop, origin, inverse_period, angles, 0)
            add_moments(angles, 0, stop - start, modes, state, lane_sums)
        fold_lanes(lane_sums, modes, partial[chunk])


@compiled
def series_part(x, first_chunk, last_chunk, origin, inverse_period, weighted, factor, out):
    """The series at the particles of the chunks first_chunk..last_chunk-1."""
    state = np.empty(STATE)
    angles = np.empty(ANGLES)
    end = min(x.size, last_chunk * CHUNK)
    for start in range(first_chunk * CHUNK, end, TILE):
        stop = min(end, start + TILE)
        turn_tile(x, start, stop, origin, inverse_period, angles, 0)
        evaluate_tile(angles, 0, stop - start, weighted.shape[1], weighted, factor, state, out, start)


@compiled
def weigh_parts(partial, factors, weighted):
    """Add the chunks' moments in order and weigh them."""
    weigh(partial, factors, weighted.shape[1], weighted)


@compiled
def box_and_factors(plan, low, high):
    """Period, number of modes and weights c_m for particles in [low, high]; no weights where the modes are too many."""
    period, modes = fourier_box(plan, low, high)
    factors = np.empty(min(modes, MOST_MODES))
    coefficients(plan, period, factors.size, factors)
    return period, modes, factors
