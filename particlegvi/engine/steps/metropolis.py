"""The Metropolis step, compiled: a proposal by the plain scheme, accepted or rejected so that exp(-V / kl_weight) stays
stationary.

    y = x - gain * grad V(x) + noise_now * Z_k
    log A = (V(x) - V(y)) / kl_weight + |Z_k|^2 / 2 - |(x - y + gain * grad V(y)) / noise_now|^2 / 2

The uniform that decides has a role of its own in the counter-based noise. A ratio that is not a number is a rejection.
`particlegvi.integrators.mala` has the same step in Python, for losses that compiled code cannot call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.mathematics import log_normal
from particlegvi.engine.numerics.noise import ACCEPTANCE_ROLE, NOISE_ROLE, fill_normals, fill_uniforms
from particlegvi.engine.steps.flow import add_prior, load_block, store_block, width_of_blocks


class ParticleBlock(NamedTuple):
    """Points, V and its gradient."""

    x: Array  # (dim, lanes)
    energy: Array  # (lanes,)
    drift: Array  # (dim, lanes)


class StepDraws(NamedTuple):
    """The random numbers of a pair of steps; Philox makes those of an even and the next odd step together."""

    even: Array  # (dim, lanes) normals
    odd: Array
    uniform_even: Array  # (1, lanes)
    uniform_odd: Array


@nested
def block_of(dim, lanes):
    """Room for so many points."""
    return ParticleBlock(np.empty((dim, lanes)), np.empty(lanes), np.empty((dim, lanes)))


@nested
def draws_of(dim, lanes):
    """Room for draws."""
    return StepDraws(np.empty((dim, lanes)), np.empty((dim, lanes)), np.empty((1, lanes)), np.empty((1, lanes)))


@inlined
def fill_draws(draws, first, pair, key):
    """The numbers of particles first, first + 1, ... in a pair of steps."""
    fill_normals(first, draws.even, draws.odd, pair, NOISE_ROLE, key[0], key[1])
    fill_uniforms(first, draws.uniform_even, draws.uniform_odd, pair, ACCEPTANCE_ROLE, key[0], key[1])


@inlined
def evaluate(potential, switches, block, scratch):
    """Fill in V and its gradient at the points of a block."""
    loss, prior, embedding, weights = potential
    loss.values_and_gradients(block.x, block.energy, block.drift)
    add_prior(prior, embedding, weights, switches, block.x, block.drift, scratch)
    prior.values(block.x, scratch[0])
    for lane in range(block.energy.size):
        block.energy[lane] += weights[0] * scratch[0, lane]


@inlined
def propose(block, gain, noise_now, row, normals, proposed):
    """The proposals y of all lanes, with row ``row`` of the coefficients."""
    for i in range(block.x.shape[0]):
        for lane in range(block.x.shape[1]):
            step = gain[row, i] * block.drift[i, lane] - noise_now[row, i] * normals[i, lane]
            proposed.x[i, lane] = block.x[i, lane] - step


@inlined
def compare(block, gain, noise_now, row, normals, proposed, kl_weight, log_ratio):
    """log A of the proposals in ``log_ratio`` (lanes,)."""
    for lane in range(log_ratio.size):
        log_ratio[lane] = (block.energy[lane] - proposed.energy[lane]) / kl_weight
    for i in range(block.x.shape[0]):
        for lane in range(block.x.shape[1]):
            back = (block.x[i, lane] - proposed.x[i, lane] + gain[row, i] * proposed.drift[i, lane]) / noise_now[row, i]
            log_ratio[lane] += 0.5 * (normals[i, lane] * normals[i, lane] - back * back)


@nested
def refuse_outside(y, low, high, log_ratio):
    """log_ratio = minus infinity beyond the walls; without walls (None) numba compiles nothing of it."""
    if low is not None:
        for i in range(y.shape[0]):
            for lane in range(y.shape[1]):
                outside = y[i, lane] < low[i] or y[i, lane] > high[i]
                log_ratio[lane] = -np.inf if outside else log_ratio[lane]


@inlined
def accept(log_ratio, uniform, step, chosen, accepted):
    """chosen = 1 in the lanes that move, else 0; and note the share of accepted proposals."""
    for lane in range(log_ratio.size):
        chosen[lane] = 1.0 if log_normal(uniform[0, lane]) < log_ratio[lane] else 0.0
        accepted[lane] += (chosen[lane] - accepted[lane]) / (step + 1.0)


@inlined
def take_over(chosen, proposed, block):
    """The points of the chosen lanes move."""
    for lane in range(chosen.size):
        block.energy[lane] = proposed.energy[lane] if chosen[lane] > 0.0 else block.energy[lane]
    for i in range(block.x.shape[0]):
        for lane in range(chosen.size):
            block.x[i, lane] = proposed.x[i, lane] if chosen[lane] > 0.0 else block.x[i, lane]
            block.drift[i, lane] = proposed.drift[i, lane] if chosen[lane] > 0.0 else block.drift[i, lane]


@compiled
def advance_metropolis(potential, switches, state, forces, stepping, key, steps, particles):
    """`particlegvi.engine.steps.flow.advance` for a ``state`` (particles, dim + 1).

    Its last column is the share of a particle's proposals that was accepted, a running mean over all steps. There is no
    force.
    """
    (gain, noise_now, _, low, high), (begin, end), (first, last) = stepping, steps, particles
    dim = gain.shape[1]
    width = width_of_blocks(particles, dim)
    block, proposed, draws = block_of(dim, width), block_of(dim, width), draws_of(dim, width)
    log_ratio, chosen, accepted, scratch = (
        np.empty(width),
        np.empty(width),
        np.empty((1, width)),
        np.empty((dim, width)),
    )
    for start in range(first, last, width):
        load_block(state, start, proposed.x)
        load_block(state[:, dim:], start, accepted)
        normals = draws.even
        for step in range(begin, end + 1):  # `evaluate` stands here alone: it takes long to compile
            evaluate(potential, switches, proposed, scratch)
            if step == begin:
                chosen[:] = 1.0
            else:
                row = min(step - 1 - begin, gain.shape[0] - 1)
                uniform = draws.uniform_odd if step % 2 == 0 else draws.uniform_even
                compare(block, gain, noise_now, row, normals, proposed, potential.weights[0], log_ratio)
                refuse_outside(proposed.x, low, high, log_ratio)
                accept(log_ratio, uniform, step - 1, chosen, accepted[0])
            take_over(chosen, proposed, block)
            if step == end:
                break
            if step == begin or step % 2 == 0:
                fill_draws(draws, start, np.uint64(step // 2), key)
            normals = draws.even if step % 2 == 0 else draws.odd
            propose(block, gain, noise_now, min(step - begin, gain.shape[0] - 1), normals, proposed)
        store_block(block.x, start, last, state)
        store_block(accepted, start, last, state[:, dim:])
