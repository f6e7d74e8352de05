"""Making the folder of a new run: it appears whole, and takes the place of nothing but an earlier run."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from particlegvi.runs.storage import manifest as manifests
from particlegvi.runs.storage.folder import Folder, open_folder
from particlegvi.runs.storage.manifest import LOCK, MANIFEST, FolderContent, Lock
from particlegvi.tools import files, machine
from particlegvi.tools.quoting import as_argument


def create(out: str | os.PathLike[str] | None, content: FolderContent, overwrite: bool = False) -> Folder:
    """Make the folder of a new run, with its scenario, manifest and lock.

    Without ``out`` it is ``runs/NAME``, or ``runs/NAME-2`` and so on if that is taken. A ValueError if ``out`` exists
    and may not be overwritten, or cannot be made.
    """
    try:
        if out is None:
            number, name = 1, content.name
            while not create_whole(path := Path("runs") / name, content.fill):
                number += 1
                name = f"{content.name}-{number}"
            return Folder(path, content.manifest(), Lock(path))
        path = files.place("out", out)
        if os.path.lexists(path):
            if not overwrite:
                raise ValueError(f"{path} exists already{_remedy(path)}")
            return _again(path, content)
        if not create_whole(path, content.fill):
            raise ValueError(f"{path} exists already: another run has just made it")
        return Folder(path, content.manifest(), Lock(path))
    except OSError as error:
        where, hint = out or "runs", machine.too_long(out or "runs")
        raise ValueError(f"the folder {where} cannot be used for results: {error.strerror}{hint}") from None


def create_whole(path: Path, fill: Callable[[Path], None]) -> bool:
    """Fill a folder under a temporary name and rename it; whether it is there now and was not before."""
    if os.path.lexists(path):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")  # numbers of processes come back
    temporary.mkdir()
    try:
        fill(temporary)
        temporary.rename(path)
        return True
    except OSError:
        if not os.path.lexists(path):
            raise
        return False  # another process was faster
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _remedy(path: Path) -> str:
    with contextlib.suppress(ValueError):
        if manifests.read(path)["status"] in manifests.UNFINISHED:
            again = f"particlegvi resume {as_argument(path)}"
            return f" and holds an unfinished run; {again} goes on, --overwrite starts over"
    return "; choose another folder, or say --overwrite (overwrite=True)"


def _again(path: Path, content: FolderContent) -> Folder:
    """Start over in an empty folder or in that of an earlier run. Only files that a run has written are removed."""
    is_run = (path / MANIFEST).is_file()
    if not path.is_dir() or not (is_run or all(place.name == LOCK for place in path.iterdir())):
        raise ValueError(f"{path} is not the folder of a run, so it is not overwritten")
    folder = open_folder(path) if is_run else Folder(path, content.manifest())
    folder.take()
    try:
        if is_run:
            folder.empty()
        content.fill(path)
    except BaseException:
        folder.release()
        raise
    folder.manifest = content.manifest()
    return folder
