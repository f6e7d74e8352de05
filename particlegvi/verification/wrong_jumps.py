"""Jumps with a mistake, for the wrong variants of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array
from particlegvi.engine.jumps.ensemble import Jumps, Members
from particlegvi.engine.jumps.proposals import Proposal


class WithoutRatio(Jumps):
    """Accepts by the energy alone, as if proposals were symmetric."""

    def propose(self, x: Array, mine: Members, proposal: Proposal, number: int) -> tuple[Array, Array, Array]:
        new, log_ratio, log_uniform = super().propose(x, mine, proposal, number)
        return new, np.where(np.isfinite(log_ratio), 0.0, log_ratio), log_uniform


class Folded(Jumps):
    """Folds proposals outside of the walls back inside."""

    def propose(self, x: Array, mine: Members, proposal: Proposal, number: int) -> tuple[Array, Array, Array]:
        low, high = walls = self.walls
        self.walls = (low - np.inf, high + np.inf)
        new, log_ratio, log_uniform = super().propose(x, mine, proposal, number)
        self.walls = walls
        new = np.where(new < low, 2.0 * low - new, np.where(new > high, 2.0 * high - new, new))
        return np.clip(new, low, high), log_ratio, log_uniform


@dataclass(frozen=True, init=False)
class Unweighted(pg.methods.DLE):
    """DLE with a wrong acceptance."""

    kind_of_jumps: ClassVar[type[Jumps]] = WithoutRatio


@dataclass(frozen=True, init=False)
class FoldedBack(pg.methods.DLE):
    """DLE with proposals that are folded back."""

    kind_of_jumps: ClassVar[type[Jumps]] = Folded
