"""The folder of a run: its files, the order in which they are written, and how they are read. Nothing else knows them.

    scenario.toml               the complete scenario; running it again with the same seed gives the same run
    manifest.json               schema, status, settings, seed, versions, sha256 of the files, seconds, pictures
    arrays/LABEL.positions.npy  (records, particles, dim) float64
    arrays/LABEL.steps.npy      (records,) int64, the step number of each record
    arrays/LABEL.NAME.npy       other arrays of a method, float64
    arrays/@NAME.points.npy     an array that was handed in: the starts, or draws of the truth; (points, dim) float64
    arrays/LABEL.json           what else the run says about itself (kernel, algorithm, ...)
    summary.json                the numbers worth quoting, once the run is finished
    *.png, *.gif, ...           the pictures and films
    cells/*.json                finished parts of a long run, such as cells of a table, each with its sha256 and seconds
    *.md, *.json, ...           other files of the kind of scenario, such as table.md and table.json

and until the run is finished

    lock                        the lock of the process that writes (`particlegvi.runs.storage.manifest`)
    checkpoint.npz              the state from which the run goes on (`particlegvi.runs.storage.checkpoint`)
    arrays/LABEL.growing.npy    the records of the method that is running (`particlegvi.runs.storage.arrays`)

The folder appears whole, with scenario and manifest, before anything is simulated. Each method is added when it is
done; the manifest names it only after its arrays are on the disk. Only the manifest has wall-clock times: all other
files depend on scenario, seed and versions alone.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Facts, Record
from particlegvi.runs.storage import manifest as manifests
from particlegvi.runs.storage.arrays import read_array, write_array
from particlegvi.runs.storage.manifest import MANIFEST, SCENARIO, Lock, LockedFolder
from particlegvi.settings import checks
from particlegvi.tools import files

ARRAY = re.compile(r"arrays/([^/.]+)\.([a-z_]+)\.npy")  # an array of a method: its label and its name
ENDINGS = ("positions.npy", "steps.npy", "json", "growing.npy")  # of every method
OWN = re.compile(r"[a-z][a-z0-9_-]{0,40}\.(md|csv|json|txt|html)")  # a file of the kind's own
PART = re.compile(r"[A-Za-z0-9_+=-]+(\.[A-Za-z0-9_+=-]+)+\.json")  # a finished part of a long run, in ``cells``
SUMMARY, CHECKPOINT = "summary.json", "checkpoint.npz"


class Folder(LockedFolder):
    """A run's folder that exists: made by `create` (with its lock) or `open_folder` (without)."""

    def take(self) -> None:
        """Take the lock; a ValueError if another process is writing."""
        try:
            self._lock = Lock(self.path)
        except OSError as error:
            raise ValueError(f"{self.path} cannot be written: {error.strerror}") from None
        try:
            if (self.path / MANIFEST).exists():
                self.manifest = manifests.read(self.path)  # it may have changed before we had the lock
            (self.path / "arrays").mkdir(exist_ok=True)  # git and object stores drop empty folders
            for folder in (self.path, self.path / "arrays"):
                files.sweep(folder)
        except BaseException:
            self.release()
            raise

    def clear_progress(self) -> None:
        """Remove the checkpoint and the growing records of a method that is done."""
        self.check_held()
        for name in (CHECKPOINT, *(f"arrays/{label}.growing.npy" for label in self._labels())):
            files.remove(self.path / name)

    def text(self) -> str:
        """The content of ``scenario.toml``."""
        return files.read_text(self.path / SCENARIO, links=False)

    def summary(self) -> Facts | None:
        """The summary, or None if the run is not finished."""
        place = self.path / SUMMARY
        if place.name not in self.manifest["sha256"]:  # missing, or of an earlier state
            return None
        self.verify(place)
        summary, seed = files.read_json(place), self.manifest["seed"]
        if summary.get("seed", seed) != seed:  # the manifest itself has no sha256
            raise ValueError(f"{place} says that the seed is {summary['seed']!r:.40}, and manifest.json {seed}")
        return summary

    def add(
        self,
        label: str,
        record: Record,
        seconds: float | None = None,
        written: Mapping[str, str] | None = None,
        order: Sequence[str] = (),
    ) -> None:
        """Write a record, then name the method in the manifest as done.

        ``written`` has the sha256 of the arrays that are in their files already, and ``order`` all labels of the run,
        in the order of the manifest.
        """
        self.check_held()
        for name in record.files:
            if not is_own(name):
                raise ValueError(f"{name!r:.80} is not the name of a file that a kind of scenario may have")
        info_file = self._array(label, "json")
        digests: dict[str, str] = {}
        for name, array in record.arrays.items():
            place = self._array(label, f"{name}.npy")
            if written is None or name not in written:
                write_array(place, array)
            digests[self._name(place)] = written[name] if written and name in written else files.digest(place)
        if record.arrays:
            files.write_json(
                info_file, files.finite({key: value for key, value in record.info.items() if key != "seconds"})
            )
            digests[self._name(info_file)] = files.digest(info_file)
        for name, text in record.files.items():
            files.write_text(self.path / name, text)
            digests[name] = files.digest(self.path / name)
        self.manifest["sha256"] |= digests
        if seconds is not None:
            self.manifest["seconds"][label] = round(float(seconds), 3)
        done = [*self.manifest["methods"], label]
        self.manifest["methods"] = sorted(done, key=order.index) if label in order else done
        self.update()
        self.clear_progress()

    def forget(self, label: str) -> None:
        """Remove a method from the manifest, because its files are damaged."""
        self.update(methods=[done for done in self.manifest["methods"] if done != label])

    def record(self, label: str) -> Record:
        """Read the record of one method that is done.

        A ValueError if there is none, or a file is missing, damaged or does not fit the others.
        """
        if label not in self.manifest["methods"]:
            raise ValueError(f"{self.path} has no results of {label}: it is {self.manifest['status']}")
        arrays, texts, info = {}, {}, {}
        for listed in list(self.manifest["sha256"]):
            array = ARRAY.fullmatch(listed)
            if array is not None and array[1] == label:
                arrays[array[2]] = self._read(label, array[2])
            elif is_own(listed):
                self.verify(self.path / listed)
                texts[listed] = files.read_text(self.path / listed, links=False)
        if not texts or arrays:
            place = self._array(label, "json")
            info = files.read_json(place)
            self.verify(place)
        if {"positions", "steps"} <= set(arrays) and (
            len(arrays["positions"]) != len(arrays["steps"]) or arrays["positions"].size == 0
        ):
            number, steps = len(arrays["positions"]), len(arrays["steps"])
            raise ValueError(f"{self.path} is damaged: {label} has {number} records of {steps} steps")
        numbers = arrays.get("steps", np.arange(1))
        if numbers[0] < 0 or np.any(numbers[1:] <= numbers[:-1]):
            raise ValueError(f"{self.path} is damaged: the step numbers of {label} must be 0 or more and increase")
        if label in self.manifest["seconds"]:
            info["seconds"] = self.manifest["seconds"][label]
        return Record(arrays, info, texts)

    def _read(self, label: str, name: str) -> NDArray[Any]:
        place = self._array(label, f"{name}.npy")
        dims = {"positions": 3, "steps": 1}.get(name)
        array = read_array(place, np.int64 if name == "steps" else np.float64, dims)
        self.verify(place)
        return array

    def given(self, key: str) -> NDArray[np.float64] | None:
        """The array that was handed in for ``key``; None if none was."""
        begin = f"arrays/{manifests.GIVEN}{key}-"
        for name in self.manifest["sha256"]:
            if name.startswith(begin) and ARRAY.fullmatch(name):
                array = read_array(self.path / name, np.float64, 2)
                self.verify(self.path / name)
                return array
        return None

    def verify(self, place: Path) -> None:
        """Refuse a file whose sha256 is not the one in the manifest."""
        if files.digest(place) != self.manifest["sha256"].get(self._name(place)):
            raise ValueError(f"{place} is damaged: its sha256 is not the one in manifest.json")

    def write_summary(self, summary: Facts) -> None:
        """Write the summary."""
        self.check_held()
        place = self.path / SUMMARY
        files.write_json(place, files.finite(summary))
        self.manifest["sha256"][place.name] = files.digest(place)
        self.update()

    def is_fresh(self) -> bool:
        """Whether no method is done, none has a checkpoint, and the run was never resumed."""
        begun = os.path.lexists(self.path / CHECKPOINT)
        return not (begun or self.manifest["methods"] or self.manifest["resumed"])

    def empty(self) -> None:
        """Remove the files that a run may have written, besides its scenario and its manifest.

        Arrays that the manifest names, files with the endings of every method of its labels, pictures that it names,
        files of the kind's own that are as it says, and finished parts.
        """
        self.clear_progress()
        listed = self.manifest["sha256"]
        names = [SUMMARY, *self.manifest["figures"], *filter(ARRAY.fullmatch, listed)]
        names += [f"arrays/{label}.{ending}" for label in self._labels() for ending in ENDINGS]
        places = [self.path / name for name in names]
        places += [self.path / name for name in filter(is_own, listed) if _is(self.path / name, listed[name])]
        places += filter(_is_part, (self.path / "cells").glob("*.json"))
        for place in places:
            files.remove(place)

    def discard(self) -> None:
        """Remove the files of a run that has no results, and the lock."""
        self.empty()
        for name in (SCENARIO, MANIFEST):
            files.remove(self.path / name)
        self.release()
        for place in (self.path / "arrays", self.path):
            with contextlib.suppress(OSError):  # it has a file that is not ours
                place.rmdir()

    def _labels(self) -> list[str]:
        """The labels of the run that can be parts of names of files."""
        return [label for label in self.manifest["labels"] if checks.LABEL.fullmatch(label)]

    def positions(self, label: str) -> Path:
        """The file of a method's records."""
        return self._array(label, "positions.npy")

    def growing(self, label: str) -> Path:
        """The file of the growing records of a method."""
        return self._array(label, "growing.npy")

    def _name(self, place: Path) -> str:
        return place.relative_to(self.path).as_posix()

    def _array(self, label: str, ending: str) -> Path:
        if not checks.LABEL.fullmatch(label):  # checked before, and again because it becomes a path
            raise ValueError(f"{label!r} cannot be the label of a method")
        return self.path / "arrays" / f"{label}.{ending}"


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """The folder of an earlier run; a ValueError if `manifest.read` raises one."""
    place = files.place("folder", path)
    return Folder(place, manifests.read(place))


def is_own(name: str) -> bool:
    """Whether a kind of scenario may have a file of this name in the folder of a run."""
    return OWN.fullmatch(name) is not None and name not in (MANIFEST, SUMMARY)


def _is(place: Path, digest: str) -> bool:
    """Whether a file is there with this sha256: one of the same name that a user wrote is not removed."""
    with files.ignoring_damage():
        return files.digest(place) == digest
    return False


def _is_part(place: Path) -> bool:
    if not PART.fullmatch(place.name):
        return False
    with files.ignoring_damage():
        return {"sha256", "seconds"} <= set(files.read_json(place))
    return False
