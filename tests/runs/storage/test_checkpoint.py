"""Checkpoints: what was written comes back, or the one before it does, or nothing; never something else."""

import json

import numpy as np
import pytest

from particlegvi.contracts import Snapshot
from particlegvi.runs.storage import checkpoint
from particlegvi.runs.storage.checkpoint import Checkpoint


def made(step: int, records: int = 3) -> Checkpoint:
    state = np.random.default_rng(step).normal(size=(6, 2))
    snapshot = Snapshot(step, state, {"pairs": step}, {"kernel": "squared-exponential"}, records)
    return Checkpoint("DRLE", 7, snapshot, "0" * 64, 1.5)


def same(found: Checkpoint, wanted: Checkpoint) -> bool:
    state = found.snapshot.state.tobytes() == wanted.snapshot.state.tobytes()
    plain = [each._replace(snapshot=each.snapshot._replace(state=None)) for each in (found, wanted)]
    return state and plain[0] == plain[1]


def test_the_latest_two_come_back(tmp_path):
    assert checkpoint.read(tmp_path) == []
    for step in (10, 20, 30):
        checkpoint.write(tmp_path, made(step))
    latest, previous = checkpoint.read(tmp_path)
    assert same(latest, made(30)) and same(previous, made(20)) and not same(latest, made(20))
    names = sorted(path.name for path in (tmp_path / "checkpoint").iterdir())
    assert names == ["20.npy", "30.npy", "latest.json", "previous.json"]


@pytest.mark.parametrize("name", ["latest.json", "30.npy"])
def test_every_changed_or_missing_byte_is_found(tmp_path, name):
    for step in (20, 30):
        checkpoint.write(tmp_path, made(step))
    place = tmp_path / "checkpoint" / name
    content = place.read_bytes()
    fallen_back = 0
    for index in range(0, len(content), 3):
        for damaged in (content[:index], content[:index] + bytes([content[index] ^ 4]) + content[index + 1 :]):
            place.write_bytes(damaged)
            found = checkpoint.read(tmp_path)[0]
            assert same(found, made(20)) or same(found, made(30))  # the latter where only a space was lost
            fallen_back += found.snapshot.step == 20
    assert fallen_back >= 2 * len(range(0, len(content), 3)) - 2
    place.write_bytes(content)
    assert same(checkpoint.read(tmp_path)[0], made(30))


def constant(step: int, **constants: float) -> Checkpoint:
    arrays = {name: np.full(4, value) for name, value in constants.items()}
    taken = made(step)
    return taken._replace(snapshot=taken.snapshot._replace(constants=arrays))


def test_constants_are_written_once_and_kept_while_they_are_needed(tmp_path):
    checkpoint.write(tmp_path, constant(10, basis=1.0))
    written = (tmp_path / "checkpoint" / "basis.npy").stat().st_ino
    checkpoint.write(tmp_path, constant(20, basis=1.0, start=2.0))
    checkpoint.write(tmp_path, constant(30, basis=1.0, start=2.0, record_5=3.0))
    assert (tmp_path / "checkpoint" / "basis.npy").stat().st_ino == written
    latest, previous = checkpoint.read(tmp_path)
    assert {name: each[0] for name, each in latest.snapshot.constants.items()} == {
        "basis": 1.0, "start": 2.0, "record_5": 3.0
    }  # fmt: skip
    assert sorted(previous.snapshot.constants) == ["basis", "start"]
    other = constant(40, basis=7.0)
    checkpoint.write(tmp_path, other._replace(label="another method"))
    assert checkpoint.read(tmp_path)[0].snapshot.constants["basis"][0] == 7.0


@pytest.mark.parametrize("damage", ["gone", "cut", "changed"])
def test_a_damaged_constant_is_found_and_written_again(tmp_path, damage):
    checkpoint.write(tmp_path, constant(10, basis=1.0))
    checkpoint.write(tmp_path, constant(20, basis=1.0, start=2.0))
    place = tmp_path / "checkpoint" / "start.npy"
    content = place.read_bytes()
    place.write_bytes(content[:-3] if damage == "cut" else content[:-3] + b"\x07" + content[-2:])
    if damage == "gone":
        place.unlink()
    assert [each.snapshot.step for each in checkpoint.read(tmp_path)] == [10]
    checkpoint.read_sound(tmp_path)
    checkpoint.write(tmp_path, constant(25, basis=1.0, start=2.0))
    assert [each.snapshot.step for each in checkpoint.read(tmp_path)] == [25, 10]
    assert place.read_bytes() == content


@pytest.mark.parametrize("name", ["../basis", "20", "latest.json/..", "Basis", "", "a" * 100])
def test_the_name_of_a_constant_leads_nowhere_else(tmp_path, name):
    checkpoint.write(tmp_path, constant(10, basis=1.0))
    place = tmp_path / "checkpoint" / "latest.json"
    content = json.loads(place.read_text())
    content["constants"] = {name: content["constants"]["basis"]}
    content["sha256"] = checkpoint._digest(content)
    place.write_text(json.dumps(content))
    assert checkpoint.read(tmp_path) == checkpoint.read(tmp_path, with_state=False) == []


def test_a_damaged_one_does_not_push_a_whole_one_out(tmp_path):
    for step in (20, 30):
        checkpoint.write(tmp_path, made(step))
    (tmp_path / "checkpoint" / "latest.json").write_text("{")
    checkpoint.read_sound(tmp_path)
    checkpoint.write(tmp_path, made(25))
    assert [each.snapshot.step for each in checkpoint.read(tmp_path)] == [25, 20]


def test_clearing_takes_its_own_files_only(tmp_path):
    """Checkpoints of replicates, in a folder of their own, are those of earlier versions."""
    checkpoint.write(tmp_path, made(20))
    (tmp_path / "checkpoint").rename(tmp_path / "replicates")
    checkpoint.write(tmp_path, made(30))
    (tmp_path / "replicates").rename(tmp_path / "checkpoint" / "replicates")
    assert [each.snapshot.step for each in checkpoint.noted(tmp_path, 7)] == [30]
    (tmp_path / "checkpoint" / "notes.txt").write_text("mine")
    checkpoint.clear(tmp_path)
    assert [path.name for path in (tmp_path / "checkpoint").iterdir()] == ["notes.txt"]
    (tmp_path / "checkpoint" / "notes.txt").unlink()
    checkpoint.clear(tmp_path)
    assert not (tmp_path / "checkpoint").exists()


def test_a_checkpoint_without_one_of_its_entries_is_refused(tmp_path):
    checkpoint.write(tmp_path, made(30))
    place = tmp_path / "checkpoint" / "latest.json"
    content = json.loads(place.read_text())
    for name in content:
        place.write_text(json.dumps({key: each for key, each in content.items() if key != name}))
        assert checkpoint.read(tmp_path) == [], name
