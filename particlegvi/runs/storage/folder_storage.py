"""Storage of one method's run in the folder of the run: every record at once, a checkpoint now and then."""

from __future__ import annotations

import contextlib
import time

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Snapshot
from particlegvi.runs.storage import checkpoint
from particlegvi.runs.storage.arrays import RecordFile
from particlegvi.runs.storage.checkpoint import Checkpoint
from particlegvi.runs.storage.folder import Folder
from particlegvi.tools import system
from particlegvi.tools.memory import IN_MEMORY

CHECKPOINT_EVERY = 4.0  # seconds of run time; with a million particles in the plane 1.5% of it go into checkpoints


class FolderStorage:
    """Storage (`particlegvi.contracts.Storage`) that writes into a folder whose lock is held.

    A killed process loses at most ``checkpoint_every`` seconds of run time. ``earlier`` has the seconds that
    interrupted runs had spent on the steps that need not be repeated.
    """

    def __init__(self, folder: Folder, label: str, checkpoint_every: float = CHECKPOINT_EVERY) -> None:
        self.folder = folder
        self.label = label
        self.checkpoint_every = checkpoint_every
        self.earlier = 0.0
        self._records: RecordFile | None = None

    @property
    def count(self) -> int:
        """Records taken."""
        return 0 if self._records is None else self._records.count

    def start(self, records: int, shape: tuple[int, ...]) -> Snapshot | None:
        """Take up the checkpoint of this method, or begin anew."""
        self._started = self._saved = time.perf_counter()
        place = self.folder.growing(self.label)
        last = checkpoint.read(self.folder.path)
        if last is not None and last.label == self.label and min(records, 1) <= last.snapshot.records <= records:
            with contextlib.suppress(ValueError, FileNotFoundError):
                if records > 0:
                    self._records = RecordFile(place, records, shape, last.snapshot.records, last.records_sha256)
                self.earlier = last.seconds
                return last.snapshot
        self.folder.clear_progress()
        if records > 0:
            self._records = RecordFile(place, records, shape)
        return None

    def append(self, positions: NDArray[np.float64]) -> None:
        """Write the next record."""
        assert self._records is not None
        self._records.append(positions)

    def positions(self) -> NDArray[np.float64]:
        """The records so far: in memory while they fit, and on Windows, which renames no mapped file; a map beyond."""
        assert self._records is not None
        records = self._records.records()
        return np.array(records) if system.WINDOWS or records.nbytes <= IN_MEMORY else records

    def is_due(self) -> bool:
        """Whether the last checkpoint is ``checkpoint_every`` seconds old."""
        return time.perf_counter() - self._saved >= self.checkpoint_every

    def save(self, snapshot: Snapshot) -> None:
        """Write the checkpoint."""
        digest = ""
        if self._records is not None:
            if snapshot.records == 0:
                return  # not even the start is recorded: there is nothing to go on from
            self._records.flush()
            digest = self._records.digest(snapshot.records)
        seconds = self.earlier + time.perf_counter() - self._started
        seed = self.folder.manifest["seed"]
        self.folder.check_held()
        checkpoint.write(self.folder.path, Checkpoint(self.label, seed, snapshot, digest, seconds))
        self._saved = time.perf_counter()

    def finish(self) -> str:
        """Give the full array of records its name in the folder; its sha256."""
        assert self._records is not None
        self.folder.check_held()
        return self._records.finish(self.folder.positions(self.label))

    def close(self) -> None:
        """Close the file."""
        if self._records is not None:
            self._records.close()
