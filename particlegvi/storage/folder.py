"""The folder of a run: what is in it, in which order it is written, and how it is read. Nothing else knows.

    scenario.toml               the complete scenario; running it again with the same seed gives the same run
    manifest.json               schema, status, settings, seed, versions, sha256 of the files, seconds, pictures
    arrays/LABEL.positions.npy  (records, particles, dim) float64
    arrays/LABEL.steps.npy      (records,) int64, the step number of each record
    arrays/LABEL.NAME.npy       other arrays of a method, float64
    arrays/LABEL.json           what else the run says about itself (kernel, algorithm, ...)
    summary.json                the numbers worth quoting; there once the run is finished
    *.png                       the pictures
    cells/*.json                of a benchmark table: its finished cells, each with its seconds
    table.md, table.json        the table, drawn up

and while it is not finished

    lock                        who is writing (`particlegvi.storage.lock`)
    next.json                   another run takes the folder over (`particlegvi.storage.overwriting`)
    checkpoint/                 where to go on from (`particlegvi.storage.checkpoint`)
    arrays/LABEL.growing.npy    the records of the method that is running (`particlegvi.storage.record_file`)
    arrays/LABEL.replicates.growing.npy   where the run and each of its replicates ended, as far as they have

The folder appears whole, with scenario and manifest, before anything is simulated. Each method is added when it is
done; the manifest names it only after its arrays are on the disk. Wall-clock times are in the manifest only: all other
files depend on scenario, seed and versions alone.
"""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi import kinds
from particlegvi.settings import keys
from particlegvi.simulation.loop import record_steps
from particlegvi.storage import checkpoint
from particlegvi.storage import manifest as manifests
from particlegvi.storage.arrays import read_array, write_array
from particlegvi.storage.lock import NAME as LOCK
from particlegvi.storage.lock import Lock
from particlegvi.storage.overwriting import OTHER, TABLES, finish
from particlegvi.tools import files

__all__ = ["TABLES", "Folder", "Record", "open_folder"]

class Record(NamedTuple):
    """What the folder keeps of one method."""

    positions: NDArray[np.float64]
    steps: NDArray[np.int64]
    info: dict[str, Any]


