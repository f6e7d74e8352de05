"""The differences of systems, in one place: names of files, folders of caches, processors and linear algebra."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from pathlib import Path

WINDOWS = sys.platform == "win32"
LONGEST_PATH = 260
# Windows opens these whatever the folder and the ending are: no label and no file may have their names.
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


def is_device(name: str) -> bool:
    """Whether a name, up to its first full stop, is that of a device on Windows."""
    return name.partition(".")[0].strip().lower() in DEVICES


def too_long(path: str | os.PathLike[str]) -> str:
    """A remark on a path that is too long for Windows; empty on other systems, or for a short one."""
    if not WINDOWS or len(os.path.abspath(path)) < LONGEST_PATH - 100:  # the files inside need some
        return ""
    return f" (Windows takes paths of up to {LONGEST_PATH} characters; choose a shorter one)"


def user_cache_folder() -> Path:
    """The folder for this user's caches: ``$XDG_CACHE_HOME``, or the platform's own folder of caches."""
    if WINDOWS:
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "particlegvi"


def processor() -> str:
    """The model of the processor, as the system names it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    return platform.processor() or platform.machine()


def linear_algebra() -> str:
    """The loaded libraries of linear algebra (BLAS), each with the kernels that it has chosen for this processor.

    Other kernels add in another order, so that last digits differ, and signs of eigenvectors.
    """
    import numpy  # noqa: F401 - which loads one
    from threadpoolctl import threadpool_info

    loaded = [library for library in threadpool_info() if library.get("user_api") == "blas"]
    named = {
        f"{library.get('internal_api')} {library.get('architecture') or library.get('version')}" for library in loaded
    }
    return ", ".join(sorted(named)) or "not known"
