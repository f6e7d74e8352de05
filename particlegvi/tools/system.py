"""Where operating systems differ for files: what Windows refuses and others do not, in one place.

Written for Windows from its documentation, and tried under `tests/emulated`, which takes the same things away on Linux.
"""

from __future__ import annotations

import os
import sys
import time

WINDOWS = sys.platform == "win32"
TRIES, PAUSE = 10, 0.1  # for a file that somebody else (a reader, a virus scanner) has open for a moment: one second
LONGEST_PATH = 260
BEYOND = 1 << 20  # a place in a locked file behind all of its text, which others go on reading
# Windows opens these whatever the folder and the ending are: no label and no file may have their names.
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


def replace(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """`os.replace`; on Windows tried again for a second while another process has the target open."""
    for left in range(TRIES - 1, -1, -1):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if not WINDOWS or left == 0:
                raise
        time.sleep(PAUSE)


def hold(descriptor: int) -> bool:
    """Whether the operating system gives us this open file for ourselves, until it is closed or the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            os.lseek(descriptor, BEYOND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_device(name: str) -> bool:
    """Whether a name, up to its first full stop, is that of a device on Windows."""
    return name.partition(".")[0].strip().lower() in DEVICES


def too_long(path: str | os.PathLike[str]) -> str:
    """What there is to say of a path that Windows does not take; nothing on other systems, or of a short one."""
    if not WINDOWS or len(os.path.abspath(path)) < LONGEST_PATH - 100:  # the files inside need some
        return ""
    return f" (Windows takes paths of up to {LONGEST_PATH} characters; choose a shorter one)"
