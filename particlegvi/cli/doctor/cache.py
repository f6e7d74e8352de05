"""The folder of compiled code: what is in it, emptying it, and filling it ahead, so that no lecture waits for it."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from particlegvi.contracts import Progress
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.kernel_cache import SUFFIX, cache_folder, cache_parent
from particlegvi.runs.execute import execute, prepared_results
from particlegvi.scenario import catalogue, load
from particlegvi.tools.cells import compute
from particlegvi.tools.progress import tell

DIGEST = re.compile("[0-9a-f]{16}")  # the name of a folder of compiled code: nothing else is ever removed
STEPS = 20  # of each run: kernels depend on the number of particles, which stays, and not on that of steps


class Contents(NamedTuple):
    """The compiled code on the disk."""

    folder: Path
    writable: bool
    versions: int  # of the sources, each with a folder of its own
    kernels: int  # in the folder of these sources
    bytes: int


def contents() -> Contents:
    """The state now."""
    parent, current = cache_parent(), cache_folder()
    folders = _folders(parent)
    size = sum(place.stat().st_size for folder in folders for place in folder.rglob("*") if place.is_file())
    kernels = len(list(current.glob(f"*{SUFFIX}"))) if current else 0
    return Contents(parent, current is not None, len(folders), kernels, size)


def clean() -> Contents:
    """Remove all compiled code, of these sources and of earlier ones; what there was."""
    before = contents()
    for folder in _folders(before.folder):
        shutil.rmtree(folder)
    return before


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    return sorted(place for place in parent.iterdir() if DIGEST.fullmatch(place.name) and not place.is_symlink())


def warm(
    names: Iterable[str] | None = None, progress: Progress | None = None, processes: int | None = None
) -> list[str]:
    """Run each scenario for a few steps, with its truth and without pictures; the names of those left out.

    Left out are those whose data are not there, and tables, which would take minutes and compile nothing of their own.
    There is one process for each processor where their number is not said, and only this one where the cache cannot be
    written.
    """
    chosen = sorted(catalogue.ours()) if names is None else list(names)
    left = {}
    number = min(threads.count() if processes is None else processes, len(chosen)) if cache_folder() else 1
    tell(progress, "scenarios", total=len(chosen))
    for done, (name, ran, _) in enumerate(compute(_ran, chosen, number), start=1):
        left[name] = not ran
        tell(progress, "scenarios", done, len(chosen))
    return [name for name in chosen if left[name]]


def _ran(name: str) -> bool:
    """Whether a scenario could be run."""
    settings = load(catalogue.path(name))
    if "methods" not in settings:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            short = {key: min(STEPS, settings[key]) for key in ("steps", "record_every") if settings.get(key)}
            execute(prepared_results(load(settings, short))).summary  # noqa: B018 - computed when asked
    except MissingData:
        return False
    return True
