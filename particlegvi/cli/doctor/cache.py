"""The folder of compiled code: what is in it, and emptying it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from particlegvi.engine.numerics.compiled import cache_folder, cache_parent
from particlegvi.engine.numerics.sealed_files import is_whole

DIGEST = re.compile("[0-9a-f]{16}")  # the name of a folder of compiled code: nothing else is ever removed


class Contents(NamedTuple):
    """The compiled code on the disk."""

    folder: Path
    writable: bool
    versions: int  # of the sources, each with a folder of its own
    kernels: int  # in the folder of these sources
    bytes: int
    damaged: int  # files in the folder of these sources whose seal is wrong


def contents() -> Contents:
    """The state now."""
    parent, current = cache_parent(), cache_folder()
    folders = _folders(parent)
    size = sum(place.stat().st_size for folder in folders for place in folder.rglob("*") if place.is_file())
    kernels = len(list(Path(current).rglob("*.nbi"))) if current else 0
    return Contents(parent, bool(current) and os.access(current, os.W_OK), len(folders), kernels, size, damaged())


def damaged() -> int:
    """The number of files in the folder of these sources that are not as they were written."""
    current = cache_folder()
    return sum(_is_damaged(place) for place in Path(current).rglob("*.nb[ic]")) if current else 0


def _is_damaged(place: Path) -> bool:
    try:
        return not is_whole(place)
    except OSError:
        return False  # gone meanwhile, or not to be read now


def clean() -> Contents:
    """Remove all compiled code, of these sources and of earlier ones; what there was.

    Raises
    ------
    OSError
        If a folder cannot be removed.
    """
    before = contents()
    for folder in _folders(before.folder):
        shutil.rmtree(folder)
    return before


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    return sorted(place for place in parent.iterdir() if DIGEST.fullmatch(place.name) and not place.is_symlink())
