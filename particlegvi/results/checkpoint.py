"""Checkpoints: where a run can go on from. The latest and the one before it, so that one may be damaged.

    checkpoint/latest.json      what is below, and the sha256 of the state, of the records and of itself
    checkpoint/previous.json    the one before
    checkpoint/STEP.npy         the state of the flow after that many steps

A checkpoint is written in this order: records flushed, state, the old ``latest`` renamed, the new one. A process that
dies in between leaves at least one that is whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from particlegvi import files
from particlegvi.keeping import Snapshot
from particlegvi.results.arrays import read_array, write_array

FOLDER = "checkpoint"
SCHEMA = 1
LATEST, PREVIOUS = "latest.json", "previous.json"
ENTRIES = {
    "schema": int, "label": str, "seed": int, "step": int, "state": str, "dims": int, "counts": dict, "facts": dict,
    "records": int, "records_sha256": str, "seconds": float, "sha256": str,
}  # fmt: skip


class Checkpoint(NamedTuple):
    """A snapshot of a method's run, and what proves that the records beside it belong to it.

    Attributes
    ----------
    label : str
        The method.
    seed : int
    snapshot : Snapshot
    records_sha256 : str
        Of the file of records, up to the end of the last record of the snapshot.
    seconds : float
        What the run has taken so far.
    """

    label: str
    seed: int
    snapshot: Snapshot
    records_sha256: str
    seconds: float


def write(run: Path, checkpoint: Checkpoint) -> None:
    """Add a checkpoint to a run's folder, in which the records are already on the disk."""
    folder = run / FOLDER
    folder.mkdir(exist_ok=True)
    snapshot = checkpoint.snapshot
    state = folder / f"{snapshot.step}.npy"
    write_array(state, snapshot.state)
    content = {
        "schema": SCHEMA,
        "label": checkpoint.label,
        "seed": checkpoint.seed,
        "step": snapshot.step,
        "state": files.digest(state),
        "dims": snapshot.state.ndim,
        "counts": snapshot.counts,
        "facts": snapshot.facts,
        "records": snapshot.records,
        "records_sha256": checkpoint.records_sha256,
        "seconds": float(checkpoint.seconds),
    }
    content = files.finite(content)
    content["sha256"] = _digest(content)
    if (folder / LATEST).exists():
        os.replace(folder / LATEST, folder / PREVIOUS)
    files.write_json(folder / LATEST, content)
    used = {state.name, *(f"{step}.npy" for step in _steps(folder))}
    for array in folder.glob("*.npy"):
        if array.name not in used:
            array.unlink(missing_ok=True)


def read(run: Path, with_state: bool = True) -> list[Checkpoint]:
    """The checkpoints of a run's folder that are whole, the latest first; the arrays only ``with_state``."""
    found = []
    for name in (LATEST, PREVIOUS):
        with contextlib.suppress(ValueError):
            found.append(_read(run / FOLDER, name, with_state))
    return found


def drop_damaged(run: Path) -> None:
    """Take away what `read` would not give, so that it cannot push a whole checkpoint out."""
    for name in (LATEST, PREVIOUS):
        try:
            _read(run / FOLDER, name, True)
        except ValueError:
            (run / FOLDER / name).unlink(missing_ok=True)


def clear(run: Path) -> None:
    """Take all checkpoints away."""
    folder = run / FOLDER
    if folder.is_dir() and not folder.is_symlink():
        for place in [folder / LATEST, folder / PREVIOUS, *folder.glob("*.npy"), *folder.glob(".*.tmp")]:
            place.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # somebody else's file is in it
            folder.rmdir()


def _read(folder: Path, name: str, with_state: bool) -> Checkpoint:
    content = _entries(folder / name)
    state = folder / f"{content['step']}.npy"
    if not with_state:
        array = np.empty(0)
    elif files.digest(state) != content["state"]:
        raise ValueError(f"{state} is damaged")
    else:
        array = read_array(state, np.float64, content["dims"])
    snapshot = Snapshot(content["step"], array, content["counts"], content["facts"], content["records"])
    return Checkpoint(content["label"], content["seed"], snapshot, content["records_sha256"], content["seconds"])


def _entries(place: Path) -> dict[str, Any]:
    content = files.read_json(place)
    sound = all(type(content.get(entry)) is kind for entry, kind in ENTRIES.items())
    if not sound or content["schema"] != SCHEMA or content["sha256"] != _digest(content):
        raise ValueError(f"{place} is damaged, or written by another version")
    return content


def _digest(content: dict[str, Any]) -> str:
    rest = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _steps(folder: Path) -> list[int]:
    steps = []
    for name in (LATEST, PREVIOUS):
        with contextlib.suppress(ValueError):
            steps.append(_entries(folder / name)["step"])
    return steps
