"""The compiled parts of jumps: the halves of the particles, their proposals, and the direct acceptance.

Proposals come from a kernel density of the other half, and from a broad distribution:

    g(x) = (1 - share) / m sum_c N(x; c, diag(width^2)) + share b(x)

over at most `CENTRES` particles c of the other half, spread evenly over its list from a random place on. ``b`` is the
prior where that is normal or uniform, and else a product of Student t's with two degrees of freedom, fitted to the
other half. ``width`` is one number of the ladder 1, 1/2, 1/4, ... times the scale of ``b``: the one with the largest
likelihood of every second centre, each under the g of the others of them. All of this depends on the other half only.

Random numbers have the role "jumps", the number of the jump as their step, and the words below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.mathematics import exp, log
from particlegvi.engine.numerics.noise import JUMPS_ROLE, normal_pair, uniform_pair
from particlegvi.engine.terms import evaluate  # noqa: F401 - registers the methods of terms

CENTRES = 32
LANES = 64
BLOCK = 512  # proposals of one call of a term
NEGLIGIBLE = 1e-20  # terms of a kernel density, relative to its peak
RUNGS = 16
ONE_CENTRE = 3  # the rung for a single centre, which has no spread
NORMAL, UNIFORM, STUDENT = range(3)  # kinds of broad distributions
HALF, GROUP, PICK, ACCEPT, CENTRE, MOVE = (np.uint64(word) for word in range(6))  # words; of coordinates from MOVE on


class Broad(NamedTuple):
    """The broad part of a proposal."""

    kind: int
    location: Array  # (dim,): mean, lower end, or centre
    scale: Array  # (dim,): standard deviation, width of the box, or scale


class Proposal(NamedTuple):
    """The density g."""

    centres: Array  # (dim, m); m may be 0
    width: Array  # (dim,)
    broad: Broad
    share: float  # 1 where there are no centres


@nested
def uniform(particle, jump, word, key):
    even, odd = uniform_pair(np.uint64(particle), np.uint64(jump // 2), JUMPS_ROLE + word, key[0], key[1])
    return even if jump % 2 == 0 else odd


@nested
def _normal(particle, jump, word, key):
    even, odd = normal_pair(np.uint64(particle), np.uint64(jump // 2), JUMPS_ROLE + word, key[0], key[1])
    return even if jump % 2 == 0 else odd


@compiled
def cut(number, jump, chance, key, order):
    """Cut the particles into halves by a coin each; list them in ``order``, first those that propose.

    ``order`` is (2, number). Row ``side`` lists the particles of that half. First come the particles of the group, to
    which a particle belongs with probability ``chance``. Returns (members, proposers) of both halves.
    """
    members = np.zeros(2, np.int64)
    proposers = np.zeros(2, np.int64)
    for wanted in range(2):
        for particle in range(number):
            inside = chance >= 1.0 or uniform(particle, jump, GROUP, key) < chance
            if inside != (wanted == 0):
                continue
            side = 0 if uniform(particle, jump, HALF, key) < 0.5 else 1
            order[side, members[side]] = particle
            members[side] += 1
            if wanted == 0:
                proposers[side] += 1
        if chance >= 1.0:
            break
    return members, proposers


@nested
def _log_broad(broad, point, lane):
    """Log density of the broad part at column ``lane`` of ``point`` (dim, lanes)."""
    total = 0.0
    for i in range(point.shape[0]):
        z = (point[i, lane] - broad.location[i]) / broad.scale[i]
        if broad.kind == NORMAL:
            total -= 0.5 * z * z + 0.5 * math.log(2.0 * math.pi)
        elif broad.kind == STUDENT:
            total -= 1.5 * log(2.0 + z * z)
        elif z < 0.0 or z > 1.0:
            total = -np.inf
        total -= log(broad.scale[i])
    return total


@compiled
def centres_of(x, other, broad, share, jump, side, key):
    """The proposal density from the particles in the list ``other``."""
    dim = x.shape[1]
    m = min(CENTRES, other.size)
    centres = np.empty((dim, m))
    start = uniform(side, jump, CENTRE, key)
    for c in range(m):
        member = other[min(int((c + start) * other.size / m), other.size - 1)]
        for i in range(dim):
            centres[i, c] = x[member, i]
    width = np.empty(dim)
    rung = _best_rung(centres[:, ::2] if m > CENTRES // 2 else centres, broad, share) if m > 1 else ONE_CENTRE
    for i in range(dim):
        width[i] = broad.scale[i] * 0.5**rung
    return centres, width


@nested
def _best_rung(centres, broad, share):
    """The rung with the largest leave-one-out likelihood, among widths of scale / 2^rung."""
    dim, m = centres.shape
    sums = np.zeros((RUNGS, m))
    for a in range(m):
        for b in range(a):
            square = 0.0
            for i in range(dim):
                z = (centres[i, a] - centres[i, b]) / broad.scale[i]
                square += z * z
            term = exp(-0.5 * square)
            for rung in range(RUNGS):
                if term < NEGLIGIBLE:
                    break
                sums[rung, a] += term
                sums[rung, b] += term
                term *= term  # of a width smaller by sqrt(2)
                term *= term
    best, most = 0, -np.inf
    for rung in range(RUNGS):
        height = (1.0 - share) / (m - 1)
        for i in range(dim):
            height *= 2.0**rung / (broad.scale[i] * math.sqrt(2.0 * math.pi))
        score = 0.0
        for c in range(m):
            density = height * sums[rung, c] + share * exp(_log_broad(broad, centres, c))
            score += log(max(density, 1e-300))
        if score > most:
            best, most = rung, score
    return best


@nested
def _log_density(proposal, point, squares):
    """log g at the one column of ``point`` (dim, 1)."""
    dim, m = proposal.centres.shape
    total = 0.0
    if m > 0:
        height = (1.0 - proposal.share) / m
        for c in range(m):
            squares[c] = 0.0
        for i in range(dim):
            inverse = 1.0 / proposal.width[i]
            height *= inverse / math.sqrt(2.0 * math.pi)
            for c in range(m):
                z = (point[i, 0] - proposal.centres[i, c]) * inverse
                squares[c] += z * z
        for c in range(m):
            squares[c] = exp(-0.5 * squares[c])
        for c in range(m):
            total += squares[c]
        total *= height
    far = _log_broad(proposal.broad, point, 0) + log(proposal.share)
    density = total + exp(far)
    return log(density) if density > 0.0 else far


@compiled
def propose(proposal, x, walls, mine, jump, key, first, last, new, log_ratio):
    """Places ``new`` (n, dim) that the particles mine[first:last] propose, and log(g(old) / g(new) / uniform), (n,).

    The uniform is that which decides. The logarithm is minus infinity, and the proposal the old place, where that is
    not finite, and where the proposal lies outside of the walls.
    """
    low, high = walls
    dim = x.shape[1]
    m = proposal.centres.shape[1]
    old = np.empty((dim, 1))
    at = np.empty((dim, 1))
    squares = np.empty(CENTRES)
    for place in range(first, last):
        particle = mine[place]
        pick = uniform(particle, jump, PICK, key)
        centre = min(int((pick - proposal.share) / (1.0 - proposal.share) * m), m - 1) if pick > proposal.share else -1
        inside = True
        for i in range(dim):
            old[i, 0] = x[particle, i]
            word = MOVE + np.uint64(2 * i)
            location, scale = proposal.broad.location[i], proposal.broad.scale[i]
            if centre >= 0:
                at[i, 0] = proposal.centres[i, centre] + proposal.width[i] * _normal(particle, jump, word, key)
            elif proposal.broad.kind == NORMAL:
                at[i, 0] = location + scale * _normal(particle, jump, word, key)
            else:
                u = uniform(particle, jump, word + np.uint64(1), key)
                if proposal.broad.kind == STUDENT:  # by inversion
                    u = (2.0 * u - 1.0) / math.sqrt(2.0 * u * (1.0 - u))
                at[i, 0] = location + scale * u
            inside = inside and low[i] <= at[i, 0] <= high[i] and np.isfinite(old[i, 0]) and np.isfinite(at[i, 0])
        if inside:
            gain = _log_density(proposal, old, squares) - _log_density(proposal, at, squares)
            log_ratio[place] = gain - log(uniform(particle, jump, ACCEPT, key))
        else:
            log_ratio[place] = -np.inf
        for i in range(dim):
            new[place, i] = at[i, 0] if inside else x[particle, i]


@compiled
def add_gains(loss, prior, embedding, weights, x, mine, new, margin):
    """margin += (V(old) - V(new)) / kl_weight, with V = loss + kl_weight (-log p) - lambda1 mu_P.

    ``weights`` is (kl_weight, lambda1).
    """
    kl_weight, lambda1 = weights[0], weights[1]
    dim = x.shape[1]
    for begin in range(0, mine.size, BLOCK):
        count = min(BLOCK, mine.size - begin)
        points = np.empty((dim, 2 * count))  # old and new places in one call, which costs as much as 30 places
        energy = np.empty(2 * count)
        scratch = np.empty(2 * count)
        for i in range(dim):
            for k in range(count):
                points[i, k] = x[mine[begin + k], i]
                points[i, count + k] = new[begin + k, i]
        loss.values(points, energy)
        prior.values(points, scratch)
        for k in range(2 * count):
            energy[k] += kl_weight * scratch[k]
        if lambda1 != 0.0:
            embedding.values(points, scratch)
            for k in range(2 * count):
                energy[k] -= lambda1 * scratch[k]
        for k in range(count):
            margin[begin + k] += (energy[k] - energy[count + k]) / kl_weight


@compiled
def accept_direct(kernel, x, mine, new, margin, factor):
    """Move the accepted particles of ``mine``, in place, one after the other; return how many. ``x`` is (dim, N).

    A particle n that goes from x to y changes the pair energy, sum_{n,m} kappa / 2, by

        D = sum_{m != n} kappa(y, x_m) - kappa(x, x_m),

    with the places that the particles before it have by then. It goes if margin > factor D, where ``margin`` is the
    rest of log A - log(uniform) and factor = lambda1 / (N kl_weight).
    """
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
                here, to = x[i, particle], new[place, i]
                for lane in range(count):
                    other = x[i, start + lane]
                    before[lane] += (here - other) * (here - other)
                    after[lane] += (to - other) * (to - other)
            for lane in range(LANES):
                before[lane] = kernel.value(after[lane]) - kernel.value(before[lane])
            for lane in range(count):
                change += before[lane] if start + lane != particle else 0.0
        if margin[place] > factor * change:
            taken += 1
            for i in range(dim):
                x[i, particle] = new[place, i]
    return taken
