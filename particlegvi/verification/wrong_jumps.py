"""Jumps with a mistake, for the wrong variants of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.engine.jumps.line import MARGIN, NEW, UNIFORM
from particlegvi.engine.jumps.on_line import Line


class WithoutRatio(EnsembleJumps):
    """Accepts by the energy alone, as if proposals were symmetric."""

    def propose_on_line(self, line: Line, x: Array, side: int, number: int) -> None:
        super().propose_on_line(line, x, side, number)
        places = line.places(side)
        inside = np.isfinite(line.rows[MARGIN, places])
        line.rows[MARGIN, places] = np.where(inside, -np.log(line.rows[UNIFORM, places]), -np.inf)


class Folded(EnsembleJumps):
    """Folds proposals outside of the walls back inside."""

    def propose_on_line(self, line: Line, x: Array, side: int, number: int) -> None:
        line.set_walls((np.full(1, -np.inf), np.full(1, np.inf)))
        super().propose_on_line(line, x, side, number)
        low, high = self.walls
        places = line.places(side)
        new = line.rows[NEW, places]
        new = np.where(new < low, 2.0 * low - new, np.where(new > high, 2.0 * high - new, new))
        line.rows[NEW, places] = np.clip(new, low, high)


@dataclass(frozen=True, init=False)
class Unweighted(pg.methods.DLE):
    """DLE with a wrong acceptance."""

    kind_of_jumps: ClassVar[type[EnsembleJumps]] = WithoutRatio


@dataclass(frozen=True, init=False)
class FoldedBack(pg.methods.DLE):
    """DLE with proposals that are folded back."""

    kind_of_jumps: ClassVar[type[EnsembleJumps]] = Folded
