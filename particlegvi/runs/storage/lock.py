"""One writer for one folder: a lock that ends with its process, and the base of the folders of runs and of sweeps."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from filelock import FileLock, Timeout

from particlegvi.contracts import Facts
from particlegvi.tools import files

NAME = "lock"
SCENARIO, MANIFEST = "scenario.toml", "manifest.json"


class FolderLost(OSError):
    """The folder at a path is not the one whose lock this process holds: it was moved, removed or replaced."""

    def __str__(self) -> str:
        return str(self.strerror)


class Lock:
    """The right to write into a folder, from the making of this object until `release`.

    The operating system keeps the lock of the file ``lock``; it is free once its process has ended. A ValueError where
    another process holds it, an OSError where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = FileLock(folder / NAME, timeout=0)
        try:
            self._file.acquire()
        except Timeout:
            raise ValueError(f"{folder} is being written by another process; wait until it ends") from None
        self._status = os.stat(folder / NAME)

    def is_held(self) -> bool:
        """Whether the lock file in the folder is the one that this process has locked."""
        try:
            return self._file.is_locked and os.path.samestat(os.stat(self.folder / NAME), self._status)
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
            (self.folder / NAME).unlink(missing_ok=True)
        self._file.release()


class LockedFolder:
    """A folder that exists, with the content of its ``manifest.json``, and with its lock once it is held."""

    def __init__(self, path: Path, manifest: Facts, lock: Lock | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock

    def check_held(self) -> None:
        """Raise `FolderLost` where the folder is not at its path any more."""
        if self._lock is not None:
            self._lock.check()

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
