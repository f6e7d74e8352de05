"""The Heun step: the drift is averaged over x and where the plain step would go.

    y <- x - gain * drift(x) + noise_now * Z_k
    x <- x - gain * (drift(x) + drift(y)) / 2 + noise_now * Z_k

With walls the flow is the reflection of one on the whole space, whose potential is the mirror image of V beyond them: y
is reflected, and where that turned a coordinate round, so is the drift found there.

The loop over blocks and steps repeats `engine.steps.flow`, on purpose: each scheme is compiled by itself, so
that a new one costs the others neither time to compile nor speed.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import EntryPoint, compiled, inlined, nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, fill_normals
from particlegvi.engine.steps.ensemble import Ensemble
from particlegvi.engine.steps.flow import (
    FORCE,
    LANES,
    NOISE,
    WALLS,
    add_block,
    add_potential,
    copy_rows,
    load_block,
    move,
    store_block,
    width_of_blocks,
)


@inlined
def direction(x, low, high):
    """-1 where reflecting x at the walls of [low, high] turns it round, else 1."""
    outside = x < low or x > high
    return -1.0 if outside and np.floor((x - low) / (high - low)) % 2.0 != 0.0 else 1.0


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
                    add_block(later_force if stage else force, start, scratch, slopes)
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
    """Moves particles by Heun's scheme; a repulsive flow takes its steps one by one from Python."""

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
        switches = self.switches._replace(force=forces[0].shape[0] > 0).array()

        def part(first: int, last: int) -> None:
            how = (stepping, self.key, first_step, steps, first, last)
            self._entry(*self.terms, switches, positions, predicted, *forces, *how)

        threads.split(part, positions.shape[0], LANES, least=1024)
