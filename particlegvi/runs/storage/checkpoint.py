"""Storage of one method's run in the folder of the run: every record at once, a checkpoint now and then.

The checkpoint is the file ``checkpoint.npz`` with the state from which the run goes on. It is written whole under a
temporary name and renamed, when the records before it are on the disk. A process that dies at any time leaves this
checkpoint or the one before. The file is a .npz archive of numpy without compression and without pickle: the arrays,
and a member ``manifest.json`` with all else.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, Record, Snapshot
from particlegvi.runs.storage.arrays import RecordFile, read_array, read_header
from particlegvi.runs.storage.folder import CHECKPOINT, Folder
from particlegvi.simulation.storage import CHECKPOINT_EVERY
from particlegvi.tools import files, machine
from particlegvi.tools.machine import IN_MEMORY

MANIFEST = "manifest.json"
STATE, CONSTANTS = "state.npy", "constants/"  # members of the archive
ENTRIES = {
    "label": str, "seed": int, "step": int, "extra_state": dict, "facts": dict, "records": int, "records_sha256": str,
    "seconds": float,
}  # fmt: skip
BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, KeyError)  # what zipfile raises


class Checkpoint(NamedTuple):
    """A snapshot of a method's run, and the sha256 of the records that belong to it."""

    label: str  # the method
    seed: int
    snapshot: Snapshot
    records_sha256: str  # of the file of records, up to the end of the last record of the snapshot
    seconds: float  # what the run has taken so far


def write(run: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a run, whose records are already on the disk."""
    manifest = {**checkpoint._asdict(), **checkpoint.snapshot._asdict()}
    arrays = {STATE: manifest.pop("state")}
    arrays |= {f"{CONSTANTS}{name}.npy": array for name, array in manifest.pop("constants").items()}
    del manifest["snapshot"]
    manifest["arrays"] = list(arrays)

    def fill(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(MANIFEST), files.json_text(files.finite(manifest)))
            for name, array in arrays.items():
                with archive.open(zipfile.ZipInfo(name), "w") as member:
                    np.lib.format.write_array(member, array, (1, 0), allow_pickle=False)

    files.write(run / CHECKPOINT, fill)


def read(run: Path) -> Checkpoint | None:
    """The checkpoint of a run's folder; None if there is none, or it is damaged.

    One that cannot be read now is `files.Unreadable`: it is not damaged, and the run need not start over.
    """
    with files.ignoring_damage():
        manifest, arrays = _members(run / CHECKPOINT)
        typed = all(type(manifest.get(entry)) is kind for entry, kind in ENTRIES.items())
        if typed and list(arrays) == manifest.get("arrays") and STATE in arrays:
            values = {name: manifest[name] for name in Snapshot._fields if name in ENTRIES}
            state = arrays.pop(STATE)
            constants = {name.removeprefix(CONSTANTS).removesuffix(".npy"): array for name, array in arrays.items()}
            snapshot = Snapshot(state=state, constants=constants, **values)
            whole = {name: manifest[name] for name in ("label", "seed", "records_sha256", "seconds")}
            return Checkpoint(snapshot=snapshot, **whole)
    return None


def unfinished(folder: Folder, label: str) -> Record | None:
    """The records of a method that is not done, up to its last checkpoint; None if there are none."""
    last = read(folder.path)
    if last is not None and last.label == label and last.snapshot.records > 0:
        with files.ignoring_damage():
            positions = read_array(folder.growing(label), np.float64, 3, last.snapshot.records)
            return Record({"positions": positions}, last.snapshot.facts | {"stopped": "interrupted"})
    return None


def _members(place: Path) -> tuple[Facts, dict[str, Array]]:
    """The manifest and the arrays of a file, whose members are together no longer than the file; else a ValueError."""
    with files.open_regular(place, links=False) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            machine.check(f"{place} has {size} bytes, which", 2 * size, "load it on a larger machine")
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                if sum(member.file_size for member in members) > size or any(one.compress_type for one in members):
                    raise ValueError(f"{place} has compressed members")
                contents = {member.filename: archive.read(member) for member in members}
            text = contents.pop(MANIFEST)[: files.LARGEST_TEXT].decode("utf-8")
            return files.parsed(text, place), {name: _array(content) for name, content in contents.items()}
        except OSError as error:
            raise files.Unreadable(f"{place} cannot be read: {error.strerror}") from None
        except BROKEN as error:
            raise ValueError(f"{place} is damaged: {error}") from None


def _array(content: bytes) -> Array:
    """The array of a .npy file, in its order in memory, on which the last bits of products depend."""
    file = io.BytesIO(content)
    header = read_header(file)
    if len(content) - file.tell() != header.length:
        raise ValueError("an array is not as long as its shape needs")
    array = np.frombuffer(content, header.dtype, offset=file.tell())
    if header.in_fortran_order:
        return array.reshape(header.shape[::-1]).T.copy("F")
    return array.reshape(header.shape).copy()


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
        last = read(self.folder.path)
        if last is not None and last.label == self.label and min(records, 1) <= last.snapshot.records <= records:
            with contextlib.suppress(ValueError, FileNotFoundError):
                if records > 0:
                    self._records = RecordFile(place, records, shape, last.snapshot.records, last.records_sha256)
                self.earlier = last.seconds
                return last.snapshot
        resumed = self.folder.manifest["resumed"]
        if resumed and resumed[-1]["method"] == self.label and resumed[-1]["step"]:  # its records were lost
            self.folder.update(resumed=[*resumed[:-1], {**resumed[-1], "step": 0}])
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
        return np.array(records) if machine.WINDOWS or records.nbytes <= IN_MEMORY else records

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
        write(self.folder.path, Checkpoint(self.label, seed, snapshot, digest, seconds))
        self._saved = time.perf_counter()

    def finish(self, record: Record, labels: Sequence[str]) -> None:
        """Add the record of the method to the folder, its positions from the growing file; ``labels`` are all of it."""
        written = {}
        if self._records is not None and self.count:
            self.folder.check_held()
            written = {"positions": self._records.finish(self.folder.positions(self.label))}
        self.close()
        self.folder.add(self.label, record, record.info["seconds"], written, labels)

    def close(self) -> None:
        """Close the file."""
        if self._records is not None:
            self._records.close()
