"""The manifest and the lock of a folder of results, of a run or a sweep: one writer, whose lock ends with its process.

The manifest of a run has its first content, and is checked before it is used. The code and the machine that the numbers
of a folder come from are compared with those of this process.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Mapping
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from particlegvi.contracts import Array, Facts
from particlegvi.runs.storage.arrays import as_file
from particlegvi.tools import files
from particlegvi.tools.errors import FolderLost, warn
from particlegvi.tools.machine import linear_algebra, processor
from particlegvi.tools.sources import SOURCES, changed, note_now, sources, versions

LOCK, SCENARIO, MANIFEST = "lock", "scenario.toml", "manifest.json"
INNER = ("arrays", "cells")  # the folders in a folder of results


class Lock:
    """The right to write into a folder, from the making of this object until `release`.

    The operating system keeps the lock of the file ``lock``; it is free once its process has ended. A ValueError where
    another process holds it, an OSError where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = FileLock(folder / LOCK, timeout=0)
        try:
            self._file.acquire()
        except Timeout:
            raise ValueError(f"{folder} is being written by another process; wait until it ends") from None
        self._status = os.stat(folder / LOCK)

    def is_held(self) -> bool:
        """Whether the lock file in the folder is the one that this process has locked."""
        try:
            return self._file.is_locked and os.path.samestat(os.stat(self.folder / LOCK), self._status)
        except OSError:
            return False

    def check(self) -> None:
        """Raise `FolderLost` unless the lock `is_held`."""
        if not self.is_held():
            raise FolderLost(
                errno.ESTALE, f"{self.folder} was moved, removed or replaced while this process wrote it; a folder that"
                " was moved can be resumed at its new place",
            )  # fmt: skip

    def release(self) -> None:
        """Give the lock back. Its file is removed first: whoever has opened it meanwhile opens the next one."""
        if self.is_held():
            (self.folder / LOCK).unlink(missing_ok=True)
        self._file.release()


def remove_left_lock(folder: Path) -> None:
    """Remove the lock of a process that was killed after its last write: nobody else will take it."""
    if (folder / LOCK).is_file() and not (folder / LOCK).is_symlink():
        with contextlib.suppress(ValueError, OSError):  # another process has it, or the folder is only to be read
            Lock(folder).release()


