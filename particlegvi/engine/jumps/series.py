"""Acceptance of jumps on the line from the moments of a Fourier series, for the squared exponential.

    kappa(r) ~ a_0 + sum_{m=1}^{M} a_m cos(w_m r),   w_m = 2 pi m / P,   a_m = 2 a_0 exp(-s^2 w_m^2 / 2),
    a_0 = variance s sqrt(2 pi) / P.

A particle that goes replaces one term of the moments sum_j cos(w_m x_j) and sum_j sin(w_m x_j), so that the change D of
the pair energy (see `engine.jumps.proposals`) costs one term for each mode instead of one for each particle. Images
are at least ``reach`` lengthscales away and add at most 2.01 exp(-reach^2/2); the modes left out add at most
exp(-band^2/2), band = s w_M: both in units of the variance, for one value of kappa.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.numerics.mathematics import cos, exp, sin

MOST_MODES = 1000  # rounding grows with the number of modes; up to here it stays below 1e-10


class JumpSeries(NamedTuple):
    """A series that covers the particles and their proposals."""

    origin: float
    frequency: float  # 2 pi / P
    sums: Array  # the moments of the modes 1, ..., M, cosines and sines, (2, M)


def series_of(x: Array, new: Array, lengthscale: float, tolerance: float) -> JumpSeries | None:
    """The series for particles x (N,) and proposals (n,); None where it would need too many modes.

    The errors of one value of kappa are together at most ``tolerance`` times the variance.
    """
    reach, band = math.sqrt(2.0 * math.log(4.02 / tolerance)), math.sqrt(2.0 * math.log(2.0 / tolerance))
    low, high = min(x.min(), new.min()), max(x.max(), new.max())
    period = high - low + reach * lengthscale
    modes = band * period / (2.0 * math.pi * lengthscale)
    if not modes <= min(MOST_MODES, 4 * x.size + 32):  # nor where a place is not finite
        return None
    origin = 0.5 * (low + high)
    series = JumpSeries(float(origin), float(2.0 * math.pi / period), np.empty((2, math.ceil(modes))))
    fill_moments(np.ascontiguousarray(x), series)
    return series


@compiled
def fill_moments(x, series):
    """The sums over particles x (N,) of the cosines and sines of every mode, by turning each angle once a mode."""
    c1, s1 = np.empty(x.size), np.empty(x.size)
    for i in range(x.size):
        angle = series.frequency * (x[i] - series.origin)
        c1[i], s1[i] = cos(angle), sin(angle)
    c, s = c1.copy(), s1.copy()
    for m in range(series.sums.shape[1]):
        series.sums[0, m], series.sums[1, m] = c.sum(), s.sum()
        for i in range(x.size):
            c[i], s[i] = c[i] * c1[i] - s[i] * s1[i], s[i] * c1[i] + c[i] * s1[i]


@compiled
def accept_series(lengthscale, variance, series, x, mine, new, margin, factor):
    """`proposals.accept_direct` for particles x (N,) and proposals (n,) on the line."""
    sums = series.sums
    modes = sums.shape[1]
    gains = np.empty((2, modes))
    heights = np.empty(modes)
    for m in range(modes):
        w = series.frequency * (m + 1) * lengthscale
        heights[m] = 2.0 * variance * lengthscale * series.frequency / math.sqrt(2.0 * math.pi) * exp(-0.5 * w * w)
    taken = 0
    for place in range(mine.size):
        particle = mine[place]
        old, to = x[particle], new[place]
        if not margin[place] > -np.inf:
            continue
        angle, angle_to = series.frequency * (old - series.origin), series.frequency * (to - series.origin)
        c1, s1, c2, s2 = cos(angle), sin(angle), cos(angle_to), sin(angle_to)
        c, s, c_to, s_to = c1, s1, c2, s2
        z = (to - old) / lengthscale
        change = variance * (1.0 - exp(-0.5 * z * z))  # less the particle's own term
        for m in range(modes):
            gains[0, m] = c_to - c
            gains[1, m] = s_to - s
            change += heights[m] * (sums[0, m] * gains[0, m] + sums[1, m] * gains[1, m])
            c, s = c * c1 - s * s1, s * c1 + c * s1
            c_to, s_to = c_to * c2 - s_to * s2, s_to * c2 + c_to * s2
        if margin[place] > factor * change:
            taken += 1
            x[particle] = to
            for m in range(modes):
                sums[0, m] += gains[0, m]
                sums[1, m] += gains[1, m]
    return taken
