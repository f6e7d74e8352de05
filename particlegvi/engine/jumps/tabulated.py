"""The density that jumps on the line propose from: piecewise linear, and read from a table.

    g(x) = (1 - share) / (m h) sum_j w_j hat((x - t_j) / h) + share b(x),      hat(z) = max(0, 1 - |z|),

with nodes t_j a distance h apart over the m particles c of the other half, and the weights of linear binning
w_j = sum_c hat((c - t_j) / h). So g is exactly the density of: a particle c at random, one of the two nodes beside it
with probabilities hat, and a triangular step of width h from there; and its value anywhere is one interpolation. h is a
number of the ladder range, range / 2, ...: the one with the largest likelihood of up to `TRIED` particles of the
other half, each left out once. Weights of a rung are sums of weights of the next finer one, since hat is piecewise
linear there. ``b`` is as in `particlegvi.engine.jumps.proposals`. All of this depends on the other half only.
"""

import math

import numpy as np

from particlegvi.engine.jumps.proposals import NORMAL, STUDENT
from particlegvi.engine.numerics.compiled import inlined, nested
from particlegvi.engine.numerics.mathematics import MANTISSA, exp, log
from particlegvi.engine.numerics.noise import JUMPS_ROLE, sin_cos_turn, uniform_pair
from particlegvi.engine.numerics.vectors import float_bits

FINEST = 1024  # steps over the range on the finest rung, a power of two
RUNGS = 11
TABLE = 2 * FINEST + 4 * RUNGS  # numbers of all rungs with their margins
TRIED = 32
TRIED_WORD = np.uint64(2)
ONE_CENTRE = 8  # the rung where there is a single particle, in a range of one scale of b
FEW = 32  # fewer particles may need steps longer than their range; the table then covers four ranges
NARROW = 1e-9  # a range below this part of the scale of b is widened to the scale
NOWHERE = 1e-300

KIND, LOCATION, SCALE, SHARE, WALL_LOW, WALL_HIGH = range(6)  # of ``numbers``: given
READY, MEMBERS, PART, LOW, INVERSE, FIRST, STEPS = range(6, 13)  # and found by `tabulate`
NUMBERS = 13


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


@inlined
def _index(whole):
    """A whole number from 0 to 2^52 - 1 as an index: a cast does not vectorise everywhere."""
    return float_bits(whole + 2.0**52) & MANTISSA


@inlined
def _inside(position, end):
    """``position`` where it is in [0, end), else 0, and whether it is."""
    inside = (position >= 0.0) & (position < end)
    return position if inside else 0.0, inside


@nested
def tabulate(m, low, high, side, jump, key, centres, table, numbers):
    """The density for half ``side``, from the other half, into ``numbers`` and ``table``.

    ``centres`` begins with the ``m`` particles of the other half, which lie in [low, high].
    """
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
    # All centres (nearly) coincide: the table takes the width of b instead.
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
        cell = np.floor(position)
        node, part = _index(cell), position - cell
        table[node + np.uint64(1)] += 1.0 - part
        table[node + np.uint64(2)] += part
    first, steps = 0, FINEST
    # A hat function of twice the width is a sum of three: each rung follows from the finer one without the data.
    for _ in range(RUNGS - 1):
        fine = first
        first, steps = first + steps + 3, steps // 2
        table[first] = 0.0
        for j in range(steps + 1):
            left, middle = np.uint64(fine + 2 * j), np.uint64(fine + 2 * j + 1)
            beside = table[left] + table[middle + np.uint64(1)]
            table[np.uint64(first + j + 1)] = table[middle] + 0.5 * beside
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
    at, broad, density, part = np.empty(TRIED), np.empty(TRIED), np.empty(TRIED), np.empty(TRIED)
    below, above, nodes = np.empty(TRIED), np.empty(TRIED), np.empty(TRIED, np.uint64)
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
        for i in range(tried):  # three loops, of which the two without the table vectorise
            place = min((at[i] - low) * inverse, steps + 0.0) + 1.0
            cell = np.floor(place)
            part[i], nodes[i] = place - cell, np.uint64(first) + _index(cell)
        for i in range(tried):
            below[i], above[i] = table[nodes[i]], table[nodes[i] + np.uint64(1)]
        for i in range(tried):
            value = below[i] + part[i] * (above[i] - below[i])
            found = broad[i] + height * (value - (1.0 - part[i]) ** 2 - part[i] ** 2)
            density[i] = log(max(found, NOWHERE))
        score = 0.0
        for i in range(tried):
            score += density[i]
        if score > most:
            best, most = rung, score
        first, steps, inverse = first + steps + 3, steps // 2, 0.5 * inverse
    return best


