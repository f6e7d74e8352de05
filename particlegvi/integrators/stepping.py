"""What an integrator tells the compiled step, for one step or, with a schedule, for every step of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from particlegvi.schedules import Schedule

BLOCK = 1024  # steps whose coefficients are computed together


class Stepping(NamedTuple):
    """Coefficients of x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}, each (dim,) or (steps, dim)."""

    gain: np.ndarray
    noise_now: np.ndarray
    noise_next: np.ndarray


class Steppings:
    """The coefficients of every step of a run.

    Z_{k+1} belongs to step k + 1, so with a schedule ``noise_next`` is computed from the size of that step: what the
    noise of one step adds up to then is right for its size (the post-processed form of Leimkuhler-Matthews, Vilmart
    2015, with a post-processor that follows the schedule).

    Coefficients come in blocks of BLOCK steps that begin at multiples of BLOCK, so that a step's coefficients do not
    depend on which steps are asked for.
    """

    def __init__(
        self,
        integrator: Callable[..., Stepping],
        step_size: float | Schedule,
        temperature: float,
        stiffness: np.ndarray,
    ):
        self._coefficients = lambda size: integrator(size, temperature, stiffness)
        self._dim = stiffness.size
        self._schedule = step_size if isinstance(step_size, Schedule) else None
        self._block = -1
        if self._schedule is None:
            self._held = self._rows(self._coefficients(step_size), 1)

    def __call__(self, step: int, most: int) -> tuple[Stepping, int]:
        """Coefficients (rows, dim) from ``step`` on, and for how many steps, at most ``most``, they are.

        One row is for all of these steps, otherwise there is one row for each.
        """
        if self._schedule is None:
            return self._held, most
        block, row = divmod(step, BLOCK)
        if block != self._block:
            sizes = self._schedule.at(np.arange(block * BLOCK, (block + 1) * BLOCK + 1))[:, None]
            gain, now, following = self._rows(self._coefficients(sizes), BLOCK + 1)
            self._held = Stepping(gain[:-1], now[:-1], following[1:])
            self._block = block
        count = min(most, BLOCK - row)
        return Stepping(*(part[row : row + count] for part in self._held)), count

    def _rows(self, coefficients: Stepping, rows: int) -> Stepping:
        shape = (rows, self._dim)
        return Stepping(*(np.array(np.broadcast_to(part, shape), dtype=np.float64, order="C") for part in coefficients))
