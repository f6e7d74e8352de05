"""What a method is given, and what the flows that it makes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


class ParticleFlow:
    """What the flows of particles share: a state, and counts of what was used, which are kept with it.

    A subclass has ``advance``, ``particles``, ``first_bad`` and ``facts`` (`particlegvi.contracts.Flow`). ``state`` is
    one C-contiguous float64 array and all that the next steps depend on besides the step number: advancing by a + b
    steps equals advancing by a, then by b, bit for bit. ``counts`` enters the facts alone.
    """

    state: np.ndarray
    counts: dict[str, int]

    def kept(self) -> dict[str, int]:
        """The counts."""
        return dict(self.counts)

    def restore(self, state: np.ndarray, kept: dict[str, Any]) -> None:
        """Put the flow where it was with this state and these counts."""
        self.state[...] = state
        self.counts.clear()
        self.counts.update(kept)
