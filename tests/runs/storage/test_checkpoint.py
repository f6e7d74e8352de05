"""The checkpoint of a run: what was written comes back, or nothing; never something else."""

import json
import zipfile

import numpy as np
import pytest

from particlegvi.contracts import Snapshot
from particlegvi.runs.storage import checkpoint
from particlegvi.runs.storage.checkpoint import Checkpoint
from particlegvi.runs.storage.folder import CHECKPOINT


def made(step: int) -> Checkpoint:
    state = np.random.default_rng(step).normal(size=(6, 2))
    facts = {"kernel": "squared-exponential", "shape": (2, 3), "count": np.int64(4)}
    snapshot = Snapshot(step, state, {"pairs": step}, facts, 3, {"basis": np.asfortranarray(state), "start": state[0]})
    return Checkpoint("DRLE", 7, snapshot, "0" * 64, 1.5)


def same(found: Checkpoint, wanted: Checkpoint) -> bool:
    first, second = found.snapshot, wanted.snapshot
    arrays = [
        (first.state, second.state),
        *((first.constants[name], second.constants[name]) for name in second.constants),
    ]
    counts = first.extra_state == second.extra_state and first[4] == second[4] and first.step == second.step
    facts = first.facts == {"kernel": "squared-exponential", "shape": [2, 3], "count": 4}
    return counts and facts and all(a.tobytes() == b.tobytes() for a, b in arrays) and found[3:] == wanted[3:]


def test_the_last_one_comes_back(tmp_path):
    assert checkpoint.read(tmp_path) is None
    for step in (10, 20):
        checkpoint.write(tmp_path, made(step))
    assert same(checkpoint.read(tmp_path), made(20)) and not same(checkpoint.read(tmp_path), made(10))
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_every_changed_or_missing_byte_is_found(tmp_path):
    checkpoint.write(tmp_path, made(30))
    place = tmp_path / CHECKPOINT
    content = place.read_bytes()
    lost = 0
    for index in range(0, len(content), 7):
        for damaged in (content[:index], content[:index] + bytes([content[index] ^ 4]) + content[index + 1 :]):
            place.write_bytes(damaged)
            found = checkpoint.read(tmp_path)
            assert found is None or same(found, made(30))  # the latter where only a word about the archive was changed
            lost += found is None
    assert lost > len(range(0, len(content), 7))


@pytest.mark.parametrize("entry", [*checkpoint.ENTRIES, ""])
def test_a_checkpoint_without_one_of_its_entries_is_none(tmp_path, entry):
    checkpoint.write(tmp_path, made(30))
    place = tmp_path / CHECKPOINT
    with zipfile.ZipFile(place) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members[checkpoint.MANIFEST])
    members[checkpoint.MANIFEST] = json.dumps(manifest | ({entry: [3]} if entry else {}))
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert (checkpoint.read(tmp_path) is not None) == (entry == "")
