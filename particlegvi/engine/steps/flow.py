"""The compiled step of every particle method: blocks of particles, structure of arrays, many steps at a time.

One step of the free-energy flow (thesis C.123, with the signs of 5.4.3) for particle x, coordinate by coordinate:

    drift  = grad loss + kl_weight * grad(-log p) - lambda1 * grad mu_P + force
    x     <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}

``force`` is the repulsion of the other particles, or the gradient of a loss written in plain numpy. The integrator
chooses ``gain``, ``noise_now`` and ``noise_next`` (see :mod:`particlegvi.integrators`). Terms whose weight is zero are
skipped, so that one method reduces to the next bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, fill_normals
from particlegvi.engine.terms import evaluate  # noqa: F401 - registers the methods of terms

LANES = 32  # blocks are multiples of this
WIDEST = 512  # numbers in a row of all coordinates of a block


class Switches(NamedTuple):
    """The parts of a step that are on, as entries of an array that compiled code reads at every step.

    They are constant in a run, but LLVM must not know: it would make a copy of the whole loop for each combination,
    which multiplies the compile time by ten.
    """

    prior: int = 0
    embedding: int = 0
    force: int = 0
    noise: int = 0
    two_noises: int = 0
    walls: int = 0
    kept: int = 0


PRIOR, EMBEDDING, FORCE, NOISE, TWO_NOISES, WALLS, KEPT = range(7)


@inlined
def move(x, drift, stepping, row, normals, step, ahead, switches):
    """The step itself, in place, for one block, with row ``row`` of the coefficients.

    ``normals`` (4, dim, lanes) has those of steps ``step`` and ``ahead`` at these numbers modulo 4.
    """
    gain, noise_now, noise_next, low, high = stepping
    for coordinate in range(x.shape[0]):
        size = gain[row, coordinate]
        a = noise_now[row, coordinate]
        b = noise_next[row, coordinate]
        if switches[NOISE]:
            for lane in range(x.shape[1]):
                noise = a * normals[step % 4, coordinate, lane] + b * normals[ahead % 4, coordinate, lane]
                x[coordinate, lane] -= size * drift[coordinate, lane] - noise
        else:
            for lane in range(x.shape[1]):
                x[coordinate, lane] -= size * drift[coordinate, lane]
    if switches[WALLS]:
        reflect(x, low, high)


@inlined
def add_prior(prior, embedding, weights, switches, x, drift, scratch):
    """Add the prior's parts of grad V to drift (dim, lanes), with the weights of a `Potential`.

    With the gradient of the loss before, drift is grad V. Both in one function would count references to arrays twice,
    as a whole `Potential` would.
    """
    kl_weight, lambda1 = weights[0], weights[1]
    if switches[PRIOR]:
        prior.gradients(x, scratch)
        for coordinate in range(x.shape[0]):
            for lane in range(x.shape[1]):
                drift[coordinate, lane] += kl_weight * scratch[coordinate, lane]
    if switches[EMBEDDING]:
        embedding.gradients(x, scratch)
        for coordinate in range(x.shape[0]):
            for lane in range(x.shape[1]):
                drift[coordinate, lane] -= lambda1 * scratch[coordinate, lane]


@inlined
def fold(x, low, high):
    """Reflect x at the walls of [low, high], either of which may be infinite, until it is inside."""
    width = high - low
    if not np.isfinite(width):
        return low + (low - x) if x < low else (high - (x - high) if x > high else x)
    turns = np.floor((x - low) / width)
    inside = (x - low) - turns * width
    folded = low + inside if turns % 2.0 == 0.0 else high - inside
    folded = min(max(folded, low), high)
    return folded if (x < low or x > high) else x


@inlined
def direction(x, low, high):
    """-1 where reflecting x at the walls of [low, high] turns it round, else 1."""
    outside = x < low or x > high
    width = high - low
    if not np.isfinite(width):
        return -1.0 if outside else 1.0
    return -1.0 if outside and np.floor((x - low) / width) % 2.0 != 0.0 else 1.0


@nested
def reflect(x, low, high):
    """Reflect a block at the walls; without walls (None) numba compiles nothing of it."""
    if low is not None:
        for coordinate in range(x.shape[0]):
            left = low[coordinate]
            right = high[coordinate]
            for lane in range(x.shape[1]):
                x[coordinate, lane] = fold(x[coordinate, lane], left, right)


@nested
def load_block(positions, first, block):
    """Copy particles first, first + 1, ... into the columns of block; the last particle fills the rest."""
    last = positions.shape[0] - 1
    for coordinate in range(block.shape[0]):
        for lane in range(block.shape[1]):
            block[coordinate, lane] = positions[first + lane if first + lane < last else last, coordinate]


@nested
def store_block(block, first, last, positions):
    """Copy the columns of block back to particles first, first + 1, ... below last."""
    lanes = block.shape[1] if block.shape[1] < last - first else last - first
    for coordinate in range(block.shape[0]):
        for lane in range(lanes):
            positions[first + lane, coordinate] = block[coordinate, lane]


@nested
def add_block(force, first, drift):
    """drift (dim, lanes) += the rows first, first + 1, ... of force (particles, dim), as `load_block` takes them."""
    last = force.shape[0] - 1
    for coordinate in range(drift.shape[0]):
        for lane in range(drift.shape[1]):
            drift[coordinate, lane] += force[first + lane if first + lane < last else last, coordinate]


@nested
def draw(kept, reads, first, normals, pair, key):
    """The ``normals`` of a pair of steps; the odd step's are kept in ``kept`` (dim, particles), or read from there."""
    even = normals[2 * pair % 4]
    odd = normals[2 * pair % 4 + 1]
    lanes = min(odd.shape[1], kept.shape[1] - first)
    if not reads:
        fill_normals(first, even, odd, np.uint64(pair), NOISE_ROLE, key[0], key[1])
    for coordinate in range(kept.shape[0]):
        for lane in range(lanes):
            if reads:
                odd[coordinate, lane] = kept[coordinate, first + lane]
            else:
                kept[coordinate, first + lane] = odd[coordinate, lane]


