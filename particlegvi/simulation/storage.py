"""The contract between the simulation loop and what stores its records, and the storage of a run that has no folder."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from typing import IO, Any, NamedTuple, Protocol

import numpy as np

from particlegvi.tools.memory import IN_MEMORY


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


class Recorder:
    """Takes records one by one and gives them back as one array (records, particles, dim); it stores no snapshots."""

    def __init__(self) -> None:
        self.count = 0
        self.shape: tuple[int, ...] = ()
        self._file: IO[bytes] | None = None

    def begin(self, records: int, shape: tuple[int, ...]) -> Snapshot | None:
        """Get ready for at most ``records`` records of ``shape`` (particles, dim)."""
        self.shape = shape
        size = 8 * records * int(np.prod(shape))
        if size > IN_MEMORY:
            warnings.warn(
                f"{records} records of {shape[0]} particles take {size / 1e9:.2g} GB and are kept in a temporary file"
                f" in {tempfile.gettempdir()}; record_every=0 keeps only the start and the end",
                stacklevel=4,
            )
            self._file = tempfile.TemporaryFile(prefix="particlegvi-")  # noqa: SIM115 - lives as long as the array
        else:
            self._memory = np.empty((records, *shape))
        return None

    def put(self, positions: np.ndarray) -> None:
        """Add the next record."""
        if self._file is None:
            self._memory[self.count] = positions
        else:
            self._file.write(np.ascontiguousarray(positions).data)
        self.count += 1

    def positions(self) -> np.ndarray:
        """The records so far; those on disk as a read-only map of a file that goes when the array goes."""
        if self._file is None:
            return self._memory if self.count == len(self._memory) else self._memory[: self.count].copy()
        self._file.flush()
        return np.memmap(self._file, dtype=np.float64, mode="r", shape=(self.count, *self.shape))

    def reached(self, step: int) -> bool:
        """No snapshot is ever due."""
        return False

    def save(self, snapshot: Snapshot) -> None:
        """Nothing is stored."""
