"""Checkpoints: where a run can go on from. The latest and the one before it, so that one may be damaged.

    checkpoint/latest.json      what is below, and the sha256 of the arrays, of the records and of itself
    checkpoint/previous.json    the one before
    checkpoint/STEP.npy         the state of the flow after that many steps
    checkpoint/NAME.npy         the snapshots' constants, each written once

A checkpoint is written in this order: records flushed, new constants, state, the old ``latest`` renamed, the new one. A
process that dies in between leaves at least one that is whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Facts, Snapshot
from particlegvi.runs.storage.arrays import read_array, write_array
from particlegvi.tools import files

FOLDER = "checkpoint"
OLD = "replicates"  # a folder in it, with checkpoints of replicates that earlier versions wrote
SCHEMA = 2
CONSTANT = re.compile("[a-z][a-z0-9_]{0,60}")  # a name of one
LATEST, PREVIOUS = "latest.json", "previous.json"
ENTRIES = {
    "schema": int, "label": str, "seed": int, "step": int, "state": str, "dims": int, "counts": dict, "facts": dict,
    "constants": dict, "records": int, "records_sha256": str, "seconds": float, "sha256": str,
}  # fmt: skip


class Checkpoint(NamedTuple):
    """A snapshot of a method's run, and the sha256 of the records that belong to it."""

    label: str  # the method
    seed: int
    snapshot: Snapshot
    records_sha256: str  # of the file of records, up to the end of the last record of the snapshot
    seconds: float  # what the run has taken so far


def write(run: Path, checkpoint: Checkpoint) -> None:
    """Add a checkpoint to a run's folder, in which the records are already on the disk."""
    folder = run / FOLDER
    files.check_held(folder)
    folder.mkdir(exist_ok=True)  # never its parents: a run's folder that is gone is not made again
    snapshot = checkpoint.snapshot
    constants = _write_constants(folder, checkpoint)
    state = folder / f"{snapshot.step}.npy"
    write_array(state, snapshot.state)
    content = {
        "schema": SCHEMA,
        "label": checkpoint.label,
        "seed": checkpoint.seed,
        "step": snapshot.step,
        "state": files.digest(state),
        "dims": snapshot.state.ndim,
        "counts": snapshot.extra_state,
        "facts": snapshot.facts,
        "constants": constants,
        "records": snapshot.records,
        "records_sha256": checkpoint.records_sha256,
        "seconds": float(checkpoint.seconds),
    }
    content = files.finite(content)
    content["sha256"] = _digest(content)
    if (folder / LATEST).exists():
        files.replace(folder / LATEST, folder / PREVIOUS)
    files.write_json(folder / LATEST, content)
    with contextlib.suppress(files.Unreadable):  # which arrays are needed is known another time
        used = _used(folder)
        for array in folder.glob("*.npy"):
            if array.name not in used:
                files.remove(array)


def read(run: Path, with_state: bool = True) -> list[Checkpoint]:
    """The checkpoints of a run's folder that are whole, the latest first; the arrays only ``with_state``.

    One that cannot be read now is `files.Unreadable`: it is not damaged, and the run need not start over.
    """
    found = []
    for name in (LATEST, PREVIOUS):
        with files.ignoring_damage():
            found.append(_read(run / FOLDER, name, with_state))
    return found


def noted(run: Path, seed: int) -> list[Checkpoint]:
    """The checkpoints, without their arrays; a ValueError if one is of a run with another seed."""
    stored = read(run, False)
    for found in stored:
        if found.seed != seed:
            raise ValueError(f"{run} is damaged: the seed is {seed}, but {found.seed} in its checkpoint")
    return stored


def read_sound(run: Path) -> list[Checkpoint]:
    """The checkpoints that are whole, the latest first, arrays included; those that are not are deleted.

    A damaged one must go, because the next write would put it in the place of a good one. Each file is read once.
    """
    folder, found = run / FOLDER, []
    arrays: dict[tuple[Path, str], NDArray[np.float64]] = {}
    for name in (LATEST, PREVIOUS):
        try:
            found.append(_read(folder, name, True, arrays))
        except files.Unreadable:
            raise
        except ValueError:
            files.remove(folder / name)
    return found


def clear(run: Path) -> None:
    """Remove all checkpoints, and those of replicates that earlier versions wrote."""
    for folder in (run / FOLDER / OLD, run / FOLDER):
        if folder.is_dir() and not folder.is_symlink():
            for place in [folder / LATEST, folder / PREVIOUS, *folder.glob("*.npy"), *folder.glob(".*.tmp")]:
                files.remove(place)
            with contextlib.suppress(OSError):  # it holds a file that is not ours
                folder.rmdir()


def _read(
    folder: Path, name: str, with_state: bool, known: dict[tuple[Path, str], NDArray[np.float64]] | None = None
) -> Checkpoint:
    """One checkpoint; arrays that are ``known`` by file and sha256 are not read again."""
    content = _entries(folder / name)
    known = {} if known is None else known
    state = folder / f"{content['step']}.npy"
    if not with_state:
        array, constants = np.empty(0), {}
    else:
        array = _array(known, state, content["state"], content["dims"])
        constants = {name: _array(known, folder / f"{name}.npy", each) for name, each in content["constants"].items()}
    snapshot = Snapshot(content["step"], array, content["counts"], content["facts"], content["records"], constants)
    return Checkpoint(content["label"], content["seed"], snapshot, content["records_sha256"], content["seconds"])


def _entries(place: Path) -> Facts:
    content = files.read_json(place)
    sound = all(type(content.get(entry)) is kind for entry, kind in ENTRIES.items())
    if not sound or content["schema"] != SCHEMA or content["sha256"] != _digest(content):
        raise ValueError(f"{place} is damaged, or written by another version")
    if not all(CONSTANT.fullmatch(name) for name in content["constants"]):  # they become paths
        raise ValueError(f"{place} is damaged: it names something that is no constant")
    return content


def _array(
    known: dict[tuple[Path, str], NDArray[np.float64]], place: Path, digest: str, dims: int | None = None
) -> NDArray[np.float64]:
    if (place, digest) not in known:
        if files.digest(place) != digest:
            raise ValueError(f"{place} is damaged")
        known[place, digest] = read_array(place, np.float64, dims)
    return known[place, digest]


def _write_constants(folder: Path, checkpoint: Checkpoint) -> dict[str, str]:
    """Write those that the latest checkpoint of the method does not have; the sha256 of all by name."""
    known: dict[str, str] = {}
    with contextlib.suppress(ValueError):
        latest = _entries(folder / LATEST)
        known = latest["constants"] if latest["label"] == checkpoint.label else {}
    found = {}
    for name, array in checkpoint.snapshot.constants.items():
        place = folder / f"{name}.npy"
        if name not in known:
            write_array(place, array)
        found[name] = known.get(name) or files.digest(place)
    return found


def _digest(content: Facts) -> str:
    rest = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _used(folder: Path) -> set[str]:
    """The names of the arrays of the checkpoints."""
    found = set()
    for name in (LATEST, PREVIOUS):
        with files.ignoring_damage():
            content = _entries(folder / name)
            found |= {f"{each}.npy" for each in (content["step"], *content["constants"])}
    return found
