"""The kinetic step, with a velocity for every coordinate:

    v <- v - gain * drift(x),  x <- x + gain v / 2,  v <- c v + noise_now * Z_k,  x <- x + gain v / 2

with c^2 = 1 - noise_now^2 / kl_weight. The loop over blocks and steps repeats `engine.steps.flow`, on purpose:
each scheme is compiled by itself, so that a new one costs the others neither time to compile nor speed.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from particlegvi.engine.numerics.compiled import EntryPoint, compiled, nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, fill_normals
from particlegvi.engine.steps.ensemble import Ensemble
from particlegvi.engine.steps.flow import (
    FORCE,
    WALLS,
    add_block,
    add_potential,
    fold,
    load_block,
    store_block,
    width_of_blocks,
)
from particlegvi.engine.steps.heun import direction


@nested
def half_move(x, v, gain, low, high, walls):
    """x <- x + gain v / 2, reflected at the walls with v turned round."""
    for i in range(x.shape[0]):
        for lane in range(x.shape[1]):
            there = x[i, lane] + 0.5 * gain[i] * v[i, lane]
            if walls:
                v[i, lane] *= direction(there, low[i], high[i])
                there = fold(there, low[i], high[i])
            x[i, lane] = there


@compiled
def advance_kinetic(
    loss, prior, embedding, weights, switches, state, force, stepping, seed, first_step, steps, first, last
):
    """`particlegvi.engine.steps.flow.advance` for a ``state`` (particles, 2 dim) of places and velocities."""
    k0, k1 = seed
    gain, noise_now, _, low, high = stepping
    kl_weight, dim = weights[0], low.size
    width = width_of_blocks(first, last, dim)
    both = np.empty((2 * dim, width))
    x = both[:dim]
    v = both[dim:]
    drift = np.empty((dim, width))
    scratch = np.empty((dim, width))
    even = np.zeros((dim, width))
    odd = np.zeros((dim, width))
    for start in range(first, last, width):
        load_block(state, start, both)
        for step in range(first_step, first_step + steps):
            row = min(step - first_step, gain.shape[0] - 1)
            if step == first_step or step % 2 == 0:
                fill_normals(start, even, odd, np.uint64(step // 2), NOISE_ROLE, k0, k1)
            now = even if step % 2 == 0 else odd
            add_potential(loss, prior, embedding, weights, switches, x, drift, scratch)
            if switches[FORCE]:
                add_block(force, start, scratch, drift)
            for i in range(dim):
                for lane in range(width):
                    v[i, lane] -= gain[row, i] * drift[i, lane]
            half_move(x, v, gain[row], low, high, switches[WALLS])
            for i in range(dim):
                noise = noise_now[row, i]
                kept = math.sqrt(1.0 - noise * noise / kl_weight)
                for lane in range(width):
                    v[i, lane] = kept * v[i, lane] + noise * now[i, lane]
            half_move(x, v, gain[row], low, high, switches[WALLS])
        store_block(both, start, last, state)


class KineticEnsemble(Ensemble):
    """Moves particles (particles, 2 dim), the velocities behind the coordinates, by kinetic Langevin steps.

    A repulsive flow takes its steps one by one from Python.
    """

    entry_point: ClassVar[EntryPoint] = advance_kinetic
    coupled: ClassVar[bool] = False
    velocities: ClassVar[bool] = True
    walled: ClassVar[bool] = True

    def _forced_step(self, positions: np.ndarray, stepping: tuple[np.ndarray, ...], step: int) -> None:
        x = np.ascontiguousarray(positions[:, : self.low.size])
        self._run(positions, self._force(x, step), stepping, step, 1)
