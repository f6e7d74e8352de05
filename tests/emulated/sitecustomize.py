"""Python as it is on Windows, as far as Linux can be made like it: for processes that have this folder on their path.

No ``pread``, ``pwrite``, ``O_NOFOLLOW``, ``fcntl`` and ``SIGHUP``; locks by ``msvcrt``; signals that wake only sockets;
files that are neither renamed, removed nor replaced while this process has them open, nor folders with such a file.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import stat
import subprocess  # noqa: F401 - decides by msvcrt which system this is, so that it comes before
import sys
import types
from pathlib import Path

import particlegvi.tools.system as system

fcntl = __import__("fcntl")
REFUSED = "The process cannot access the file because it is being used by another process"


def locking(descriptor: int, mode: int, number: int) -> None:
    """`msvcrt.locking` of one byte, without waiting: by a lock of the whole file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


def opened() -> list[str]:
    """The regular files that this process has open."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISREG(os.stat(f"/proc/self/fd/{name}").st_mode):
                found.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    mapped = Path("/proc/self/maps").read_text().splitlines()
    return found + [line.split(None, 5)[5] for line in mapped if line.endswith(".npy")]


def refuse_open(path: str | os.PathLike[str]) -> None:
    """Raise what Windows raises where a file, or a file in a folder, is open."""
    place = os.path.realpath(os.path.dirname(os.fspath(path)) or ".") + os.sep + os.path.basename(os.fspath(path))
    if any(each == place or each.startswith(place + os.sep) for each in opened()):
        raise PermissionError(errno.EACCES, REFUSED, os.fspath(path))


def careful(function, number):
    """``function`` after a look at its first arguments, so many."""

    def checked(*arguments, **options):
        for path in arguments[:number]:
            refuse_open(path)
        return function(*arguments, **options)

    return checked


def rename(source, target, **options) -> None:
    """Windows renames nothing onto something that is there."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "Cannot create a file when that file already exists", os.fspath(target))
    plain_rename(source, target, **options)


def set_wakeup_fd(descriptor: int, **options) -> int:
    """Refuse everything but a socket."""
    if descriptor >= 0 and not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        raise ValueError("only sockets wake a process")
    return plain_wakeup(descriptor, **options)


plain_rename, plain_wakeup = os.rename, signal.set_wakeup_fd
system.WINDOWS = True
sys.modules["fcntl"] = None  # type: ignore[assignment]
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)  # type: ignore[assignment]
os.rename, os.replace = careful(rename, 1), careful(os.replace, 2)
os.unlink = os.remove = careful(os.unlink, 1)
os.rmdir = careful(os.rmdir, 1)
shutil._use_fd_functions = False  # type: ignore[attr-defined]
signal.set_wakeup_fd = set_wakeup_fd
for name in ("pread", "pwrite", "O_NOFOLLOW", "O_NONBLOCK"):
    delattr(os, name)
del signal.SIGHUP
assert socket.socketpair
