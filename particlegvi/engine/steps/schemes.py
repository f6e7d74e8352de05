"""The Heun step and the kinetic step, which has a velocity for every coordinate.

Heun's, which averages the drift over x and where the plain step would go:

    y <- x - gain * drift(x) + noise_now * Z_k
    x <- x - gain * (drift(x) + drift(y)) / 2 + noise_now * Z_k

With walls its flow is the reflection of one on the whole space, whose potential is the mirror image of V beyond them: y
is reflected, and where that turned a coordinate round, so is the drift found there.

Kinetic, with c^2 = 1 - noise_now^2 / kl_weight:

    v <- v - gain * drift(x),  x <- x + gain v / 2,  v <- c v + noise_now * Z_k,  x <- x + gain v / 2

Each loop over blocks and steps repeats `engine.steps.flow`, on purpose: each scheme is compiled by itself, so that a
new one costs the others neither time to compile nor speed. A repulsive flow takes the steps of these schemes one by
one from Python.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from particlegvi.engine.numerics.compiled import EntryPoint, compiled, inlined, nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, fill_normals
from particlegvi.engine.steps.ensemble import Ensemble
from particlegvi.engine.steps.flow import (
    FORCE,
    NOISE,
    WALLS,
    add_block,
    add_potential,
    copy_rows,
    fold,
    load_block,
    move,
    store_block,
    width_of_blocks,
)


@inlined
def direction(x, low, high):
    """-1 where reflecting x at the walls of [low, high] turns it round, else 1."""
    outside = x < low or x > high
    width = high - low
    if not np.isfinite(width):
        return -1.0 if outside else 1.0
    return -1.0 if outside and np.floor((x - low) / width) % 2.0 != 0.0 else 1.0


@nested
def average(x, drift, later, stepping, row, now, switches):
    """drift = (drift + later) / 2, where ``later`` is turned round with the y it belongs to."""
    gain, noise_now, _, low, high = stepping
    for coordinate in range(x.shape[0]):
        for lane in range(x.shape[1]):
            here = drift[coordinate, lane]
            there = later[coordinate, lane]
            if switches[WALLS]:
                noise = noise_now[row, coordinate] * now[coordinate, lane]
                y = x[coordinate, lane] - (gain[row, coordinate] * here - noise)
                there *= direction(y, low[coordinate], high[coordinate])
            drift[coordinate, lane] = 0.5 * (here + there)


@compiled
def advance_heun(
    loss, prior, embedding, weights, switches, positions, predicted, force, later_force, stepping, seed, first_step,
    steps, first, last,
):  # fmt: skip
    """`particlegvi.engine.steps.flow.advance` by Heun's scheme, with one noise a step.

    Under a force one step takes two calls: with ``predicted`` (particles, dim) the first writes y there and moves
    nothing; the second, without (0, dim), has the force at y as ``later_force``.
    """
    k0, k1 = seed
    dim = positions.shape[1]
    width = width_of_blocks(first, last, dim)
    x = np.empty((dim, width))
    y = np.empty((dim, width))
    drift = np.empty((dim, width))
    later = np.empty((dim, width))
    scratch = np.empty((dim, width))
    even = np.zeros((dim, width))
    odd = np.zeros((dim, width))
    only_predict = predicted.shape[0] > 0
    for start in range(first, last, width):
        load_block(positions, start, x)
        for step in range(first_step, first_step + steps):
            row = min(step - first_step, stepping[0].shape[0] - 1)
            if switches[NOISE] and (step == first_step or step % 2 == 0):
                fill_normals(start, even, odd, np.uint64(step // 2), NOISE_ROLE, k0, k1)
            now = even if step % 2 == 0 else odd
            points = x
            slopes = drift
            for stage in range(2):
                add_potential(loss, prior, embedding, weights, switches, points, slopes, scratch)
                if switches[FORCE]:
                    add_block(later_force if stage else force, start, slopes)
                if stage == 0:
                    copy_rows(x, y)
                    move(y, drift, stepping, row, now, now, switches)
                    if only_predict:
                        break
                points = y
                slopes = later
            if only_predict:
                store_block(y, start, last, predicted)
            else:
                average(x, drift, later, stepping, row, now, switches)
                move(x, drift, stepping, row, now, now, switches)
        if not only_predict:
            store_block(x, start, last, positions)


class HeunEnsemble(Ensemble):
    """Moves particles by Heun's scheme."""

    entry_point: ClassVar[EntryPoint] = advance_heun
    coupled: ClassVar[bool] = False
    walled: ClassVar[bool] = True

    def _run(
        self, positions: np.ndarray, force: np.ndarray, stepping: tuple[np.ndarray, ...], first_step: int, steps: int
    ) -> None:
        self._stage(positions, self._no_force, (force, force), stepping, first_step, steps)

    def _forced_step(self, positions: np.ndarray, stepping: tuple[np.ndarray, ...], step: int) -> None:
        force, predicted = self._force(positions, step), np.empty_like(positions)
        self._stage(positions, predicted, (force, force), stepping, step, 1)
        self._stage(positions, self._no_force, (force, self._force(predicted, step)), stepping, step, 1)

    def _stage(
        self,
        positions: np.ndarray,
        predicted: np.ndarray,
        forces: tuple[np.ndarray, np.ndarray],
        stepping: tuple[np.ndarray, ...],
        first_step: int,
        steps: int,
    ) -> None:
        switches = self.switches._replace(force=forces[0].shape[0] > 0)
        self._split(switches, positions, (predicted, *forces, stepping), first_step, steps, least=1024)


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
    loss, prior, embedding, weights, switches, state, forces, stepping, seed, first_step, steps, first, last
):
    """`particlegvi.engine.steps.flow.advance` for a ``state`` (particles, 2 dim) of places and velocities."""
    k0, k1 = seed
    force = forces[0]
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
                add_block(force, start, drift)
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
    """Moves particles (particles, 2 dim), the velocities behind the coordinates, by kinetic Langevin steps."""

    entry_point: ClassVar[EntryPoint] = advance_kinetic
    coupled: ClassVar[bool] = False
    velocities: ClassVar[bool] = True
    walled: ClassVar[bool] = True

    def _forced_step(self, positions: np.ndarray, stepping: tuple[np.ndarray, ...], step: int) -> None:
        x = np.ascontiguousarray(positions[:, : self.low.size])
        self._run(positions, self._force(x, step), stepping, step, 1)