@nested
def width_of_blocks(particles, dim):
    """Lanes of a block: as wide as the fastest cache allows, and as equal as multiples of LANES can be."""
    many = dim >= LANES  # a block leaves the fastest cache anyhow, and lanes without a particle cost more
    unit, widest = (8, 128 * dim) if many else (LANES, WIDEST)
    number = particles[1] - particles[0]
    blocks = number * dim // widest
    if blocks < 1:
        blocks = 1
    return ((number + blocks - 1) // blocks + unit - 1) // unit * unit


@nested
def take_steps(potential, switches, positions, forces, stepping, key, steps, particles):
    """`advance`, for other compiled loops."""
    loss, prior, embedding, weights = potential
    (force, kept), (begin, end), (first, last) = forces, steps, particles
    dim = positions.shape[1]
    width = width_of_blocks(particles, dim)
    x = np.empty((dim, width))
    drift = np.empty((dim, width))
    scratch = np.empty((dim, width))
    normals = np.empty((4, dim, width))  # of two pairs of steps; Philox makes those of a pair together
    # All steps of a block before the next block, so that it stays in the cache; particles do not meet in this loop.
    for start in range(first, last, width):
        load_block(positions, start, x)
        drawn = begin // 2 - 1  # the last pair of steps whose normals are there
        for step in range(begin, end):
            ahead = step + switches[TWO_NOISES]
            while switches[NOISE] and drawn < ahead // 2:
                drawn += 1
                draw(kept, switches[KEPT], start, normals, drawn, key)
            loss.gradients(x, drift)
            add_prior(prior, embedding, weights, switches, x, drift, scratch)
            if switches[FORCE]:
                add_block(force, start, drift)
            row = min(step - begin, stepping[0].shape[0] - 1)
            move(x, drift, stepping, row, normals, step, ahead, switches)
        store_block(x, start, last, positions)


@compiled
def advance(potential, switches, positions, forces, stepping, key, steps, particles):
    """Move some particles by some steps, in place; every compiled scheme is called like this.

    Parameters
    ----------
    potential : Potential
    switches : array (7,)
        The `Switches`.
    positions : array (particles, dim)
        A scheme that keeps numbers of its own has further columns behind the coordinates.
    forces : (array, array)
        The force (particles, dim), with which only one step makes sense, or (0, dim) without one; and the normals that
        one such step leaves for the next, (dim, particles) or (0, 0).
    stepping : (gain, noise_now, noise_next, low, high)
        The first three are (1, dim), or (steps, dim) with a row for each step; the others (dim,), or None where there
        are no walls.
    key : (uint64, uint64)
        The key of Philox.
    steps, particles : (int, int)
        The first, and the one after the last.
    """
    take_steps(potential, switches, positions, forces, stepping, key, steps, particles)


@compiled
def fold_points(x, turned, low, high):
    """Reflect points (n, dim) at walls (dim,), in place; ``turned`` (n, dim) is -1 where that turns one round."""
    for point in range(x.shape[0]):
        for i in range(x.shape[1]):
            turned[point, i] = direction(x[point, i], low[i], high[i])
            x[point, i] = fold(x[point, i], low[i], high[i])
