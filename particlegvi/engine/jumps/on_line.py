"""The arrays of jumps on the line, and the calls of compiled code that pass over them."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Term
from particlegvi.engine.jumps import line, moments, tabulated
from particlegvi.engine.jumps.proposals import STUDENT, Broad
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.vectors import WIDTH

LEAST = 16  # segments that repay waking a thread


class Line:
    """One jump after the other of the particles of an ensemble on the line.

    The broad part of g has the probability ``share``; None is a Student t fitted to the other half. A particle proposes
    with the probability ``chance``. The potential has the terms of the loss, of -log p and of mu_P, and their weights,
    as `line.margins` has them. Attribute: ``rows`` (line.ROWS, places), OLD, NEW, UNIFORM and MARGIN of those that
    propose, at the places of `places`; ``arrays``, for compiled code.
    """

    def __init__(
        self, particles: int, broad: Broad | None, share: float, chance: float, walls: tuple[Array, Array],
        *, potential: tuple[Term, Term, Term, Array], key: tuple[np.uint64, np.uint64],
    ) -> None:  # fmt: skip
        self.segments = -(-particles // line.SEGMENT)
        lists, places = 1 if chance >= 1.0 else 2, self.segments * line.SEGMENT
        self.members = np.zeros((lists, places), np.int64)
        self.counts = np.zeros((lists, 2, self.segments), np.int64)
        self.rows = np.empty((line.ROWS, places))
        self._centres, self._numbers = np.empty(particles + WIDTH), np.zeros(tabulated.NUMBERS)
        table = np.empty(tabulated.TABLE)
        self.arrays = chance, key, self.members, self.counts, self.rows, self._centres, table, self._numbers
        kind, location, scale = broad or Broad(STUDENT, np.zeros(1), np.ones(1))
        self._numbers[: tabulated.WALL_LOW] = kind, location[0], scale[0], share
        self._box, self._sums = np.zeros(moments.BOX), np.empty(moments.SUMS)
        self._potential, self._margins = potential, line.margins.for_terms(*potential[:3])
        self._jump = 0
        self.set_walls(walls)

    def set_walls(self, walls: tuple[Array, Array]) -> None:
        """Proposals outside of them are rejected."""
        self._numbers[tabulated.WALL_LOW], self._numbers[tabulated.WALL_HIGH] = walls[0][0], walls[1][0]

    def propose(self, x: Array, side: int, number: int) -> None:
        """The proposals of half ``side`` in jump ``number`` of the particles ``x`` (N,)."""
        self._jump = number
        self._box[moments.MODES] *= side
        if self.segments < 2 * LEAST:
            self._stage(line.TABULATE | line.PROPOSE | (line.CUT if side == 0 else 0), x, side)
            return
        if side == 0:
            self._split(line.CUT, x, side)
        self._stage(line.TABULATE, x, side)
        self._split(line.PROPOSE, x, side)

    def weigh(self, side: int) -> None:
        """Complete the margins of half ``side``."""

        def part(first: int, last: int) -> None:
            self._margins(*self._potential, side, self.counts, self.rows, first, last)

        if self.segments < 2 * LEAST:
            part(0, self.segments)
        else:
            threads.split(part, self.segments, least=LEAST)

    def settle(self, x: Array, side: int) -> int:
        """Move the particles of half ``side`` whose margin is above 0; returns how many."""
        return self._stage(line.SETTLE, x, side)

    def settle_by_series(
        self, x: Array, side: int, shape: tuple[float, float], limits: tuple[float, float], factor: float
    ) -> int:
        """`go` with the change of the pair energy; -1, with nothing moved, if a series does not fit."""
        how = (self.members, self.counts, self.rows, self._box, self._sums)
        return int(moments.accept_series.cached(*shape, limits, factor, x, side, *how))

    def places(self, side: int) -> np.ndarray:
        """The places in ``rows`` of the particles of half ``side`` that propose."""
        starts = np.arange(self.segments) * line.SEGMENT
        count = self.counts[0, side]
        if side == 1:
            starts += line.SEGMENT - count
        return np.repeat(starts - np.cumsum(count) + count, count) + np.arange(int(count.sum()))

    def proposed(self, side: int) -> int:
        """How many of half ``side`` propose, in the jump and the half that proposed last."""
        return sum(self.counts[0, side].tolist()) if self._numbers[tabulated.READY] else 0

    def _split(self, stage: int, x: Array, side: int) -> None:
        threads.split(lambda first, last: self._stage(stage, x, side, first, last), self.segments, least=LEAST)

    def _stage(self, stages: int, x: Array, side: int, first: int = 0, last: int = -1) -> int:
        chance, key, *arrays = self.arrays
        last = self.segments if last < 0 else last
        return int(line.stage.cached(stages, side, self._jump, chance, key, x, *arrays, first, last))
