"""The contract between a method and the simulation loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from particlegvi.schedules import Schedule


@dataclass(frozen=True)
class Problem:
    """Everything a method needs to build its flow, already checked.

    Attributes
    ----------
    loss : particlegvi.losses.loss.Loss
    prior : prior object
        :class:`particlegvi.priors.Flat` where none was given.
    start : ndarray (particles, dim)
    steps : int
    step_size : float or Schedule
        A schedule only for methods whose class attribute ``schedules`` is true; they ask ``step_size_at``.
    seed : int
    integrator : str
    tolerance : float
        Error allowed in the repulsion, in units of variance / lengthscale.
    """

    loss: Any
    prior: Any
    start: np.ndarray
    steps: int
    step_size: float | Schedule
    seed: int
    integrator: str
    tolerance: float

    def step_size_at(self, step: int) -> float:
        """Size of the step of this number, from 0."""
        return float(self.step_size.at(np.array([step]))[0]) if isinstance(self.step_size, Schedule) else self.step_size


class Flow(Protocol):
    """A state that moves.

    ``state`` is one C-contiguous float64 array and all there is to a run besides the step number, so that a checkpoint
    is this array. Advancing by a + b steps equals advancing by a, then by b, bit for bit. ``counts`` says how often
    what was used; it goes into a checkpoint for the sake of the facts alone.
    """

    state: np.ndarray
    counts: dict[str, int]

    def advance(self, first_step: int, steps: int) -> None:
        """Move the state by ``steps`` steps, the first of them numbered ``first_step`` (from 0)."""

    def particles(self) -> np.ndarray:
        """The particles (particles, dim) that the state stands for."""

    def first_bad(self) -> int:
        """Index of the first non-finite particle, or -1."""

    def facts(self) -> dict[str, Any]:
        """JSON-able facts for the result: what was chosen and used."""
