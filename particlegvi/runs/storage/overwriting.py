"""Starting over in the folder of an earlier run: ``next.json`` is the commit record.

    next.json   the scenario and the manifest of the run that takes the folder over

Once it is there, any process that takes the lock completes the take-over. Before that, the folder is the earlier run's,
whole; from then on it is the new one's: readers take scenario and manifest from there (`manifest.read`), and a process
that has the lock removes what the earlier run has written, and nothing else, and puts the two in their places. Where it
dies, the next one goes on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import methodcaller
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.runs.storage import checkpoint
from particlegvi.runs.storage import manifest as manifests
from particlegvi.settings import checks
from particlegvi.tools import files

ARRAY = re.compile(r"arrays/([^/.]+)\.([a-z_]+)\.npy")  # an array of a method: its label and its name
ENDINGS = ("positions.npy", "steps.npy", "json", "growing.npy", "replicates.growing.npy")  # of every method
OWN = re.compile(r"[a-z][a-z0-9_-]{0,40}\.(md|csv|json|txt|html)")  # a file of the kind's own
RESERVED = ("manifest.json", "summary.json", "next.json")
PART = re.compile(r"[A-Za-z0-9_+=-]+(\.[A-Za-z0-9_+=-]+)+\.json")  # a finished part of a long run, in ``cells``


def is_own(name: str) -> bool:
    """Whether a kind of scenario may have a file of this name in the folder of a run."""
    return OWN.fullmatch(name) is not None and name not in RESERVED


def begin(path: Path, scenario: str, manifest: Facts) -> None:
    """Put scenario and manifest of a run that has done nothing into its folder."""
    (path / "arrays").mkdir(exist_ok=True)
    files.write_text(path / "scenario.toml", scenario)
    files.write_json(path / "manifest.json", manifest)


def add_given(path: Path, given: Mapping[str, bytes]) -> None:
    """Write the files of a new run that its manifest names from the first: their content by their name."""
    if given:
        (path / "arrays").mkdir(exist_ok=True)
    for name, content in given.items():
        files.write(path / name, methodcaller("write", content))


def take_over(path: Path, scenario: str, manifest: Facts, given: Mapping[str, bytes]) -> None:
    """Start a new run in a folder whose lock is held, and which is empty or an earlier run's; ``given`` as `add_given`.

    A ValueError if the folder of the earlier run is damaged; nothing has changed then.
    """
    finish(path)
    manifests.earlier(path)
    add_given(path, given)  # under names of their own: the earlier run stays whole
    files.write_json(path / manifests.NEXT, {"scenario": scenario, "manifest": manifest})
    finish(path)


def finish(path: Path) -> None:
    """Do what is left of a take-over, in a folder whose lock is held; mostly nothing."""
    taken = manifests.next_run(path)
    if taken is None:
        return
    manifests.read(path)  # a file that was made to do harm is refused before anything is removed
    earlier = manifests.earlier(path)
    checkpoint.clear(path)
    kept = [path / name for name in taken[1]["sha256"]]
    for stale in written(path, earlier) if earlier else []:
        if stale not in kept:
            files.remove(stale)
    begin(path, *taken)
    files.remove(path / manifests.NEXT)


def written(path: Path, manifest: Facts) -> list[Path]:
    """The files that a run may have written, besides its scenario, manifest and checkpoints.

    Arrays that the manifest names; files with the endings of every method, of the labels in it (in older folders: of
    the keys of ``settings.methods``); files of the kind's own that are as the manifest says; and finished parts.
    """
    labels = [*manifest.get("labels", []), *manifest["settings"].get("methods", {})]
    sound = [label for label in labels if isinstance(label, str) and checks.LABEL.fullmatch(label)]
    arrays = [path / "arrays" / f"{label}.{ending}" for label in sound for ending in ENDINGS]
    listed = [path / name for name in manifest["sha256"] if ARRAY.fullmatch(name)]
    own = [path / name for name, digest in manifest["sha256"].items() if is_own(name) and _is(path / name, digest)]
    parts = [part for part in (path / "cells").glob("*.json") if PART.fullmatch(part.name) and _is_part(part)]
    pictures = [path / name for name in manifest["figures"]]
    return [path / "summary.json", *pictures, *arrays, *listed, *own, *parts]


def _is(place: Path, digest: str) -> bool:
    """Whether a file is there with this sha256: one of the same name that a user wrote is not removed."""
    with files.ignoring_damage():
        return files.digest(place) == digest
    return False


def _is_part(place: Path) -> bool:
    try:
        return {"sha256", "seconds"} <= set(files.read_json(place))
    except files.Unreadable:
        raise
    except ValueError:
        return True  # cut short while it was written; its name is that of a part
