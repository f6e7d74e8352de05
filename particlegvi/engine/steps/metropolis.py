"""The Metropolis step, compiled: a proposal by the plain scheme, accepted or rejected so that exp(-V / kl_weight) stays
stationary.

    y = x - gain * grad V(x) + noise_now * Z_k
    log A = (V(x) - V(y)) / kl_weight + |Z_k|^2 / 2 - |(x - y + gain * grad V(y)) / noise_now|^2 / 2

The uniform that decides has a role of its own in the counter-based noise. A ratio that is not a number is a rejection.
`particlegvi.integrators.mala` has the same step in Python, for losses that compiled code cannot call.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.mathematics import log_normal
from particlegvi.engine.numerics.noise import ACCEPTANCE_ROLE, NOISE_ROLE, fill_normals, fill_uniforms
from particlegvi.engine.steps.flow import add_prior, load_block, store_block, width_of_blocks


@inlined
def evaluate(terms, weights, switches, x, energy, slope, scratch):
    """The potential (lanes,) and its gradient at the columns of x (dim, lanes)."""
    loss, prior, embedding = terms
    loss.values_and_gradients(x, energy, slope)
    add_prior(prior, embedding, weights, switches, x, slope, scratch)
    prior.values(x, scratch[0])
    for lane in range(x.shape[1]):
        energy[lane] += weights[0] * scratch[0, lane]


@inlined
def propose(x, slope, coefficients, row, now, y):
    """y = x - gain * slope + noise_now * now."""
    gain, noise_now = coefficients
    for i in range(x.shape[0]):
        for lane in range(x.shape[1]):
            y[i, lane] = x[i, lane] - (gain[row, i] * slope[i, lane] - noise_now[row, i] * now[i, lane])


@inlined
def compare(x, y, slope_y, coefficients, row, now, log_ratio):
    """log_ratio (lanes,) += log q(y, x) - log q(x, y) of the proposals."""
    gain, noise_now = coefficients
    for i in range(x.shape[0]):
        for lane in range(x.shape[1]):
            back = (x[i, lane] - y[i, lane] + gain[row, i] * slope_y[i, lane]) / noise_now[row, i]
            log_ratio[lane] += 0.5 * (now[i, lane] * now[i, lane] - back * back)


@nested
def refuse_outside(y, low, high, log_ratio):
    """log_ratio = minus infinity beyond the walls; without walls (None) numba compiles nothing of it."""
    if low is not None:
        for i in range(y.shape[0]):
            for lane in range(y.shape[1]):
                outside = y[i, lane] < low[i] or y[i, lane] > high[i]
                log_ratio[lane] = -np.inf if outside else log_ratio[lane]


@inlined
def accept(log_ratio, uniform, step, energies, accepted, chosen):
    """Choose the lanes that move, take over their energies, and note the share of accepted proposals."""
    energy, energy_y = energies
    for lane in range(log_ratio.size):
        take = log_normal(uniform[0, lane]) < log_ratio[lane]
        chosen[lane] = 1.0 if take else 0.0
        energy[lane] = energy_y[lane] if take else energy[lane]
        accepted[lane] += (chosen[lane] - accepted[lane]) / (step + 1.0)


@inlined
def take_over(chosen, new, old):
    """old = new in the chosen lanes, for arrays (dim, lanes)."""
    for i in range(old.shape[0]):
        for lane in range(old.shape[1]):
            old[i, lane] = new[i, lane] if chosen[lane] > 0.0 else old[i, lane]


@compiled
def advance_metropolis(
    loss, prior, embedding, weights, switches, state, forces, stepping, seed, first_step, steps, first, last
):
    """`particlegvi.engine.steps.flow.advance` for a ``state`` (particles, dim + 1).

    Its last column is the share of a particle's proposals that was accepted, a running mean over all steps.
    """
    gain, noise_now, _, low, high = stepping
    terms, coefficients, dim = (loss, prior, embedding), (gain, noise_now), gain.shape[1]
    width = width_of_blocks(first, last, dim)
    x = np.empty((dim, width))
    y = np.empty((dim, width))
    slope = np.empty((dim, width))
    slope_y = np.empty((dim, width))
    energy = np.empty(width)
    energy_y = np.empty(width)
    log_ratio = np.empty(width)
    chosen = np.empty(width)
    accepted = np.empty(width)
    scratch = np.empty((dim, width))
    even = np.empty((dim, width))
    odd = np.empty((dim, width))
    uniform_even = np.empty((1, width))
    uniform_odd = np.empty((1, width))
    for start in range(first, last, width):
        load_block(state, start, x)
        for lane in range(width):
            accepted[lane] = state[min(start + lane, last - 1), dim]
        evaluate(terms, weights, switches, x, energy, slope, scratch)
        for step in range(first_step, first_step + steps):
            row = min(step - first_step, gain.shape[0] - 1)
            if step == first_step or step % 2 == 0:
                pair = np.uint64(step // 2)
                fill_normals(start, even, odd, pair, NOISE_ROLE, seed[0], seed[1])
                fill_uniforms(start, uniform_even, uniform_odd, pair, ACCEPTANCE_ROLE, seed[0], seed[1])
            now = even if step % 2 == 0 else odd
            uniform = uniform_even if step % 2 == 0 else uniform_odd
            propose(x, slope, coefficients, row, now, y)
            evaluate(terms, weights, switches, y, energy_y, slope_y, scratch)
            for lane in range(width):
                log_ratio[lane] = (energy[lane] - energy_y[lane]) / weights[0]
            compare(x, y, slope_y, coefficients, row, now, log_ratio)
            refuse_outside(y, low, high, log_ratio)
            accept(log_ratio, uniform, step, (energy, energy_y), accepted, chosen)
            take_over(chosen, y, x)
            take_over(chosen, slope_y, slope)
        store_block(x, start, last, state)
        for lane in range(min(width, last - start)):
            state[start + lane, dim] = accepted[lane]
