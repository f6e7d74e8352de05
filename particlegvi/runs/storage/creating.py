"""Making the folder of a new run: whole and locked in one step, and never over something that is not a run."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from particlegvi.runs.storage import manifest as manifests
from particlegvi.runs.storage import overwriting
from particlegvi.runs.storage.folder import Folder
from particlegvi.runs.storage.lock import NAME as LOCK
from particlegvi.runs.storage.lock import Lock
from particlegvi.runs.storage.manifest import New
from particlegvi.tools import files, system
from particlegvi.tools.quoting import as_argument


def create(out: str | os.PathLike[str] | None, new: New, overwrite: bool = False) -> Folder:
    """Make the folder of a new run, with its scenario, manifest and lock, in one step.

    Without ``out`` it is ``runs/NAME``, or ``runs/NAME-2`` and so on if that is taken. A ValueError if ``out`` exists
    and may not be overwritten, or cannot be made.
    """
    try:
        if out is None:
            return _first_free(Path("runs") / new.name, new)
        path = files.place("out", out)
        if os.path.lexists(path):
            if not overwrite:
                raise ValueError(f"{path} exists already{_remedy(path)}")
            return _again(path, new)
        lock = appear(path, lambda place: _fill(place, new))
        if lock is None:
            raise ValueError(f"{path} exists already: another run has just made it")
        return Folder(path, new.manifest(), lock)
    except OSError as error:
        where, hint = out or "runs", system.too_long(out or "runs")
        raise ValueError(f"the folder {where} cannot be used for results: {error.strerror}{hint}") from None


def _fill(place: Path, new: New) -> None:
    overwriting.add_given(place, new.files())
    overwriting.begin(place, new.text, new.manifest())


def _remedy(path: Path) -> str:
    with contextlib.suppress(ValueError):
        if manifests.read(path)["status"] in manifests.UNFINISHED:
            again = f"particlegvi resume {as_argument(path)}"
            return f" and holds an unfinished run; {again} goes on, --overwrite starts over"
    return "; choose another folder, or say --overwrite (overwrite=True)"


def _first_free(path: Path, new: New) -> Folder:
    number = 1
    while True:
        candidate = path if number == 1 else path.with_name(f"{path.name}-{number}")
        lock = None if os.path.lexists(candidate) else appear(candidate, lambda place: _fill(place, new))
        if lock is not None:
            return Folder(candidate, new.manifest(), lock)
        number += 1


def appear(path: Path, fill: Callable[[Path], None]) -> Lock | None:
    """Fill a folder under a temporary name and rename it; its lock, or None if another process was faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")  # numbers of processes come back
    temporary.mkdir()
    lock = None
    try:
        lock = Lock.take(temporary)
        fill(temporary)
        try:
            lock.move(path)
        except OSError:
            if not os.path.lexists(path):
                raise
            return None
        return lock
    finally:
        if lock is not None and lock.folder == temporary:
            lock.release()
        shutil.rmtree(temporary, ignore_errors=True)


def _again(path: Path, new: New) -> Folder:
    """Start over in the folder of an earlier run. Only files that a run has written are removed."""
    of_run = any((path / name).is_file() for name in ("manifest.json", manifests.NEXT))
    if not (path.is_dir() and (of_run or all(map(_is_leftover, path.iterdir())))):
        raise ValueError(f"{path} is not the folder of a run, so it is not overwritten")
    manifests.earlier(path)  # what is refused gets no lock
    lock = Lock.take(path)
    try:
        overwriting.take_over(path, new.text, new.manifest(), new.files())
        folder = Folder(path, new.manifest(), lock)
        folder.sweep()
    except BaseException:
        lock.release()
        raise
    return folder


def _is_leftover(place: Path) -> bool:
    """Whether a file was left by a process that died before its folder was complete."""
    if place.name == LOCK:
        with contextlib.suppress(ValueError):
            return files.read_text(place, links=False)[:6] in ("", '{"pid"')
    if place.name == "arrays" and place.is_dir():  # files that were handed in come first
        return all(each.name.lstrip(".").startswith(manifests.GIVEN) for each in place.iterdir())
    return place.name.startswith(f".{manifests.NEXT}.") and place.suffix == ".tmp"
