"""Jumps on the line, stage by stage: who is in which half, what the particles of a half propose, and who goes.

Particles are taken in segments of `SEGMENT`. Particles of half 0 stand at the front of a segment of ``rows``, particles
of half 1 at its back. Random numbers have the role "jumps", and the number of the jump as the pair of their step. Word
0 of a particle holds, in one draw of 128 bits, the coin of its half and three uniforms of 42 bits, two that propose and
one that decides. The density of the proposals is in `particlegvi.engine.jumps.tabulated`.

Places in loops are unsigned: of signed ones numba asks whether they are negative, and then nothing vectorises.
"""

import numpy as np

from particlegvi.engine.jumps.proposals import GROUP, uniform
from particlegvi.engine.jumps.tabulated import READY, density, draw, log_ratio, tabulate
from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.noise import EXPONENT_ONE, JUMPS_ROLE, LOW, SHIFT_32, philox
from particlegvi.engine.numerics.vectors import WIDTH, bits_float, broadcast, fma, load, maximum, minimum, store, total
from particlegvi.engine.steps.flow import take_steps

SEGMENT = 512
SOME = 1024  # proposers that are worked on together, of some segments
LANES = 64
MANTISSA = np.uint64(2**52 - 1)
LAST_21 = np.uint64(2**21 - 1)

UNIFORM, PICK, PLACE, OLD, NEW, MARGIN = range(6)  # rows of a segment
ROWS = 6
CUT, TABULATE, PROPOSE, SETTLE = 1, 2, 4, 8  # stages


@inlined
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
def cut(number, jump, chance, key, members, counts, rows, first, last):
    """Cut the particles of the segments first..last-1 into halves; those outside of the group go to row 1."""
    k0, k1 = key
    number_of_jump = np.uint64(jump)
    low, high = number_of_jump & LOW, number_of_jump >> SHIFT_32
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
                    at = np.uint64(back - 1 if side == 1 else front)
                    back -= side
                    front += 1 - side
                    members[0, at] = start + lane
                    rows[PICK, at] = numbers[0, lane]
                    rows[PLACE, at] = numbers[1, lane]
                    rows[UNIFORM, at] = numbers[2, lane]
                else:
                    at = np.uint64(back_rest - 1 if side == 1 else front_rest)
                    back_rest -= side
                    front_rest += 1 - side
                    members[1, at] = start + lane
        counts[0, 0, segment] = front - begin
        counts[0, 1, segment] = begin + SEGMENT - back
        if counts.shape[0] > 1:
            counts[1, 0, segment] = front_rest - begin
            counts[1, 1, segment] = begin + SEGMENT - back_rest


@nested
def gather(x, side, members, counts, centres):
    """Places of all particles of half ``side``, behind which ``centres`` has room for WIDTH more.

    Returns how many, the least and the greatest; none where they are not all finite.
    """
    m = 0
    for row in range(members.shape[0]):
        for segment in range(counts.shape[2]):
            start = segment * SEGMENT
            stop = start + counts[row, 0, segment]
            if side == 1:
                start, stop = start + SEGMENT - counts[row, 1, segment], start + SEGMENT
            for at in range(start, stop):
                centres[np.uint64(m + at - start)] = x[np.uint64(members[row, np.uint64(at)])]
            m += stop - start
    if m == 0:
        return 0, 0.0, 0.0
    for c in range(m, m + WIDTH):
        centres[c] = centres[0]
    zero, lanes = broadcast(0.0), np.empty(2 * WIDTH)
    least, greatest, nothing = load(centres, 0), load(centres, 0), zero
    for c in range(0, m, WIDTH):
        some = load(centres, c)
        least, greatest = minimum(some, least), maximum(some, greatest)
        nothing = fma(some, zero, nothing)
    store(lanes, 0, least)
    store(lanes, WIDTH, greatest)
    low, high = lanes[0], lanes[WIDTH]
    for lane in range(WIDTH):
        low, high = min(low, lanes[lane]), max(high, lanes[WIDTH + lane])
    return (m, low, high) if total(nothing) == 0.0 and high - low < np.inf else (0, 0.0, 0.0)


@inlined
def _together(counts, side, segment, last, most):
    """The proposers of half ``side`` in the segments from ``segment`` on, at most ``most`` of them or one segment: how
    many, and the segment after them."""
    n, until = counts[0, side, segment], segment + 1
    while until < last and n + counts[0, side, until] <= most:
        n += counts[0, side, until]
        until += 1
    return n, until


