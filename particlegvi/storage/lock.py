"""One writer for one folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from particlegvi.contracts import Facts
from particlegvi.tools import system

NAME = "lock"


class Lock:
    """The right to write into a folder, held from `take` until `release`.

    The operating system holds it (``flock``; on Windows ``msvcrt.locking``), so that the lock of a dead process is
    free, even if its number has been given to another process since. The file names the holder and its progress, and
    goes when the run ends.
    """

    def __init__(self, folder: Path, file: int, before: Facts) -> None:
        self.folder = folder  # may be renamed while the lock is held
        self.before = before  # the note in the file of a process that died; {} where none did
        self._file = file

    @classmethod
    def take(cls, folder: Path) -> Lock:
        """Take the lock of a folder.

        Raises
        ------
        ValueError
            If a living process has it; the sentence names its number.
        OSError
            If the folder cannot be written.
        """
        lock = cls(folder, *_held(folder))
        lock.note()
        return lock

    def note(self, **progress: Any) -> None:
        """Write progress into the lock file; `take` reads it after a crash."""
        text = json.dumps({"pid": os.getpid(), **progress}).ljust(160).encode()
        with contextlib.suppress(OSError):
            os.lseek(self._file, 0, os.SEEK_SET)  # there is one writer, and each reader opens the file itself
            os.write(self._file, text)

    def move(self, place: Path) -> None:
        """Rename the folder, and hold its lock there.

        Windows renames no folder with an open file in it: there the lock is given back and taken again.

        Raises
        ------
        OSError
            If the folder cannot be renamed.
        ValueError
            If another process has taken the lock in between.
        """
        if system.WINDOWS:
            os.close(self._file)
            self._file = -1
            self.folder.rename(place)
            self._file, _ = _held(place)
        else:
            self.folder.rename(place)
        self.folder = place

    def release(self) -> None:
        """Give the lock back and take its file away."""
        if self._file < 0:
            return
        if system.WINDOWS:  # which removes no open file: if another process has it by now, it keeps it
            os.close(self._file)
        try:
            with contextlib.suppress(OSError):
                (self.folder / NAME).unlink()
        finally:
            if not system.WINDOWS:
                os.close(self._file)
            self._file = -1


def _held(folder: Path) -> tuple[int, Facts]:
    """The lock file of a folder, open and ours, and what was noted in it."""
    place = folder / NAME
    while True:
        file = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        before = _read(file)
        if not system.hold(file):
            os.close(file)
            holder = before.get("pid", "unknown")
            raise ValueError(f"{folder} is being written by another process (pid {holder}); wait until it ends")
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(file), os.stat(place)):
                return file, before
        os.close(file)  # its owner removed the file in the meantime: take the new one


def _read(file: int) -> Facts:
    try:
        os.lseek(file, 0, os.SEEK_SET)
        content = json.loads(os.read(file, 1000))
    except (ValueError, OSError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
