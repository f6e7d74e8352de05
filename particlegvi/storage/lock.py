"""One writer for one folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from particlegvi.contracts import Facts

NAME = "lock"


class Lock:
    """The right to write into a folder, held from `take` until `release`.

    The operating system holds it (``flock``), so that the lock of a dead process is free, even if its
    number has been given to another process since. The file names the holder and its progress, and goes when the run
    ends.
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
        place = folder / NAME
        while True:
            file = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
            before = _read(file)
            if not _hold(file):
                os.close(file)
                holder = before.get("pid", "unknown")
                raise ValueError(f"{folder} is being written by another process (pid {holder}); wait until it ends")
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(file), os.stat(place)):
                    lock = cls(folder, file, before)
                    lock.note()
                    return lock
            os.close(file)  # its owner removed the file in the meantime: take the new one

    def note(self, **progress: Any) -> None:
        """Say how far the work is: read only when this process has died without a word."""
        text = json.dumps({"pid": os.getpid(), **progress}).ljust(160).encode()
        with contextlib.suppress(OSError):
            os.pwrite(self._file, text, 0)

    def release(self) -> None:
        """Give the lock back and take its file away."""
        if self._file >= 0:
            try:
                with contextlib.suppress(OSError):
                    (self.folder / NAME).unlink()
            finally:
                os.close(self._file)
                self._file = -1


def _read(file: int) -> Facts:
    try:
        content = json.loads(os.pread(file, 1000, 0))
    except (ValueError, OSError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _hold(file: int) -> bool:
    """Whether the operating system gives us this file for ourselves."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            os.lseek(file, 1 << 20, os.SEEK_SET)  # beyond the text, which must stay readable
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
