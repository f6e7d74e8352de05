"""One writer for one folder: a lock that ends with its process, and the base of the folders of runs and of sweeps."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path
from typing import Any

from particlegvi.contracts import Facts
from particlegvi.tools import files, system
from particlegvi.tools.quoting import as_argument

NAME = "lock"
SCENARIO, MANIFEST = "scenario.toml", "manifest.json"


class FolderLost(OSError):
    """The folder at a path is not the one whose lock this process holds: it was moved, removed or replaced."""

    def __str__(self) -> str:
        return str(self.strerror)


class Lock:
    """The right to write into a folder, held from `take` until `release`.

    The operating system keeps the lock (``flock``; on Windows ``msvcrt.locking``). It is free once its process has
    died, even if another process has the same number now. The lock file names the holder and its progress, and is
    removed when the run ends.

    While the lock is held, each write of this thread through `particlegvi.tools.files` checks first that the lock file
    in the folder is the one that is held (`check`). A folder that was moved, and another made in its place, is thus
    left alone.
    """

    def __init__(self, folder: Path, file: int, before: Facts) -> None:
        self.folder = folder  # `move` renames it while the lock is held
        self.before = before  # the note of a process that died with the lock; {} if none did
        self._file = file
        files.guard(folder, self.check)

    @classmethod
    def take(cls, folder: Path) -> Lock:
        """Take the lock of a folder.

        A ValueError if a living process has it (the sentence names its number), or the lock file is a hard link; an
        OSError if the folder cannot be written.
        """
        lock = cls(folder, *_held(folder))
        lock.note()
        return lock

    def is_held(self) -> bool:
        """Whether the lock file in the folder is the one that this process has locked."""
        return self._file >= 0 and _is_at(self._file, self.folder / NAME)

    def check(self) -> None:
        """Raise `FolderLost`, or FileNotFoundError if nothing is at the path any more, unless the lock `is_held`."""
        if self.is_held():
            return
        if not os.path.lexists(self.folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.folder))
        place = _folder_of(self._file)
        moved = "" if place is None else f"; its run is in {place}: particlegvi resume {as_argument(place)} goes on"
        raise FolderLost(
            errno.ESTALE, f"{self.folder} was moved or replaced while this process wrote it, and is left alone{moved}"
        )

    def note(self, **progress: Any) -> None:
        """Write progress into the lock file; `take` reads it after a crash."""
        text = json.dumps({"pid": os.getpid(), **progress}).ljust(160).encode()
        with contextlib.suppress(OSError):
            os.lseek(self._file, 0, os.SEEK_SET)  # safe: there is one writer, and each reader opens the file itself
            os.write(self._file, text)

    def move(self, place: Path) -> None:
        """Rename the folder, and keep its lock.

        Windows renames no folder that has an open file: there the lock is given back and taken again. A ValueError if
        another process has taken the lock in between.
        """
        if system.WINDOWS:
            os.close(self._file)
            self._file = -1
            self.folder.rename(place)
            self._file, _ = _held(place)
        else:
            self.folder.rename(place)
        files.unguard(self.folder, self.check)
        self.folder = place
        files.guard(place, self.check)

    def release(self) -> None:
        """Give the lock back, and remove the lock file if it is still ours."""
        if self._file < 0:
            return
        ours = self.is_held()
        files.unguard(self.folder, self.check)
        if system.WINDOWS:  # Windows removes no open file: one that another process has opened by now stays
            os.close(self._file)
        try:
            with contextlib.suppress(OSError):
                if ours:
                    (self.folder / NAME).unlink()
        finally:
            if not system.WINDOWS:
                os.close(self._file)
            self._file = -1


def _held(folder: Path) -> tuple[int, Facts]:
    """The lock file of a folder, open and locked by us, and the note in it."""
    place = folder / NAME
    while True:
        file = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        before = _read(file)
        if not system.hold(file):
            os.close(file)
            holder = before.get("pid", "unknown")
            raise ValueError(f"{folder} is being written by another process (pid {holder}); wait until it ends")
        if _is_at(file, place):
            try:
                files.check_single(place, os.fstat(file))
            except ValueError:
                os.close(file)
                raise
            return file, before
        os.close(file)  # the owner has removed the file in the meantime: open the new one


def _is_at(file: int, place: Path) -> bool:
    """Whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(place, follow_symlinks=False))
    except OSError:
        return False


def _folder_of(file: int) -> Path | None:
    """The folder in which an open file lies now, where the system can say it (Linux)."""
    with contextlib.suppress(OSError):
        place = Path(os.readlink(f"/proc/self/fd/{file}"))
        if _is_at(file, place):
            return place.parent
    return None


def _read(file: int) -> Facts:
    try:
        os.lseek(file, 0, os.SEEK_SET)
        content = json.loads(os.read(file, 1000))
    except (ValueError, OSError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


class LockedFolder:
    """A folder that exists, with the content of its ``manifest.json``, and with its lock once it is held."""

    def __init__(self, path: Path, manifest: Facts, lock: Lock | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock

    def update(self, **entries: object) -> None:
        """Change entries of the manifest and write it."""
        self.manifest.update(entries)
        files.write_json(self.path / MANIFEST, self.manifest)

    def restore_scenario(self, text: str) -> None:
        """Write ``scenario.toml`` if somebody has removed it; a file that is there stays as it is."""
        if not (self.path / SCENARIO).exists():
            files.write_text(self.path / SCENARIO, text)

    def release(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
