"""The compiled parts of jumps: the halves of the particles, their proposals, and the direct acceptance.

A particle x of one half proposes

    y = x + (a - b)     with two different particles a and b of the other half, or, with probability ``share``,
    y ~ broad           a draw of its own.

The first proposal is symmetric, because (a, b) and (b, a) are equally likely (ter Braak 2006): it leads from one mode
into another where b is in the mode of x. ``broad`` is the prior where that is normal or uniform, and else a product of
Student t's with two degrees of freedom, fitted to the other half. Nothing here depends on the half that moves but x.

Random numbers have the role "jumps", the number of the jump as the pair of their step, and the words below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.mathematics import log
from particlegvi.engine.numerics.noise import JUMPS_ROLE, normal_pair, uniform_pair

LANES = 64
BLOCK = 512  # proposals of one call of a term
NORMAL, UNIFORM, STUDENT = range(3)  # kinds of broad distributions
HALF, PICK, MEMBERS, MOVE = (np.uint64(word) for word in range(4))  # words; of coordinates from MOVE on


class Broad(NamedTuple):
    """The broad part of a proposal."""

    kind: int
    location: Array  # (dim,): mean, lower end, or centre
    scale: Array  # (dim,): standard deviation, width of the box, or scale


@nested
def uniforms(particle, jump, word, key):
    """Two uniforms of a particle in a jump."""
    return uniform_pair(np.uint64(particle), np.uint64(jump), JUMPS_ROLE + word, key[0], key[1])


@compiled
def halves(number, jump, chance, key, order):
    """Cut the particles into halves by a coin each; list them in ``order`` (2, number).

    Row ``side`` begins with the particles of that half that propose, to which a particle belongs with probability
    ``chance``; the others of the half follow. Returns how many propose, and how many there are, (2,) each.
    """
    proposers = np.zeros(2, np.int64)
    members = np.zeros(2, np.int64)
    for proposes in (True, False):
        for particle in range(number):
            coin, u = uniforms(particle, jump, HALF, key)
            if (u < chance) == proposes:
                side = 0 if coin < 0.5 else 1
                order[side, members[side]] = particle
                members[side] += 1
                proposers[side] += proposes
        if chance >= 1.0:
            break
    return proposers, members


@nested
def draw_broad(broad, i, particle, jump, key):
    """Coordinate ``i`` of a draw of a particle from the broad part."""
    word = MOVE + np.uint64(i)
    if broad.kind == NORMAL:
        z, _ = normal_pair(np.uint64(particle), np.uint64(jump), JUMPS_ROLE + word, key[0], key[1])
    else:
        z, _ = uniforms(particle, jump, word, key)
        if broad.kind == STUDENT:  # by inversion
            z = (2.0 * z - 1.0) / math.sqrt(2.0 * z * (1.0 - z))
    return broad.location[i] + broad.scale[i] * z


@nested
def log_broad(broad, i, x):
    """Log density of the broad part in coordinate ``i``, up to a constant."""
    z = (x - broad.location[i]) / broad.scale[i]
    if broad.kind == NORMAL:
        return -0.5 * z * z
    if broad.kind == STUDENT:
        return -1.5 * log(2.0 + z * z)
    return 0.0 if 0.0 <= z <= 1.0 else -np.inf


@compiled
def propose(broad, share, walls, x, mine, other, jump, key, first, last, new, log_ratio):
    """Places ``new`` (n, dim) that the particles mine[first:last] propose, and log(g(old) / g(new) / uniform), (n,).

    The uniform is that which decides. The logarithm is minus infinity, and the proposal the old place, where that is
    not finite, and where the proposal lies outside of the walls.
    """
    low, high = walls
    for place in range(first, last):
        particle = mine[place]
        pick, decides = uniforms(particle, jump, PICK, key)
        u, v = uniforms(particle, jump, MEMBERS, key)
        a = int(u * other.size)
        b = (a + 1 + int(v * (other.size - 1))) % max(other.size, 1)
        is_broad = pick < share or other.size < 2
        ratio = -log(decides)
        for i in range(x.shape[1]):
            old = x[particle, i]
            if is_broad:
                to = draw_broad(broad, i, particle, jump, key)
                ratio += log_broad(broad, i, old) - log_broad(broad, i, to)
            else:
                to = old + (x[other[a], i] - x[other[b], i])
            new[place, i] = to
            if not (low[i] <= to <= high[i] and np.isfinite(old) and np.isfinite(to)):
                ratio = -np.inf
        log_ratio[place] = ratio
        if ratio == -np.inf:
            for i in range(x.shape[1]):
                new[place, i] = x[particle, i]


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
