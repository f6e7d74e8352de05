"""Repulsion of the squared-exponential kernel in one dimension as a truncated Fourier series: linear in N, exact to a
tolerance chosen in advance.

On a circle of circumference P, with w_m = 2 pi m / P, y = x - origin and the moments A_m = mean cos(w_m y_j),
B_m = mean sin(w_m y_j),

    1/N sum_j kappa'(x - x_j) ~ sum_{m=1}^{M} c_m ( B_m cos(w_m y) - A_m sin(w_m y) ),
    c_m = variance * 2 s w_m sqrt(2 pi) / P * exp(-s^2 w_m^2 / 2),   s = lengthscale.

Two errors, both bounded before the run in units of variance / lengthscale (the force of one particle is at most 0.61
units): images of particles at a distance of at least ``reach`` lengthscales add at most 2.01 reach
exp(-reach^2/2); the modes left out add at most sqrt(2/pi) exp(-band^2/2), with band = s w_M. Each is given half of
the tolerance.

The attraction of a Normal prior, minus the gradient of mu_P(x) = height exp(-(x - mean)^2 / (2 width^2)), is taken in
where that is cheap. With the origin at the mean it is one more term, A_m - e_m / c_m instead of A_m, with

    e_m = height * 2 width w_m sqrt(2 pi) / P * exp(-width^2 w_m^2 / 2),

no exponential of any particle. Its errors are of the same two kinds, times share = (height / width) / (variance / s).
Images of the mean are at least ``margin`` widths away and add at most 2.01 share margin exp(-margin^2/2); images of
particles and of the mean then have a quarter of the tolerance each. The modes left out add at most
share sqrt(2/pi) exp(-(band width / s)^2 / 2), for which ``band`` makes room.

The sums (`engine.pairs.fourier_tiles`) run over lanes of 8 particles and chunks of ``CHUNK`` particles in a fixed
order: threads cannot change a bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.mathematics import exp
from particlegvi.engine.numerics.vectors import WIDTH, add, broadcast, load, multiply, store, subtract
from particlegvi.engine.pairs.algorithm import CALL, Algorithm
from particlegvi.engine.pairs.fourier_tiles import ANGLES, TILE, add_moments, evaluate_tile, fold_lanes, turn_tile

CHUNK = 4096
MOST_MODES = 128  # rounding grows like the square of the number of modes; up to here it stays below 1e-13 of the unit
WORTH = 6  # more modes than this cost more than the prior's attraction does on its own


class FourierPlan(NamedTuple):
    """Constants of a run, from the tolerance."""

    lengthscale: float
    variance: float
    reach: float  # distance of the nearest image of a particle, in lengthscales
    band: float  # largest frequency kept, times the lengthscale
    mean: float = 0.0  # of the prior
    width: float = 1.0
    height: float = 0.0  # of its mean embedding; 0 where it is not to be taken in
    margin: float = 0.0  # distance of the nearest image of the mean, in widths


class SeriesBox(NamedTuple):
    """The interval and the modes of the series in one step."""

    origin: float
    period: float
    modes: int
    attracts: bool  # whether the prior's attraction is in it


def fourier_plan(
    lengthscale: float, variance: float, tolerance: float, attraction: tuple[float, float, float] | None = None
) -> FourierPlan:
    """Cut-offs whose errors add up to at most ``tolerance`` (in units of variance / lengthscale).

    ``attraction`` is the prior's (mean, width, height); it is left out where it is narrower or steeper than the kernel.
    """
    tolerance = max(tolerance, 1e-15)
    band = math.sqrt(2.0 * math.log(math.sqrt(8.0 / math.pi) / tolerance))
    mean, width, height = attraction or (0.0, lengthscale, 0.0)
    ratio = width / lengthscale
    share = height / variance / ratio
    if not (0.0 < share <= 1.0 <= ratio):
        return FourierPlan(float(lengthscale), float(variance), _reach(0.5 * tolerance), band)
    while (
        math.sqrt(2.0 / math.pi) * (math.exp(-0.5 * band * band) + share * math.exp(-0.5 * (band * ratio) ** 2))
        > 0.5 * tolerance
    ):
        band += 0.01
    margin = _reach(0.25 * tolerance / share)
    return FourierPlan(float(lengthscale), float(variance), _reach(0.25 * tolerance), band, mean, width, height, margin)


def _reach(allowed: float) -> float:
    """The least distance, to a hundredth, at which 2.01 r exp(-r^2 / 2) is at most ``allowed``, and falls."""
    reach = 1.0
    while 2.01 * reach * math.exp(-0.5 * reach * reach) > allowed:
        reach += 0.01
    return reach


def within_reach(plan: FourierPlan, x: np.ndarray) -> bool:
    """Whether `MOST_MODES` modes are enough for these particles, and all are finite."""
    alone = float(x.max()) - float(x.min()) + plan.reach * plan.lengthscale  # as in `fourier_box`
    return plan.band * alone / (4.0 * math.pi * plan.lengthscale) <= MOST_MODES // 2


@nested
def modes_for(plan, period):
    """Number of modes, even, that a period of at least this length needs."""
    pairs = np.ceil(plan.band * period / (4.0 * math.pi * plan.lengthscale))
    return 2 * int(min(pairs, MOST_MODES))  # twice MOST_MODES stands for everything beyond


@inlined
def fourier_box(plan, low, high):
    """The box for particles in [low, high]: the longest period that its modes allow, so that it seldom changes."""
    alone = high - low + plan.reach * plan.lengthscale
    origin = 0.5 * (low + high)
    modes = modes_for(plan, alone)
    attracts = False
    if plan.height > 0.0:
        farthest = max(high - plan.mean, plan.mean - low)
        together = max(alone, farthest + max(farthest, plan.margin * plan.width))
        wanted = modes_for(plan, together)
        # Beyond WORTH further modes, the attraction costs less as a call of the embedding.
        if wanted <= min(modes + WORTH, MOST_MODES):
            origin = plan.mean
            modes = wanted
            attracts = True
    # The modes are even and rounded up: the period grows until they are just enough.
    period = 4.0 * math.pi * plan.lengthscale * (modes // 2) / plan.band
    return SeriesBox(origin, period, modes, attracts)


@inlined
def coefficients(plan, box, factors, pull):
    """c_m into ``factors`` and, where the prior's attraction is in the box, e_m into ``pull``, for all its modes."""
    s = plan.lengthscale
    weight = 2.0 * math.sqrt(2.0 * math.pi) / box.period
    height = plan.height if box.attracts else 0.0
    for m in range(min(box.modes, factors.size)):
        frequency = 2.0 * math.pi * (m + 1) / box.period
        a = s * frequency
        b = plan.width * frequency
        factors[m] = weight * plan.variance * a * exp(-0.5 * a * a)
        pull[m] = weight * height * b * exp(-0.5 * b * b)


