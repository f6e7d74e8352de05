"""Steps in chunks, for particles and for functions, between which Ctrl-C is heard and snapshots and records are stored;
and the storage of a run without a folder: memory, or a temporary file if the records do not fit into memory."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

import numpy as np

from particlegvi.contracts import Facts, Moving, Snapshot, Storage
from particlegvi.tools import arguments
from particlegvi.tools.errors import warn
from particlegvi.tools.machine import IN_MEMORY

CHECKPOINT_EVERY = 4.0  # seconds of run time; with a million particles in the plane 1.5% of it go into checkpoints
CHUNK_SECONDS = 0.1  # Ctrl-C is not delivered inside compiled code


@dataclass(frozen=True)
class Saving:
    """The folder of runs, and how it is written."""

    out: str | os.PathLike[str] | None = None  # None: the first free one in ``runs``
    overwrite: bool = False  # whether it may be the folder of an earlier run
    checkpoint_every: float = CHECKPOINT_EVERY  # seconds
    pictures: bool = False  # whether the figures of the scenario are drawn into it, while its lock is held
    style: Facts | None = None  # the look of the pictures for this time

    def __post_init__(self) -> None:
        arguments.flag("overwrite", self.overwrite)
        arguments.positive("checkpoint_every", self.checkpoint_every)


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


class ChunkedSteps:
    """Takes steps of a flow in chunks.

    The storage notes the step before each chunk, and stores a snapshot when one is due. The last snapshot is ``good``,
    at first the one to continue from if the first chunk is interrupted. It is replaced in one assignment between
    chunks, so that it is valid whenever Ctrl-C comes.
    """

    def __init__(self, storage: Storage, good: Snapshot) -> None:
        self.storage = storage
        self.good = good
        self._size = 1

    def advance(
        self,
        flow: Moving,
        first: int,
        last: int,
        snapshot: Callable[[int], Snapshot],
        after: Callable[[int, int], None],
    ) -> None:
        """Take steps first, ..., last - 1.

        ``snapshot(step)`` returns the snapshot before step number ``step``. ``after(step, count)`` is called after
        ``count`` steps from ``step`` on; an exception in it ends the loop.
        """
        step = first
        while step < last:
            self.good = snapshot(step)
            self.save_when_due()
            count = min(self._size, last - step)
            begun = time.perf_counter()
            flow.advance(step, count)
            self._size = next_size(self._size, count, time.perf_counter() - begun)
            after(step, count)
            step += count

    def save_when_due(self) -> None:
        """Store the snapshot if one is due."""
        if self.storage.is_due():
            self.storage.save(self.good)


def next_size(size: int, count: int, spent: float) -> int:
    """Number of steps of the next chunk, if ``count`` of the ``size`` planned took ``spent`` seconds."""
    if count < size and spent <= CHUNK_SECONDS:
        return size
    # Grow at most eightfold: the time of the first call includes compiling.
    return max(1, int(min(count * CHUNK_SECONDS / max(spent, 1e-7), 8.0 * size)))
