"""The checkpoint of a run: the file ``checkpoint.npz`` with the state from which the run goes on.

It is written whole under a temporary name and renamed, when the records before it are on the disk. A process that dies
at any time leaves this checkpoint or the one before. The file is a .npz archive of numpy without compression and
without pickle: the arrays, and a member ``manifest.json`` with all else.
"""

from __future__ import annotations

import math
import os
import re
import zipfile
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts, Snapshot
from particlegvi.tools import files, memory

NAME = "checkpoint.npz"
MANIFEST = "manifest.json"
STATE, CONSTANTS = "state.npy", "constants/"  # members of the archive
ENTRIES = {
    "label": str, "seed": int, "step": int, "extra_state": dict, "facts": dict, "records": int, "records_sha256": str,
    "seconds": float,
}  # fmt: skip
# The headers that numpy writes for plain numbers and texts; numpy's own reader would evaluate them.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biufU][0-9]{1,4})', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9, ]{0,100})\), \} *\n",
    re.DOTALL,
)
LONGEST_HEADER = 1000
BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, KeyError)  # what zipfile raises


class Checkpoint(NamedTuple):
    """A snapshot of a method's run, and the sha256 of the records that belong to it."""

    label: str  # the method
    seed: int
    snapshot: Snapshot
    records_sha256: str  # of the file of records, up to the end of the last record of the snapshot
    seconds: float  # what the run has taken so far


def write(run: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a run, whose records are already on the disk."""
    manifest = {**checkpoint._asdict(), **checkpoint.snapshot._asdict()}
    arrays = {STATE: manifest.pop("state")}
    arrays |= {f"{CONSTANTS}{name}.npy": array for name, array in manifest.pop("constants").items()}
    del manifest["snapshot"]
    manifest["arrays"] = list(arrays)

    def fill(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(MANIFEST), files.json_text(files.finite(manifest)))
            for name, array in arrays.items():
                with archive.open(zipfile.ZipInfo(name), "w") as member:
                    np.lib.format.write_array(member, array, (1, 0), allow_pickle=False)

    files.write(run / NAME, fill)


def read(run: Path) -> Checkpoint | None:
    """The checkpoint of a run's folder; None if there is none, or it is damaged.

    One that cannot be read now is `files.Unreadable`: it is not damaged, and the run need not start over.
    """
    with files.ignoring_damage():
        manifest, arrays = _members(run / NAME)
        typed = all(type(manifest.get(entry)) is kind for entry, kind in ENTRIES.items())
        if typed and list(arrays) == manifest.get("arrays") and STATE in arrays:
            values = {name: manifest[name] for name in Snapshot._fields if name in ENTRIES}
            state = arrays.pop(STATE)
            constants = {name.removeprefix(CONSTANTS).removesuffix(".npy"): array for name, array in arrays.items()}
            snapshot = Snapshot(state=state, constants=constants, **values)
            whole = {name: manifest[name] for name in ("label", "seed", "records_sha256", "seconds")}
            return Checkpoint(snapshot=snapshot, **whole)
    return None


def _members(place: Path) -> tuple[Facts, dict[str, Array]]:
    """The manifest and the arrays of a file, whose members are together no longer than the file; else a ValueError."""
    with files.open_regular(place, links=False) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            memory.check(f"{place} has {size} bytes, which", 2 * size, "load it on a larger machine")
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                if sum(member.file_size for member in members) > size or any(one.compress_type for one in members):
                    raise ValueError(f"{place} has compressed members")
                contents = {member.filename: archive.read(member) for member in members}
            text = contents.pop(MANIFEST)[: files.LARGEST_TEXT].decode("utf-8")
            return files.parsed(text, place), {name: _array(content) for name, content in contents.items()}
        except OSError as error:
            raise files.Unreadable(f"{place} cannot be read: {error.strerror}") from None
        except BROKEN as error:
            raise ValueError(f"{place} is damaged: {error}") from None


def _array(content: bytes) -> Array:
    """The array of a .npy file, in its order in memory, on which the last bits of products depend."""
    header = HEADER.match(content[:LONGEST_HEADER])
    if header is None:
        raise ValueError("an array does not begin as one of plain numbers")
    dtype, shape = (
        np.dtype(header[1].decode("ascii")),
        tuple(int(size) for size in header[3].split(b",") if size.strip()),
    )
    if len(content) - header.end() != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array is not as long as its shape needs")
    array = np.frombuffer(content, dtype, offset=header.end())
    return array.reshape(shape[::-1]).T.copy("F") if header[2] == b"True" else array.reshape(shape).copy()