@inlined
def _broad_draws(numbers, which, count, pick, place, among, steps, out):
    """Draws from b for the first ``count`` of the list ``which``; ``among`` and ``steps`` are scratch."""
    location, scale, share = numbers[LOCATION], numbers[SCALE], numbers[PART]
    for j in range(count):
        among[j], steps[j] = pick[which[j]] / share, place[which[j]]
    if numbers[KIND] == NORMAL:
        for j in range(count):
            _, cosine = sin_cos_turn(steps[j])
            among[j] = location + scale * math.sqrt(-2.0 * log(among[j])) * cosine
    elif numbers[KIND] == STUDENT:  # by inversion
        for j in range(count):
            among[j] = location + scale * (2.0 * steps[j] - 1.0) / math.sqrt(2.0 * steps[j] * (1.0 - steps[j]))
    else:
        for j in range(count):
            among[j] = location + scale * steps[j]
    for j in range(count):
        out[which[j]] = among[j]


@inlined
def draw(numbers, centres, n, pick, place, among, steps, nodes, found, out):
    """``n`` draws from g, from the uniforms ``pick`` and ``place``; all between these and ``out`` are scratch, of which
    ``nodes`` has room for n + 1."""
    share, m, low = numbers[PART], numbers[MEMBERS], numbers[LOW]
    each = m / (1.0 - share) if m > 0.0 and share < 1.0 else 0.0
    for i in range(n):
        among[i] = (pick[i] - share) * each
        side = math.sqrt(2.0 * min(place[i], 1.0 - place[i]))
        steps[i] = side - 1.0 if place[i] < 0.5 else 1.0 - side
    if each > 0.0:
        inverse, most, step = numbers[INVERSE], numbers[STEPS], 1.0 / numbers[INVERSE]
        for i in range(n):
            nodes[i] = _index(np.floor(min(max(among[i], 0.0), m - 1.0)))
        for i in range(n):
            found[i] = centres[nodes[i]]
        for i in range(n):
            position = min((found[i] - low) * inverse, most)
            node = np.floor(position)
            part = among[i] - np.floor(min(max(among[i], 0.0), m - 1.0))
            node += 1.0 if part < position - node else 0.0
            out[i] = low + (node + steps[i]) * step
    count = np.uint64(0)
    for i in range(n):
        nodes[count] = i
        count += np.uint64(not among[i] > 0.0)
    _broad_draws(numbers, nodes, np.int64(count), pick, place, found, steps, out)


@inlined
def density(numbers, table, n, at, broad, nodes, below, above, out):
    """g at the first ``n`` of ``at``; ``broad`` gets log b, and ``nodes``, ``below`` and ``above`` are scratch.

    One loop only reads the table, so that all other loops vectorise.
    """
    log_broad(numbers, at, n, broad)
    low, inverse, end, first = numbers[LOW], numbers[INVERSE], numbers[STEPS] + 2.0, np.uint64(numbers[FIRST])
    share, height = numbers[PART], 0.0
    if numbers[MEMBERS] > 0.0:
        height = (1.0 - share) * inverse / numbers[MEMBERS]
        for i in range(n):
            place, _ = _inside((at[i] - low) * inverse + 1.0, end)
            cell = np.floor(place)
            out[i], nodes[i] = place - cell, _index(cell)
        for i in range(n):
            node = first + nodes[i]
            below[i], above[i] = table[node], table[node + np.uint64(1)]
        for i in range(n):
            _, inside = _inside((at[i] - low) * inverse + 1.0, end)
            out[i] = below[i] + out[i] * (above[i] - below[i]) if inside else 0.0
    else:
        for i in range(n):
            out[i] = 0.0
    for i in range(n):
        out[i] = height * out[i] + share * exp(broad[i])


@inlined
def log_ratio(numbers, n, old, new, g_old, g_new, broad_old, broad_new, decides, ratio):
    """log(g(old) / g(new) / uniform) of the first ``n``; where a proposal is refused minus infinity, and ``new`` the
    old place.
    """
    low, high = numbers[WALL_LOW], numbers[WALL_HIGH]
    for i in range(n):
        ratio[i] = log(g_old[i] / (g_new[i] * decides[i]))
    for i in range(n):
        inside = low <= new[i] <= high and abs(old[i]) < np.inf and abs(new[i]) < np.inf
        new[i] = new[i] if inside else old[i]
        ratio[i] = ratio[i] if inside else -np.inf
    far = math.log(numbers[PART])
    least = np.inf
    for i in range(n):
        least = min(least, min(g_old[i], g_new[i]))
    # The logarithm of a ratio of two numbers that underflow: rare, so that the loops above stay without branches.
    for i in range(n if least < NOWHERE else 0):
        if min(g_old[i], g_new[i]) < NOWHERE and new[i] != old[i]:  # only b is left, too small for a number
            before = log(g_old[i]) if g_old[i] >= NOWHERE else far + broad_old[i]
            after = log(g_new[i]) if g_new[i] >= NOWHERE else far + broad_new[i]
            ratio[i] = before - after - log(decides[i])
