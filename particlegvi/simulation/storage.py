"""The storage of a run without a folder: memory, or a temporary file if the records do not fit into memory."""

from __future__ import annotations

import tempfile
from typing import IO

import numpy as np

from particlegvi.contracts import Snapshot
from particlegvi.tools.errors import warn
from particlegvi.tools.memory import IN_MEMORY

CHECKPOINT_EVERY = 4.0  # seconds of run time; with a million particles in the plane 1.5% of it go into checkpoints


class MemoryStorage:
    """Collects records and returns them as one array (records, particles, dim); it stores no snapshots.

    It satisfies `particlegvi.contracts.Storage`.
    """

    def __init__(self) -> None:
        self.count = 0
        self.shape: tuple[int, ...] = ()
        self._file: IO[bytes] | None = None

    def start(self, records: int, shape: tuple[int, ...]) -> Snapshot | None:
        self.shape = shape
        size = 8 * records * int(np.prod(shape))
        if size > IN_MEMORY:
            warn(
                f"{records} records of {shape[0]} particles take {size / 1e9:.2g} GB and are kept in a temporary file"
                f" in {tempfile.gettempdir()}; record_every=0 keeps only the start and the end"
            )
            self._file = tempfile.TemporaryFile(prefix="particlegvi-")  # noqa: SIM115 - lives as long as the array
        else:
            self._memory = np.empty((records, *shape))
        return None

    def append(self, positions: np.ndarray) -> None:
        if self._file is None:
            self._memory[self.count] = positions
        else:
            self._file.write(np.ascontiguousarray(positions).data)
        self.count += 1

    def positions(self) -> np.ndarray:
        """The records so far; records on disk are a read-only map of a file, which is deleted with the array."""
        if self._file is None:
            return self._memory if self.count == len(self._memory) else self._memory[: self.count].copy()
        self._file.flush()
        return np.memmap(self._file, dtype=np.float64, mode="r", shape=(self.count, *self.shape))

    def is_due(self) -> bool:
        return False

    def save(self, snapshot: Snapshot) -> None:
        """Do nothing: this storage takes no snapshots."""
