"""The contract between the simulation loop and whoever keeps what it makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np


class Snapshot(NamedTuple):
    """All that is needed to go on with a run: a flow repeats itself exactly from its state and the step number.

    Attributes
    ----------
    step : int
        Steps done.
    state : ndarray
        The flow's ``state`` then.
    counts, facts : dict
        The flow's ``counts`` and ``facts()`` then.
    records : int
        Records taken up to that step.
    constants : mapping
        Arrays by name that the run has found out and that no later step changes.
    """

    step: int
    state: np.ndarray
    counts: dict[str, int]
    facts: dict[str, Any]
    records: int
    constants: Mapping[str, np.ndarray] = {}


class Keeper(Protocol):
    """Takes the records of a run, and its snapshots where it can store them."""

    @property
    def count(self) -> int:
        """Records taken so far."""

    def begin(self, records: int, shape: tuple[int, ...]) -> Snapshot | None:
        """Get ready for at most ``records`` records of ``shape`` (particles, dim); where to go on, or None: from 0.

        With 0 records all there is to go on from is in the snapshots.
        """

    def put(self, positions: np.ndarray) -> None:
        """Take the next record."""

    def positions(self) -> np.ndarray:
        """The records so far, (records, particles, dim)."""

    def reached(self, step: int) -> bool:
        """Hear that this many steps are done; True where a snapshot is due."""

    def save(self, snapshot: Snapshot) -> None:
        """Store a snapshot."""
