"""Jumps with a mistake, for the wrong variants of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array
from particlegvi.engine.jumps.ensemble import EnsembleJumps, Members
from particlegvi.engine.jumps.proposals import ACCEPT, Proposal
from particlegvi.engine.numerics.noise import uniforms


class WithoutRatio(EnsembleJumps):
    """Accepts by the energy alone, as if all proposals were symmetric."""

    def propose(self, x: Array, mine: Members, proposal: Proposal, number: int) -> tuple[Array, Array]:
        new, log_ratio = super().propose(x, mine, proposal, number)
        decides = uniforms(self.seed, "jumps", len(x), 1, number, int(ACCEPT))[mine, 0]
        return new, np.where(np.isfinite(log_ratio), -np.log(decides), -np.inf)


class Clipped(EnsembleJumps):
    """Moves proposals outside of the walls to the walls."""

    def propose(self, x: Array, mine: Members, proposal: Proposal, number: int) -> tuple[Array, Array]:
        walls, self.walls = self.walls, (np.full(1, -np.inf), np.full(1, np.inf))
        new, log_ratio = super().propose(x, mine, proposal, number)
        self.walls = walls
        return np.clip(new, *walls), log_ratio


@dataclass(frozen=True, init=False)
class Unweighted(pg.methods.DLE):
    """DLE with a wrong acceptance."""

    kind_of_jumps: ClassVar[type[EnsembleJumps]] = WithoutRatio


@dataclass(frozen=True, init=False)
class ClippedToWalls(pg.methods.DLE):
    """DLE with proposals that are moved to the walls."""

    kind_of_jumps: ClassVar[type[EnsembleJumps]] = Clipped
