"""The tamed step: x <- x - gain * drift / (1 + gain |drift|) + noise_now * Z_k.

The loop over blocks and steps repeats `engine.steps.flow`, on purpose: each scheme is compiled by itself, so
that a new one costs the others neither time to compile nor speed.
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
    NOISE,
    add_block,
    add_potential,
    load_block,
    move,
    store_block,
    width_of_blocks,
)


@nested
def tame(drift, gain):
    """drift / (1 + gain |drift|) in place, with the Euclidean norm of every column times the gains."""
    for lane in range(drift.shape[1]):
        greatest = 0.0
        for coordinate in range(drift.shape[0]):
            greatest = max(greatest, math.fabs(gain[coordinate] * drift[coordinate, lane]))
        if greatest > 0.0:
            total = 0.0  # of squares of ratios, because the squares themselves may overflow
            for coordinate in range(drift.shape[0]):
                ratio = gain[coordinate] * drift[coordinate, lane] / greatest
                total += ratio * ratio
            length = greatest * math.sqrt(total)
            for coordinate in range(drift.shape[0]):
                drift[coordinate, lane] /= 1.0 + length


@compiled
def advance_tamed(
    loss, prior, embedding, weights, switches, positions, force, stepping, seed, first_step, steps, first, last
):
    """`particlegvi.engine.steps.flow.advance`, tamed, with one noise a step."""
    k0, k1 = seed
    dim = positions.shape[1]
    width = width_of_blocks(first, last, dim)
    x = np.empty((dim, width))
    drift = np.empty((dim, width))
    scratch = np.empty((dim, width))
    even = np.zeros((dim, width))
    odd = np.zeros((dim, width))
    for start in range(first, last, width):
        load_block(positions, start, x)
        for step in range(first_step, first_step + steps):
            row = min(step - first_step, stepping[0].shape[0] - 1)
            if switches[NOISE] and (step == first_step or step % 2 == 0):
                fill_normals(start, even, odd, np.uint64(step // 2), NOISE_ROLE, k0, k1)
            add_potential(loss, prior, embedding, weights, switches, x, drift, scratch)
            if switches[FORCE]:
                add_block(force, start, scratch, drift)
            tame(drift, stepping[0][row])
            now = even if step % 2 == 0 else odd
            move(x, drift, stepping, row, now, now, switches)
        store_block(x, start, last, positions)


class TamedEnsemble(Ensemble):
    """Moves particles by the tamed scheme; a repulsive flow takes its steps one by one from Python."""

    entry_point: ClassVar[EntryPoint] = advance_tamed
    coupled: ClassVar[bool] = False
