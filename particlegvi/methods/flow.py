"""The problem that a method is given, and the base class of the flows that it makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from particlegvi.contracts import Array, Facts, Loss, Prior
from particlegvi.integrators.schedules import Schedule


@dataclass(frozen=True)
class ParticleProblem:
    """Everything a method needs to build its flow, already checked.

    Attributes
    ----------
    loss : Loss
    prior : Prior
        :class:`particlegvi.priors.Flat` where none was given.
    start : ndarray (particles, dim)
    steps : int
    step_size : float or Schedule
        A schedule only for methods whose class attribute ``schedules`` is true; they ask ``step_size_at``.
    seed : int
    integrator : str
    tolerance : float
        Error allowed in the repulsion, in units of variance / lengthscale.
    friction : float or None
        For integrators with velocities; None for the others.
    """

    loss: Loss
    prior: Prior
    start: Array
    steps: int
    step_size: float | Schedule
    seed: int
    integrator: str
    tolerance: float
    friction: float | None = None

    def step_size_at(self, step: int) -> float:
        """Size of the step of this number, from 0."""
        return float(self.step_size.at(np.array([step]))[0]) if isinstance(self.step_size, Schedule) else self.step_size


class ParticleFlow:
    """Base class of the flows of particles.

    A subclass has ``advance`` and ``facts`` (`particlegvi.contracts.Flow`), and its own ``particles`` and ``first_bad``
    where the state is not the particles themselves.

    Attributes
    ----------
    state : ndarray
        One C-contiguous float64 array: all that the next steps depend on besides the step number. Advancing by a + b
        steps equals advancing by a, then by b, bit for bit.
    counts : dict
        Number of steps by each algorithm, where a flow can choose; for the facts alone.
    """

    def __init__(self, state: Array, counts: dict[str, int] | None = None) -> None:
        self.state = state
        self.counts = {} if counts is None else counts

    def extra_state(self) -> Facts:
        """The counts."""
        return dict(self.counts)

    def restore(self, state: Array, extra_state: Facts) -> None:
        """Restore the flow from ``state`` and from the result of `extra_state` that belongs to it."""
        self.state[...] = state
        self.counts.clear()
        self.counts.update(extra_state)

    def particles(self) -> Array:
        """The particles (particles, dim): the state itself."""
        return self.state

    def first_bad(self) -> int:
        """Index of the first non-finite particle, or -1."""
        good = np.isfinite(self.state)
        return -1 if good.all() else int(np.flatnonzero(~good.all(axis=1))[0])