class LockedFolder:
    """A folder that exists, with the content of its ``manifest.json``, and with its lock once it is held."""

    def __init__(self, path: Path, manifest: Facts, lock: Lock | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock

    def check_held(self) -> None:
        """Raise `FolderLost` where the folder is not at its path any more, or a link is in the place of one in it."""
        if self._lock is not None:
            self._lock.check()
            for part in INNER:
                files.check_no_link(self.path / part)

    def update(self, **entries: object) -> None:
        """Change entries of the manifest and write it."""
        self.check_held()
        self.manifest.update(entries)
        files.write_json(self.path / MANIFEST, self.manifest)

    def release(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


SCHEMA = 2
FORMAT = "particlegvi run"
NAMED = {"processor": "processor", "blas": "linear algebra"}
AFTER_RUNS = ("facts ", "figures ")  # begin the notes of parts that change no run: one that was mended may finish it
GIVEN = "@"  # begins the names of arrays that were handed in; no label of a method has it
# "simulated": only the pictures are missing
STATUS = ("running", "simulated", "finished", "interrupted", "diverged", "failed")
UNFINISHED = ("running", "simulated", "interrupted", "failed")
PICTURES = (".png", ".pdf", ".svg", ".gif", ".webp", ".apng", ".mp4", ".webm")  # films included
ENTRIES: dict[str, type] = {
    "status": str, "scenario": str, "settings": dict, "seed": int, "versions": dict, "methods": list, "sha256": dict,
    "seconds": dict, "figures": list, "resumed": list, "labels": list, "code": dict, "machine": dict,
}  # fmt: skip
OPTIONAL: dict[str, type] = {"anyway": list, "parts": dict}
SOUND: dict[str, Callable[[Any], bool]] = {
    "status": STATUS.__contains__,
    "seed": lambda seed: type(seed) is int and 0 <= seed < 2**64,
    "labels": lambda labels: all(isinstance(label, str) for label in labels),
    "parts": lambda parts: all(isinstance(note, str) for note in parts.values()),
    "figures": lambda names: all(isinstance(name, str) and is_picture(name) for name in names),
}


class FolderContent(NamedTuple):
    """The first content of the folder of a new run."""

    name: str  # name of the scenario
    text: str  # the content of ``scenario.toml``
    settings: Facts  # the part of the scenario on which the numbers depend
    seed: int
    versions: dict[str, str]  # versions of the packages on which the numbers depend
    labels: list[str]  # labels of the methods, or of whatever else is run
    parts: dict[str, str] = {}  # notes of the parts from outside: `particlegvi.tools.sources`
    arrays: Mapping[str, Array] = {}  # arrays that were handed in, by a name that follows from their numbers

    def manifest(self) -> Facts:
        """The manifest of a run that starts."""
        return {
            "format": FORMAT, "schema": SCHEMA, "status": "running", "scenario": self.name, "settings": self.settings,
            "seed": self.seed, "versions": self.versions, "methods": [], "seconds": {}, "figures": [],
            "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in self.files().items()},
            "resumed": [], "labels": self.labels, "code": {SOURCES: sources()}, "machine": machine(),
            **({"parts": self.parts} if self.parts else {}),
        }  # fmt: skip

    def fill(self, folder: Path) -> None:
        """Write the files of a run that starts into its folder."""
        (folder / "arrays").mkdir(exist_ok=True)
        for name, content in self.files().items():
            files.write(folder / name, methodcaller("write", content))
        files.write_text(folder / SCENARIO, self.text)
        files.write_json(folder / MANIFEST, self.manifest())

    def files(self) -> dict[str, bytes]:
        """The files of the arrays that were handed in, by their place in the folder."""
        return {f"arrays/{GIVEN}{name}.points.npy": as_file(array) for name, array in self.arrays.items()}


def is_picture(name: str) -> bool:
    """Whether this is the name of a picture or a film, without a folder."""
    return Path(name).name == name and Path(name).suffix in PICTURES


def read(folder: Path) -> Facts:
    """The manifest of a folder; a ValueError if there is none, or it is not that of a run, or damaged."""
    place = folder / MANIFEST
    if not os.path.isfile(place):
        if not os.path.lexists(folder):
            raise ValueError(f"{folder} does not exist")
        raise ValueError(f"{folder} is not the folder of a run: it has no {MANIFEST}")
    for part in INNER:
        if (folder / part).is_symlink():
            raise ValueError(f"{folder / part} is a link, which is not followed")
    manifest = files.read_json(place)
    if manifest.get("format") == "particlegvi sweep":
        raise ValueError(f"{folder} must be the folder of a run, not of a sweep, which has no particles in it")
    if manifest.get("format") != FORMAT:
        raise ValueError(f"{place} is not the manifest of a particlegvi run")
    if manifest.get("schema") != SCHEMA:
        raise ValueError(f"{folder} has the schema {manifest.get('schema')!r:.40}; this version reads {SCHEMA}")
    entries = {**{name: kind() for name, kind in OPTIONAL.items()}, **manifest}
    wrong = [name for name, kind in {**ENTRIES, **OPTIONAL}.items() if not isinstance(entries.get(name), kind)]
    wrong = wrong or [name for name, is_sound in SOUND.items() if not is_sound(entries[name])]
    if wrong:
        raise ValueError(f"{place} is damaged: {wrong[0]} is {entries.get(wrong[0])!r:.40}")
    return manifest


def difference(before: Any, after: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """The first place at which two tables differ, names before parameters, as (dotted key, before, after)."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return None if before == after else (key, before, after)
    for name in sorted({*before, *after}, key=lambda name: (name != "name", name)):
        inner = difference(before.get(name), after.get(name), f"{key}.{name}".strip("."))
        if inner is not None:
            return inner
    return None


def machine() -> dict[str, str]:
    """The kind of processor, and the libraries of linear algebra with the kernels that they chose for it."""
    return {"processor": processor(), "blas": linear_algebra()}


def check_code(folder: Path, manifest: Facts, anyway: bool) -> Facts:
    """Refuse other versions, sources or parts than those that a run was begun with, or that it was last gone on with.

    The entry of the manifest that says so, where ``anyway`` goes on with others; empty otherwise.
    """
    known = [entry for entry in manifest.get("anyway", []) if isinstance(entry, dict) and SOURCES in entry]
    own = known[-1] if known else manifest["code"]
    noted: Facts = {**manifest.get("parts", {})}
    for entry in manifest.get("anyway", []):
        noted |= entry.get("parts", {}) if isinstance(entry, dict) else {}
    noted = {key: note for key, note in noted.items() if not key.startswith(AFTER_RUNS)}
    others: Facts = {}
    for then, entry in (
        (manifest["versions"], {"versions": versions()}),
        ({**versions(), **own}, {SOURCES: sources(), f"from_{SOURCES}": own.get(SOURCES)}),
        ({**versions(), **noted}, {"parts": {key: note_now(key) for key in noted}}),
    ):
        words = changed(then)
        if words is not None and not anyway:
            raise ValueError(
                f"{folder} was begun with {words[0]} and this is {words[1]}, which may give other numbers; go on with"
                " the version that began it, start over with --overwrite, or say --anyway (anyway=True)"
            )
        others |= {} if words is None else entry
    return others


def warn_of_other_code(folder: Path, manifest: Facts) -> None:
    """A warning where results come from other sources than these, of the package or of parts from outside."""
    words = changed({**versions(), **manifest["code"], **manifest.get("parts", {})})
    if words is not None:
        warn(
            f"{folder} was simulated with {words[0]} and this is {words[1]}: its files are unchanged, and numbers that"
            " are computed from them now may differ"
        )


def warn_of_other_machine(folder: Path, manifest: Facts) -> Facts:
    """A warning where a run was begun on another processor or linear algebra; what is here then, and {} otherwise."""
    before, now = manifest["machine"], machine()
    changed = next((name for name in now if before.get(name, now[name]) != now[name]), None)
    if changed is None:
        return {}
    warn(
        f"{folder} was begun with the {NAMED[changed]} {str(before[changed]):.60}, and this is {now[changed]}: the last"
        " digits of its numbers may differ, and functions may be others from the same law"
    )
    return {"machine": now}
