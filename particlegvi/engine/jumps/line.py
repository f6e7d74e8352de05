"""Proposals of jumps on the line: a piecewise linear density of the other half of the particles, read from a table.

    g(x) = (1 - share) / (m h) sum_j w_j hat((x - t_j) / h) + share b(x),      hat(z) = max(0, 1 - |z|),

with nodes t_j a distance h apart over the m particles c of the other half, and the weights of linear binning
w_j = sum_c hat((c - t_j) / h). So g is exactly the density of: a particle c at random, one of the two nodes beside it
with probabilities hat, and a triangular step of width h from there; and its value anywhere is one interpolation. h is a
number of the ladder range, range / 2, ...: the one with the largest likelihood of up to `TRIED` particles of the
other half, each left out once. Weights of a rung are sums of those of the next finer one, since hat is piecewise linear
there. ``b`` is as in `particlegvi.engine.jumps.proposals`. All of this depends on the other half only.

Particles are taken in segments of `SEGMENT`. Those of half 0 stand at the front of a segment of ``rows``, those of half
1 at its back. Random numbers have the role "jumps", and the number of the jump as the pair of their step: word 0 of a
particle holds, in one draw of 128 bits, the coin of its half and three uniforms of 42 bits, two that propose and one
that decides; word 2 of particles 0 and 1 holds where the `TRIED` begin.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.jumps.proposals import GROUP, NORMAL, STUDENT, uniform
from particlegvi.engine.numerics.bits import bits_float
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.mathematics import exp, log
from particlegvi.engine.numerics.noise import (
    EXPONENT_ONE,
    JUMPS_ROLE,
    SHIFT_32,
    philox,
    sin_cos_turn,
    uniform_pair,
)
from particlegvi.engine.numerics.noise import (
    LOW as LOW_WORD,
)

SEGMENT = 512
LANES = 64
FINEST = 1024  # steps over the range on the finest rung, a power of two
RUNGS = 11
TABLE = 2 * FINEST + 4 * RUNGS  # numbers of all rungs with their margins
TRIED = 32
TRIED_WORD = np.uint64(2)
ONE_CENTRE = 8  # the rung where there is a single particle, in a range of one scale of b
FEW = 32  # particles below this number may need steps longer than their range, which is taken four times as long
NARROW = 1e-9  # a range below this part of the scale of b is widened to the scale
NOWHERE = 1e-300
MANTISSA = np.uint64(2**52 - 1)
LAST_21 = np.uint64(2**21 - 1)

UNIFORM, PICK, PLACE, OLD, NEW, MARGIN = range(6)  # rows of a segment
ROWS = 6
KIND, LOCATION, SCALE, SHARE, WALL_LOW, WALL_HIGH = range(6)  # of ``numbers``: given
READY, MEMBERS, PART, LOW, INVERSE, FIRST, STEPS = range(6, 13)  # and found by `_tabulate`
NUMBERS = 13
CUT, TABULATE, PROPOSE, SETTLE = 1, 2, 4, 8  # stages


@nested
def span(counts, segment, side):
    """First and last place of the proposers of half ``side`` in a segment of ``rows``."""
    start = segment * SEGMENT
    if side == 0:
        return start, start + counts[0, 0, segment]
    return start + SEGMENT - counts[0, 1, segment], start + SEGMENT


@inlined
def _uniform_42(bits):
    """A number in (0, 1) from the last 42 bits: the midpoint of its cell."""
    return bits_float(((bits << np.uint64(10)) & MANTISSA) | EXPONENT_ONE) - (1.0 - 2.0**-43)


@nested
def _cut(number, jump, chance, key, members, counts, rows, first, last):
    """Cut the particles of the segments first..last-1 into halves; those outside of the group go to row 1."""
    k0, k1 = key
    number_of_jump = np.uint64(jump)
    low, high = number_of_jump & LOW_WORD, number_of_jump >> SHIFT_32
    coins = np.empty(LANES, np.int64)
    numbers = np.empty((3, LANES))
    for segment in range(first, last):
        begin = segment * SEGMENT
        end = min(number, begin + SEGMENT)
        front, back = begin, begin + SEGMENT
        front_rest, back_rest = begin, begin + SEGMENT
        for start in range(begin, end, LANES):
            for lane in range(LANES):
                a, b, c, d = philox(np.uint64(start + lane), low, high, JUMPS_ROLE, k0, k1)
                one, two = (a << SHIFT_32) | b, (c << SHIFT_32) | d
                coins[lane] = np.int64(one >> np.uint64(63))
                numbers[0, lane] = _uniform_42(one >> np.uint64(21))
                numbers[1, lane] = _uniform_42(two >> np.uint64(22))
                numbers[2, lane] = _uniform_42((one << np.uint64(21)) | (two & LAST_21))
            for lane in range(min(LANES, end - start)):
                side = coins[lane]
                if chance >= 1.0 or uniform(start + lane, jump, GROUP, key) < chance:
                    at = back - 1 if side == 1 else front
                    back -= side
                    front += 1 - side
                    members[0, at] = start + lane
                    rows[PICK, at] = numbers[0, lane]
                    rows[PLACE, at] = numbers[1, lane]
                    rows[UNIFORM, at] = numbers[2, lane]
                else:
                    at = back_rest - 1 if side == 1 else front_rest
                    back_rest -= side
                    front_rest += 1 - side
                    members[1, at] = start + lane
        counts[0, 0, segment] = front - begin
        counts[0, 1, segment] = begin + SEGMENT - back
        if counts.shape[0] > 1:
            counts[1, 0, segment] = front_rest - begin
            counts[1, 1, segment] = begin + SEGMENT - back_rest


@nested
def _gather(x, side, members, counts, centres):
    """Places of all particles of half ``side``; returns how many, the least and the greatest."""
    m = 0
    low, high = np.inf, -np.inf
    for row in range(members.shape[0]):
        for segment in range(counts.shape[2]):
            start = segment * SEGMENT
            stop = start + counts[row, 0, segment]
            if side == 1:
                start, stop = start + SEGMENT - counts[row, 1, segment], start + SEGMENT
            for at in range(start, stop):
                centres[m + at - start] = x[members[row, at]]
            m += stop - start
    for c in range(m):
        low = min(low, centres[c])
        high = max(high, centres[c])
    total = 0.0
    for c in range(m):
        total += centres[c]
    return (m, low, high) if np.isfinite(total) and high - low < np.inf else (0, 0.0, 0.0)


@nested
def log_broad(numbers, at, count, out):
    """Log density of b at the first ``count`` numbers of ``at``."""
    location, inverse = numbers[LOCATION], 1.0 / numbers[SCALE]
    constant = -math.log(numbers[SCALE])
    if numbers[KIND] == NORMAL:
        constant -= 0.5 * math.log(2.0 * math.pi)
        for i in range(count):
            z = (at[i] - location) * inverse
            out[i] = constant - 0.5 * z * z
    elif numbers[KIND] == STUDENT:
        for i in range(count):
            z = (at[i] - location) * inverse
            out[i] = constant - 1.5 * log(2.0 + z * z)
    else:
        for i in range(count):
            z = (at[i] - location) * inverse
            out[i] = constant if 0.0 <= z <= 1.0 else -np.inf


@nested
def _interpolated(table, first, steps, position):
    """The sum of w_j hat at ``position``, in steps from the node before the first, and the part of a step there."""
    inside = 0.0 <= position < steps + 2.0
    cell = np.uint64(position) if inside else np.uint64(0)
    part = position - cell
    at = np.uint64(first) + cell
    value = table[at] + part * (table[at + np.uint64(1)] - table[at])
    return (value, part) if inside else (0.0, 0.0)


@nested
def _tabulate(x, side, jump, key, members, counts, centres, table, numbers):
    """The density for half ``side``, from the other half, into ``numbers`` and ``table``."""
    m, low, high = _gather(x, 1 - side, members, counts, centres)
    if numbers[KIND] == STUDENT:
        mean, spread = 0.0, 0.0
        for c in range(m):
            mean += centres[c]
        mean /= max(m, 1)
        for c in range(m):
            spread += (centres[c] - mean) ** 2
        numbers[LOCATION] = mean
        numbers[SCALE] = math.sqrt(spread / max(m, 1))
        numbers[READY] = 1.0 if m >= 2 and 0.0 < numbers[SCALE] < np.inf else 0.0
    else:
        numbers[READY] = 1.0
    numbers[MEMBERS] = m
    numbers[PART] = numbers[SHARE] if m > 0 else 1.0
    if m == 0 or numbers[READY] == 0.0:
        return
    if not high - low > NARROW * numbers[SCALE]:
        low -= 0.5 * numbers[SCALE]
        high = low + numbers[SCALE]
    elif m < FEW:
        margin = 1.5 * (high - low)
        low, high = low - margin, high + margin
    inverse = FINEST / (high - low)
    for i in range(FINEST + 3):
        table[i] = 0.0
    for c in range(m):
        position = min((centres[c] - low) * inverse, FINEST + 0.0)
        node = np.int64(position)
        part = position - node
        table[node + 1] += 1.0 - part
        table[node + 2] += part
    first, steps = 0, FINEST
    for _ in range(RUNGS - 1):
        fine = first
        first, steps = first + steps + 3, steps // 2
        table[first] = 0.0
        for j in range(steps + 1):
            table[first + j + 1] = table[fine + 2 * j + 1] + 0.5 * (table[fine + 2 * j] + table[fine + 2 * j + 2])
        table[first + steps + 2] = 0.0
    rung = _best_rung(side, jump, key, centres, table, numbers, low, inverse) if m > 1 else ONE_CENTRE
    first, steps = 0, FINEST
    for _ in range(rung):
        first, steps, inverse = first + steps + 3, steps // 2, 0.5 * inverse
    numbers[LOW], numbers[INVERSE], numbers[FIRST], numbers[STEPS] = low, inverse, first, steps


@nested
def _best_rung(side, jump, key, centres, table, numbers, low, inverse):
    """The rung with the largest leave-one-out likelihood of `TRIED` particles, evenly spread over the list."""
    m = int(numbers[MEMBERS])
    begin, _ = uniform_pair(np.uint64(side), np.uint64(jump), JUMPS_ROLE + TRIED_WORD, key[0], key[1])
    tried = min(TRIED, m)
    at, broad, density = np.empty(TRIED), np.empty(TRIED), np.empty(TRIED)
    for i in range(tried):
        at[i] = centres[min(np.int64((i + begin) * m / tried), m - 1)]
    log_broad(numbers, at, tried, broad)
    share = numbers[SHARE]
    for i in range(tried):
        broad[i] = share * exp(broad[i])
    best, most = 0, -np.inf
    first, steps = 0, FINEST
    for rung in range(RUNGS):
        height = (1.0 - share) * inverse / (m - 1)
        for i in range(tried):
            value, part = _interpolated(table, first, steps, min((at[i] - low) * inverse, steps + 0.0) + 1.0)
            density[i] = broad[i] + height * (value - (1.0 - part) ** 2 - part**2)
        score = 0.0
        for i in range(tried):
            density[i] = log(max(density[i], NOWHERE))
        for i in range(tried):
            score += density[i]
        if score > most:
            best, most = rung, score
        first, steps, inverse = first + steps + 3, steps // 2, 0.5 * inverse
    return best


@nested
def _broad_draw(numbers, pick, place):
    """A draw from b, from two uniforms."""
    location, scale = numbers[LOCATION], numbers[SCALE]
    if numbers[KIND] == NORMAL:
        _, cosine = sin_cos_turn(place)
        return location + scale * math.sqrt(-2.0 * log(pick)) * cosine
    if numbers[KIND] == STUDENT:  # by inversion
        return location + scale * (2.0 * place - 1.0) / math.sqrt(2.0 * place * (1.0 - place))
    return location + scale * place


@nested
def _draw(numbers, centres, pick, place, among, steps, out):
    """Draws from g, from the uniforms ``pick`` and ``place`` (n,); ``among`` and ``steps`` are scratch."""
    share, m, low = numbers[PART], np.int64(numbers[MEMBERS]), numbers[LOW]
    each = m / (1.0 - share) if m > 0 and share < 1.0 else 0.0
    for i in range(out.size):
        among[i] = (pick[i] - share) * each
        side = math.sqrt(2.0 * min(place[i], 1.0 - place[i]))
        steps[i] = side - 1.0 if place[i] < 0.5 else 1.0 - side
    inverse, most, step = numbers[INVERSE], numbers[STEPS], 1.0 / numbers[INVERSE]
    for i in range(out.size):
        if each > 0.0 and among[i] > 0.0:
            centre = min(np.uint64(among[i]), np.uint64(m - 1))
            position = min((centres[centre] - low) * inverse, most)
            node = np.floor(position)
            node += 1.0 if among[i] - centre < position - node else 0.0
            out[i] = low + (node + steps[i]) * step
        else:
            out[i] = _broad_draw(numbers, pick[i] / share, place[i])


@nested
def _density(numbers, table, at, broad, out):
    """g at ``at`` (n,); ``broad`` gets log b."""
    log_broad(numbers, at, at.size, broad)
    low, inverse, steps = numbers[LOW], numbers[INVERSE], numbers[STEPS]
    first, share = np.int64(numbers[FIRST]), numbers[PART]
    height = (1.0 - share) * inverse / max(numbers[MEMBERS], 1.0)
    for i in range(at.size):
        out[i] = 0.0
    if numbers[MEMBERS] > 0.0:
        for i in range(at.size):
            out[i] = _interpolated(table, first, steps, (at[i] - low) * inverse + 1.0)[0]
    for i in range(at.size):
        out[i] = height * out[i] + share * exp(broad[i])


@nested
def _log_ratio(numbers, old, new, g_old, g_new, broad_old, broad_new, decides, ratio):
    """log(g(old) / g(new) / uniform); minus infinity, and ``new`` the old place, where the proposal is refused."""
    low, high = numbers[WALL_LOW], numbers[WALL_HIGH]
    for i in range(ratio.size):
        ratio[i] = log(g_old[i] / (g_new[i] * decides[i]))
    for i in range(ratio.size):
        inside = low <= new[i] <= high and abs(old[i]) < np.inf and abs(new[i]) < np.inf
        new[i] = new[i] if inside else old[i]
        ratio[i] = ratio[i] if inside else -np.inf
    far = math.log(numbers[PART])
    for i in range(ratio.size):
        if min(g_old[i], g_new[i]) < NOWHERE and new[i] != old[i]:  # only b is left, too small for a number
            before = log(g_old[i]) if g_old[i] >= NOWHERE else far + broad_old[i]
            after = log(g_new[i]) if g_new[i] >= NOWHERE else far + broad_new[i]
            ratio[i] = before - after - log(decides[i])


@nested
def _propose(x, side, members, counts, rows, centres, table, numbers, first, last):
    """Old and new places and log(g(old) / g(new) / uniform) of half ``side`` in the segments first..last-1.

    The logarithm is minus infinity, and the proposal the old place, where the proposal lies outside of the walls or the
    particle is not finite, and where there is nothing to propose from.
    """
    all_broad, all_g = np.empty((2, SEGMENT)), np.empty((2, SEGMENT))
    for segment in range(first, last):
        start, stop = span(counts, segment, side)
        old, new, ratio = rows[OLD][start:stop], rows[NEW][start:stop], rows[MARGIN][start:stop]
        count = stop - start
        if numbers[READY] == 0.0:
            for i in range(count):
                old[i] = x[members[0, start + i]]
                new[i] = old[i]
                ratio[i] = -np.inf
            continue
        for i in range(count):
            old[i] = x[members[0, start + i]]
        broad_old, broad_new = all_broad[0][:count], all_broad[1][:count]
        g_old, g_new = all_g[0][:count], all_g[1][:count]
        _draw(numbers, centres, rows[PICK][start:stop], rows[PLACE][start:stop], g_old, g_new, new)
        for which in range(2):  # OLD and NEW
            _density(numbers, table, rows[OLD + which][start:stop], all_broad[which][:count], all_g[which][:count])
        _log_ratio(numbers, old, new, g_old, g_new, broad_old, broad_new, rows[UNIFORM][start:stop], ratio)


@nested
def _settle(x, side, members, counts, rows, first, last):
    """Move those of half ``side`` whose margin is above 0; returns how many."""
    taken = 0
    for segment in range(first, last):
        start, stop = span(counts, segment, side)
        for at in range(start, stop):
            if rows[MARGIN, at] > 0.0:
                x[members[0, at]] = rows[NEW, at]
                taken += 1
    return taken


@compiled
def stage(stages, side, jump, chance, key, x, members, counts, rows, centres, table, numbers, first, last):
    """The asked stages of a jump, in the order of their numbers, `SETTLE` first, which is of the other half.

    ``x`` is (particles,), ``members`` (1 or 2, places), ``counts`` (1 or 2, 2, segments), ``rows`` (ROWS, places),
    ``centres`` (particles,), ``table`` (TABLE,), ``numbers`` (NUMBERS,). Returns how many moved.
    """
    taken = 0
    if stages & SETTLE:
        taken = _settle(x, 1 - side, members, counts, rows, first, last)
    if stages & CUT:
        _cut(x.size, jump, chance, key, members, counts, rows, first, last)
    if stages & TABULATE:
        _tabulate(x, side, jump, key, members, counts, centres, table, numbers)
    if stages & PROPOSE:
        _propose(x, side, members, counts, rows, centres, table, numbers, first, last)
    return taken


@compiled
def margins(loss, prior, embedding, weights, side, counts, rows, first, last):
    """Add (V(old) - V(new)) / kl_weight to the rows MARGIN of half ``side``, so far log(g(old) / g(new) / uniform).

    ``weights`` is (kl_weight, lambda1), with V = loss + kl_weight (-log p) - lambda1 mu_P.
    """
    before, after, scratch = np.empty(SEGMENT), np.empty(SEGMENT), np.empty(SEGMENT)
    for segment in range(first, last):
        start, stop = span(counts, segment, side)
        count = stop - start
        for row in (OLD, NEW):
            points = rows[row][start:stop].reshape((1, count))
            out = before[:count] if row == OLD else after[:count]
            loss.values(points, out)
            prior.values(points, scratch[:count])
            for i in range(count):
                out[i] += weights[0] * scratch[i]
            if weights[1] != 0.0:
                embedding.values(points, scratch[:count])
                for i in range(count):
                    out[i] -= weights[1] * scratch[i]
        for i in range(count):
            rows[MARGIN, start + i] += (before[i] - after[i]) / weights[0]
