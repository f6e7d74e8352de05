"""The checkpoint of a run: the file ``checkpoint.npz`` with the state from which the run goes on.

It is written whole under a temporary name and renamed, when the records before it are on the disk. A process that dies
at any time leaves this checkpoint or the one before.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Snapshot
from particlegvi.tools import bundle, files

NAME = "checkpoint.npz"
FORMAT = "particlegvi checkpoint"
ENTRIES = {
    "label": str, "seed": int, "step": int, "state": np.ndarray, "extra_state": dict, "facts": dict, "records": int,
    "constants": dict, "records_sha256": str, "seconds": float,
}  # fmt: skip


class Checkpoint(NamedTuple):
    """A snapshot of a method's run, and the sha256 of the records that belong to it."""

    label: str  # the method
    seed: int
    snapshot: Snapshot
    records_sha256: str  # of the file of records, up to the end of the last record of the snapshot
    seconds: float  # what the run has taken so far


def write(run: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a run, whose records are already on the disk."""
    snapshot = checkpoint.snapshot._asdict()
    snapshot |= {name: files.finite(snapshot[name]) for name in ("extra_state", "facts")}
    snapshot["constants"] = dict(checkpoint.snapshot.constants)
    content = {"format": FORMAT, **checkpoint._asdict(), **snapshot}
    del content["snapshot"]
    bundle.write(run / NAME, content)


def read(run: Path) -> Checkpoint | None:
    """The checkpoint of a run's folder; None if there is none, or it is damaged.

    One that cannot be read now is `files.Unreadable`: it is not damaged, and the run need not start over.
    """
    place = run / NAME
    with files.ignoring_damage():
        content = {} if place.is_symlink() else bundle.read(place, FORMAT)
        if all(type(content.get(entry)) is kind for entry, kind in ENTRIES.items()):
            snapshot = Snapshot(**{name: content[name] for name in Snapshot._fields})
            return Checkpoint(
                content["label"], content["seed"], snapshot, content["records_sha256"], content["seconds"]
            )
    return None