class Folder:
    """A run's folder that exists: made by `create` (with its lock) or `open_folder` (without)."""

    def __init__(self, path: Path, manifest: dict[str, Any], lock: Lock | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock

    def take(self) -> dict[str, Any]:
        """Take the lock; what a process that died with it had noted (see `note`), {} where none did.

        Raises
        ------
        ValueError
            If another process is writing.
        """
        if self._lock is None:
            try:
                self._lock = Lock.take(self.path)
            except OSError as error:
                raise ValueError(f"{self.path} cannot be written: {error.strerror}") from None
            try:
                finish(self.path)
                self.manifest = manifests.read(self.path)  # it may have changed before we had the lock
            except BaseException:
                self.release()
                raise
        return self._lock.before

    def note(self, **progress: Any) -> None:
        """Say how far the work is, for whoever takes over if this process dies."""
        if self._lock is not None:
            self._lock.note(**progress)

    def has_lock(self) -> bool:
        """Whether a process is writing, or has died while it was."""
        return os.path.lexists(self.path / LOCK)

    def clear_progress(self) -> None:
        """Take away the checkpoints and records of a method that is done."""
        checkpoint.clear(self.path)
        for place in (self.path / "arrays").glob("*.growing.npy"):
            place.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the unfinished files of a process that died, whose lock we have."""
        checkpoints = self.path / checkpoint.FOLDER
        for place in (self.path, self.path / "arrays", checkpoints, checkpoints / checkpoint.REPLICATES):
            files.sweep(place)

    def release(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def scenario(self) -> dict[str, Any]:
        """The complete scenario, checked as strictly as any other file.

        Raises
        ------
        ValueError
            If it is damaged, or does not simulate what the run did: the sentence names the key.
        """
        place = self.path / "scenario.toml"
        try:
            taken = manifests.next_run(self.path)
            text = files.read_text(place, links=False) if taken is None else taken[0]
            found = keys.check(tomllib.loads(text))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{place} is not a complete scenario: {error}") from None
        changed = manifests.difference(self.manifest["settings"], manifests.settings(found))
        if changed is not None:
            key, before, after = changed
            raise ValueError(f"{place} has changed since the run began: {key} is {after!r:.60}, and was {before!r:.60}")
        return found

    def summary(self) -> dict[str, Any] | None:
        """The summary, or None where there is none yet."""
        place = self.path / "summary.json"
        if place.name not in self.manifest["sha256"]:  # not there, or not yet for good
            return None
        self.verify(place)
        found, seed = files.read_json(place), self.manifest["seed"]
        if found.get("seed", seed) != seed:  # the manifest has no hash
            raise ValueError(f"{place} says that the seed is {found['seed']!r:.40}, and manifest.json {seed}")
        return found

    def add(
        self,
        label: str,
        record: Record,
        seconds: float | None = None,
        digest: str | None = None,
        others: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> None:
        """Write what one method recorded, and other arrays by name, then name it in the manifest.

        With ``digest`` the positions are in their file already, and this is its sha256.
        """
        if digest is None:
            write_array(self.positions(label), record.positions)
            digest = files.digest(self.positions(label))
        steps, info = self._array(label, "steps.npy"), self._array(label, "json")
        write_array(steps, record.steps)
        files.write_json(info, files.finite(record.info))
        further = {self._array(label, f"{name}.npy"): array for name, array in (others or {}).items()}
        for place, array in further.items():
            write_array(place, array)
        self.enlist(label, [steps, info, *further], seconds, {f"arrays/{self.positions(label).name}": digest})
        self.clear_progress()

    def enlist(
        self, label: str, places: list[Path], seconds: float | None, digests: Mapping[str, str] | None = None
    ) -> None:
        """Name a method in the manifest as done, and the files that are on the disk with what proves them."""
        found = {place.relative_to(self.path).as_posix(): files.digest(place) for place in places}
        self.manifest["sha256"] |= {**found, **(digests or {})}
        if seconds is not None:
            self.manifest["seconds"][label] = round(float(seconds), 3)
        done = {*self.manifest["methods"], label}
        every = kinds.of(self.manifest["settings"]).labels(self.manifest["settings"])
        self.manifest["methods"] = [each for each in every if each in done]
        self.update()

    def forget(self, label: str) -> None:
        """Strike a method from the manifest, because its files are damaged."""
        self.update(methods=[each for each in self.manifest["methods"] if each != label])

    def record(self, label: str) -> Record:
        """Read what one method recorded.

        Raises
        ------
        ValueError
            If nothing is there, or a file is missing, damaged or does not fit the others.
        """
        if label not in self.manifest["methods"]:
            raise ValueError(f"{self.path} has no results of {label}: it is {self.manifest['status']}")
        positions = read_array(self.positions(label), np.float64, 3)
        steps = read_array(self._array(label, "steps.npy"), np.int64, 1)
        if len(positions) != len(steps) or positions.size == 0:
            raise ValueError(f"{self.path} is damaged: {label} has {len(positions)} records of {len(steps)} steps")
        info = files.read_json(self._array(label, "json"))
        for place in (self.positions(label), self._array(label, "steps.npy"), self._array(label, "json")):
            self.verify(place)
        if label in self.manifest["seconds"]:
            info["seconds"] = self.manifest["seconds"][label]
        return Record(positions, steps, info)

    def others(self, label: str) -> dict[str, NDArray[np.float64]]:
        """The other arrays of a method that the manifest names."""
        found = {}
        for listed in self.manifest["sha256"]:
            other = OTHER.fullmatch(listed)
            if other is not None and other[1] == label and other[2] not in ("positions", "steps"):
                place = self._array(label, f"{other[2]}.npy")
                found[other[2]] = read_array(place, np.float64)
                self.verify(place)
        return found

    def unfinished(self, label: str) -> Record | None:
        """What a method that is not done had recorded at its last checkpoint; None where that is nothing."""
        for found in checkpoint.read(self.path, with_state=False):
            snapshot = found.snapshot
            if found.label == label:
                with files.ignoring_damage():
                    positions = read_array(self.growing(label), np.float64, 3, rows=snapshot.records)
                    settings = self.manifest["settings"]
                    steps = record_steps(settings["steps"], settings.get("record_every"))
                    return Record(positions, steps[: len(positions)], snapshot.facts | {"stopped": "interrupted"})
        return None

    def verify(self, place: Path) -> None:
        """Refuse a file that is not the one that the manifest names."""
        name = place.relative_to(self.path).as_posix()
        if files.digest(place) != self.manifest["sha256"].get(name):
            raise ValueError(f"{place} is damaged: its sha256 is not the one in manifest.json")

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write the summary."""
        place = self.path / "summary.json"
        files.write_json(place, files.finite(summary))
        self.manifest["sha256"][place.name] = files.digest(place)
        self.update()

    def update(self, **entries: Any) -> None:
        """Change entries of the manifest and write it."""
        self.manifest.update(entries)
        files.write_json(self.path / "manifest.json", self.manifest)

    def is_fresh(self) -> bool:
        """Whether there is nothing in it that took time to make."""
        try:
            stored = checkpoint.read(self.path, with_state=False)
        except files.Unreadable:
            return False
        return not (stored or self.manifest["methods"] or self.manifest["resumed"])

    def discard(self) -> None:
        """Take away what a run that did not get anywhere has written, and the lock."""
        checkpoint.clear(self.path)
        written = (self.path / name for name in ("scenario.toml", "manifest.json"))
        for place in [*(self.path / "arrays").glob("*.growing.npy"), *written]:
            place.unlink(missing_ok=True)
        self.release()
        for place in (self.path / "arrays", self.path):
            with contextlib.suppress(OSError):  # it holds something of somebody else
                place.rmdir()

    def positions(self, label: str) -> Path:
        """The file of a method's records."""
        return self._array(label, "positions.npy")

    def growing(self, label: str, part: str = "") -> Path:
        """The file of the records of a method, or of a part of it, that is running."""
        return self._array(label, f"{part}.growing.npy".lstrip("."))

    def _array(self, label: str, ending: str) -> Path:
        if not keys.checks.LABEL.fullmatch(label):  # checked before, but here it becomes a path
            raise ValueError(f"{label!r} cannot be the label of a method")
        return self.path / "arrays" / f"{label}.{ending}"


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """The folder of an earlier run; a ValueError where `manifest.read` has one."""
    place = files.place("folder", path)
    return Folder(place, manifests.read(place))