@nested
def propose(x, side, members, counts, rows, centres, table, numbers, first, last):
    """Old and new places and log(g(old) / g(new) / uniform) of half ``side`` in the segments first..last-1.

    The logarithm is minus infinity, and the proposal the old place, where the proposal lies outside of the walls or the
    particle is not finite, and where there is nothing to propose from.
    """
    pick, place, decides, nodes = np.empty(SOME), np.empty(SOME), np.empty(SOME), np.empty(SOME + 1, np.uint64)
    old, new, ratio, g_old, g_new = np.empty(SOME), np.empty(SOME), np.empty(SOME), np.empty(SOME), np.empty(SOME)
    broad_old, broad_new, below, above = np.empty(SOME), np.empty(SOME), np.empty(SOME), np.empty(SOME)
    segment = first
    while segment < last:
        n, until = _together(counts, side, segment, last, SOME)
        at = 0
        for some in range(segment, until):
            start, stop = span(counts, some, side)
            for i in range(stop - start):
                there, here = np.uint64(start + i), np.uint64(at + i)
                pick[here], place[here], decides[here] = rows[PICK, there], rows[PLACE, there], rows[UNIFORM, there]
                old[here] = x[np.uint64(members[0, there])]
            at += stop - start
        if numbers[READY] == 0.0:
            for i in range(n):
                new[i], ratio[i] = old[i], -np.inf
        else:
            draw(numbers, centres, n, pick, place, g_old, g_new, nodes, below, new)
            density(numbers, table, n, old, broad_old, nodes, below, above, g_old)
            density(numbers, table, n, new, broad_new, nodes, below, above, g_new)
            log_ratio(numbers, n, old, new, g_old, g_new, broad_old, broad_new, decides, ratio)
        at = 0
        for some in range(segment, until):
            start, stop = span(counts, some, side)
            for i in range(stop - start):
                there, here = np.uint64(start + i), np.uint64(at + i)
                rows[OLD, there], rows[NEW, there], rows[MARGIN, there] = old[here], new[here], ratio[here]
            at += stop - start
        segment = until


@nested
def settle(x, side, members, counts, rows, first, last):
    """Move the particles of half ``side`` whose margin is above 0; returns how many."""
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
    """The asked stages of a jump of half ``side``, in the order of their numbers.

    ``x`` is (particles,), ``members`` (1 or 2, places), ``counts`` (1 or 2, 2, segments), ``rows`` (ROWS, places),
    ``centres`` (particles + WIDTH,), ``table`` (TABLE,), ``numbers`` (NUMBERS,). Returns how many moved.
    """
    if stages & CUT:
        cut(x.size, jump, chance, key, members, counts, rows, first, last)
    if stages & TABULATE:
        m, low, high = gather(x, 1 - side, members, counts, centres)
        tabulate(m, low, high, side, jump, key, centres, table, numbers)
    if stages & PROPOSE:
        propose(x, side, members, counts, rows, centres, table, numbers, first, last)
    return settle(x, side, members, counts, rows, first, last) if stages & SETTLE else 0


@nested
def add_potential(loss, prior, embedding, weights, side, counts, rows, first, last):
    """Add (V(old) - V(new)) / kl_weight to the rows MARGIN of half ``side``, so far log(g(old) / g(new) / uniform).

    ``weights`` is (kl_weight, lambda1), with V = loss + kl_weight (-log p) - lambda1 mu_P.
    """
    kl_weight, lambda1 = weights[0], weights[1]
    points, energy, scratch = np.empty(2 * SOME), np.empty(2 * SOME), np.empty(2 * SOME)
    segment = first
    while segment < last:  # old and new places in one call, because a call costs as much as 30 places
        n, until = _together(counts, side, segment, last, SOME)
        at = 0
        for some in range(segment, until):
            start, stop = span(counts, some, side)
            for i in range(stop - start):
                there = np.uint64(start + i)
                points[np.uint64(at + i)], points[np.uint64(n + at + i)] = rows[OLD, there], rows[NEW, there]
            at += stop - start
        places, values, more = points[: 2 * n].reshape((1, 2 * n)), energy[: 2 * n], scratch[: 2 * n]
        loss.values(places, values)
        prior.values(places, more)
        for i in range(2 * n):
            values[i] += kl_weight * more[i]
        if lambda1 != 0.0:
            embedding.values(places, more)
            for i in range(2 * n):
                values[i] -= lambda1 * more[i]
        at = 0
        for some in range(segment, until):
            start, stop = span(counts, some, side)
            for i in range(stop - start):
                gain = energy[np.uint64(at + i)] - energy[np.uint64(n + at + i)]
                rows[MARGIN, np.uint64(start + i)] += gain / kl_weight
            at += stop - start
        segment = until


@compiled
def margins(loss, prior, embedding, weights, side, counts, rows, first, last):
    """`add_potential`, from Python."""
    add_potential(loss, prior, embedding, weights, side, counts, rows, first, last)


@compiled
def advance_jumping(
    loss, prior, embedding, weights, switches, positions, forces, stepping, seed, first_step, steps, every, jumps
):
    """Steps of the plain scheme (`take_steps`), and after every ``every``-th a jump: particles do not interact.

    ``jumps`` has the arguments of a `stage` from ``chance`` on, but x. Returns how many proposed, and how many moved.
    """
    chance, key, members, counts, rows, centres, table, numbers = jumps
    x, segments = positions.reshape(-1), counts.shape[2]
    proposed, taken = 0, 0
    step, end = first_step, first_step + steps
    while step < end:
        count = min(end - step, every - step % every)
        take_steps(
            loss, prior, embedding, weights, switches, positions, forces, stepping, first_step, seed, step, count, 0,
            x.size,
        )  # fmt: skip
        step += count
        if step % every > 0:
            continue
        jump = step // every - 1
        cut(x.size, jump, chance, key, members, counts, rows, 0, segments)
        for side in range(2):
            m, low, high = gather(x, 1 - side, members, counts, centres)
            tabulate(m, low, high, side, jump, key, centres, table, numbers)
            propose(x, side, members, counts, rows, centres, table, numbers, 0, segments)
            add_potential(loss, prior, embedding, weights, side, counts, rows, 0, segments)
            for segment in range(segments if numbers[READY] > 0.0 else 0):
                proposed += counts[0, side, segment]
            taken += settle(x, side, members, counts, rows, 0, segments)
    return proposed, taken