@nested
def extent(x):
    """Least and greatest of a flat array."""
    low = x[0]
    high = x[0]
    for i in range(x.size):
        low = min(low, x[i])
        high = max(high, x[i])
    return low, high


@inlined
def weigh(partial, factors, pull, number, modes, weighted):
    """Add the chunks' moments in order and weigh them: c_m A_m - number e_m (row 0) and c_m B_m (row 1).

    Rows are as long as a multiple of WIDTH; numbers behind the modes mean nothing.
    """
    for row in range(2):
        for m in range(0, modes, WIDTH):
            sums = load(partial[0, row], m)
            for chunk in range(1, partial.shape[0]):
                sums = add(sums, load(partial[chunk, row], m))
            sums = multiply(sums, load(factors, m))
            if row == 0:
                sums = subtract(sums, multiply(broadcast(number), load(pull, m)))
            store(weighted[row], m, sums)


@compiled
def extent_part(x, first, last):
    """Least and greatest of x[first:last]."""
    return extent(x[first:last])


@compiled
def moments_part(x, first_chunk, last_chunk, box, partial):
    """Moments of the chunks first_chunk..last_chunk-1, each into its row of ``partial`` (chunks, 2, modes)."""
    angles = np.empty(ANGLES)
    lane_sums = np.zeros(box.modes * 2 * WIDTH)
    for chunk in range(first_chunk, last_chunk):
        end = min(x.size, (chunk + 1) * CHUNK)
        for start in range(chunk * CHUNK, end, TILE):
            stop = min(end, start + TILE)
            turn_tile(x, start, stop, box.origin, 1.0 / box.period, angles, 0)
            add_moments(angles, 0, stop - start, box.modes, lane_sums)
        fold_lanes(lane_sums, box.modes, partial[chunk])


@compiled
def series_part(x, first_chunk, last_chunk, box, weighted, factor, out):
    """The series at the particles of the chunks first_chunk..last_chunk-1."""
    angles = np.empty(ANGLES)
    end = min(x.size, last_chunk * CHUNK)
    for start in range(first_chunk * CHUNK, end, TILE):
        stop = min(end, start + TILE)
        turn_tile(x, start, stop, box.origin, 1.0 / box.period, angles, 0)
        evaluate_tile(angles, 0, stop - start, box.modes, weighted, factor, out, start)


@compiled
def weigh_parts(plan, box, partial, number, weighted):
    """Add the chunks' moments in order and weigh them."""
    factors = np.empty(weighted.shape[1])
    pull = np.empty(weighted.shape[1])
    coefficients(plan, box, factors, pull)
    weigh(partial, factors, pull, number, box.modes, weighted)


@compiled
def box_of(plan, low, high):
    """The box for particles in [low, high]; its modes may be too many."""
    return fourier_box(plan, low, high)


class Series(Algorithm[SeriesBox]):
    """Squared exponential on the line, range up to about a hundred lengthscales."""

    name = "truncated Fourier series"

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.take_in(None)

    def take_in(self, attraction: tuple[float, float, float] | None) -> None:
        """Fold the gradient of a Gaussian mean embedding into the Fourier series: (mean, width, height)."""
        self.plan = fourier_plan(self.kernel.lengthscale, self.kernel.variance, self.tolerance, attraction)

    def estimate(self, positions: Array) -> tuple[float, SeriesBox] | None:
        flat = positions.reshape(-1)
        low, high = extent_part(flat, 0, flat.size)
        if not (np.isfinite(low) and np.isfinite(high)):
            return None
        box = box_of(self.plan, low, high)
        return (flat.size * (4.0 + 0.25 * box.modes) + CALL, box) if box.modes <= MOST_MODES else None

    def force(self, positions: Array, prepared: SeriesBox, factor: float, out: Array) -> None:
        """out = factor (1/N sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)), the second only if the box attracts."""
        box = prepared
        flat, flat_out = positions.reshape(-1), out.reshape(-1)
        number = flat.size
        chunks = (number + CHUNK - 1) // CHUNK
        padded = -(-box.modes // WIDTH) * WIDTH
        partial, weighted = np.empty((chunks, 2, padded)), np.empty((2, padded))
        threads.split(lambda a, b: moments_part(flat, a, b, box, partial), chunks, least=2)
        weigh_parts(self.plan, box, partial, number, weighted)
        scale = factor / number
        threads.split(lambda a, b: series_part(flat, a, b, box, weighted, scale, flat_out), chunks, least=2)

    def attracts(self, prepared: SeriesBox) -> bool:
        return bool(prepared.attracts)
