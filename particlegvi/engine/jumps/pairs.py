"""Acceptance of jumps one particle after the other, where particles interact: the change of the pair energy.

Particle n that goes from x to y changes sum_{n,m} kappa / 2 by

    D = sum_{m != n} kappa(y, x_m) - kappa(x, x_m),

with the places that the particles before it have by then. It goes if margin > factor D, where ``margin`` is the rest
of log A - log(uniform) and factor = lambda1 / (N kl_weight). Two ways to find D: the sum itself, for any kernel, and
for the squared exponential on the line the Fourier series

    kappa(r) ~ a_0 + sum_{m=1}^{M} a_m cos(w_m r),   w_m = 2 pi m / P,   a_m = 2 a_0 exp(-s^2 w_m^2 / 2),
    a_0 = variance s sqrt(2 pi) / P,

from the moments sum_j cos(w_m x_j) and sum_j sin(w_m x_j), in which a particle that goes replaces one term. Images are
at least ``reach`` lengthscales away and add at most 2.01 exp(-reach^2/2); the modes left out add at most
exp(-band^2/2), band = s w_M: both in units of the variance, for one value of kappa.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.mathematics import cos, exp, sin

LANES = 64
MOST_MODES = 1000  # rounding grows like the square of the number of modes; up to here it stays below 1e-10


def series_cutoffs(tolerance: float) -> tuple[float, float]:
    """Reach and band whose errors together are at most ``tolerance`` times the variance for one value of kappa."""
    return math.sqrt(2.0 * math.log(4.02 / tolerance)), math.sqrt(2.0 * math.log(2.0 / tolerance))


@compiled
def accept_direct(kernel, x, mine, new, margin, factor):
    """Move those of the particles in ``mine`` that are accepted, in place; return how many. ``x`` is (dim, N)."""
    dim, number = x.shape
    before = np.empty(LANES)
    after = np.empty(LANES)
    taken = 0
    for place in range(mine.size):
        if not margin[place] > -np.inf:
            continue
        particle = mine[place]
        change = 0.0
        for start in range(0, number, LANES):
            count = min(LANES, number - start)
            for lane in range(LANES):
                before[lane] = 0.0
                after[lane] = 0.0
            for i in range(dim):
                here, there = x[i, particle], new[place, i]
                for lane in range(count):
                    other = x[i, start + lane]
                    before[lane] += (here - other) * (here - other)
                    after[lane] += (there - other) * (there - other)
            for lane in range(LANES):
                before[lane] = kernel.value(after[lane]) - kernel.value(before[lane])
            for lane in range(count):
                change += before[lane] if start + lane != particle else 0.0
        if margin[place] > factor * change:
            taken += 1
            for i in range(dim):
                x[i, particle] = new[place, i]
    return taken


@nested
def _angles(x, first, count, frequency, origin, cosines, sines):
    """cos and sin of m w (x - origin) for x[first:first + count] and m = 1, ..., M, into (M, LANES)."""
    for lane in range(LANES):
        angle = frequency * (x[first + min(lane, count - 1)] - origin)
        cosines[0, lane] = cos(angle)
        sines[0, lane] = sin(angle)
    for m in range(1, cosines.shape[0]):
        for lane in range(LANES):
            c, s = cosines[0, lane], sines[0, lane]
            cosines[m, lane] = cosines[m - 1, lane] * c - sines[m - 1, lane] * s
            sines[m, lane] = sines[m - 1, lane] * c + cosines[m - 1, lane] * s


@compiled
def accept_series(scale, variance, period, origin, modes, x, mine, new, margin, factor):
    """As `accept_direct` for the squared exponential on the line; ``x`` (N,) and ``new`` (n,) are flat."""
    frequency = 2.0 * math.pi / period
    cosines = np.empty((modes, LANES))
    sines = np.empty((modes, LANES))
    cosines_new = np.empty((modes, LANES))
    sines_new = np.empty((modes, LANES))
    even = np.zeros(modes)
    odd = np.zeros(modes)
    for start in range(0, x.size, LANES):
        count = min(LANES, x.size - start)
        _angles(x, start, count, frequency, origin, cosines, sines)
        for m in range(modes):
            c, s = 0.0, 0.0
            for lane in range(count):
                c += cosines[m, lane]
                s += sines[m, lane]
            even[m] += c
            odd[m] += s
    heights = np.empty(modes)
    for m in range(modes):
        w = scale * frequency * (m + 1)
        heights[m] = 2.0 * variance * scale * math.sqrt(2.0 * math.pi) / period * exp(-0.5 * w * w)
    old = np.empty(LANES)
    differences = np.empty((LANES, 2, modes))
    taken = 0
    for start in range(0, mine.size, LANES):
        count = min(LANES, mine.size - start)
        for lane in range(count):
            old[lane] = x[mine[start + lane]]
        _angles(old, 0, count, frequency, origin, cosines, sines)
        _angles(new, start, count, frequency, origin, cosines_new, sines_new)
        for lane in range(count):
            for m in range(modes):
                differences[lane, 0, m] = cosines_new[m, lane] - cosines[m, lane]
                differences[lane, 1, m] = sines_new[m, lane] - sines[m, lane]
        for lane in range(count):
            place = start + lane
            if not margin[place] > -np.inf:
                continue
            jump = (new[place] - old[lane]) / scale
            change = variance * (1.0 - exp(-0.5 * jump * jump))  # less the particle's own term
            for m in range(modes):
                change += heights[m] * (even[m] * differences[lane, 0, m] + odd[m] * differences[lane, 1, m])
            if margin[place] > factor * change:
                taken += 1
                x[mine[place]] = new[place]
                for m in range(modes):
                    even[m] += differences[lane, 0, m]
                    odd[m] += differences[lane, 1, m]
    return taken
