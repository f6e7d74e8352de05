"""The folder of a run: it appears whole, keeps what it was given, and is refused where it is damaged or hostile."""

import os

import numpy as np
import pytest

from particlegvi.contracts import Record, Snapshot
from particlegvi.runs.results.results import stored_scenario
from particlegvi.runs.storage.checkpoint import FolderStorage, read
from particlegvi.runs.storage.creating import create
from particlegvi.runs.storage.folder import open_folder
from particlegvi.runs.storage.manifest import FolderContent
from particlegvi.scenario import decisive, load, text

from ...refusals import refuse
from ..interrupting import change_manifest

SCENARIO = load("lifting", {"particles": 4, "steps": 10, "methods.DE": {}})
VERSIONS = {"particlegvi": "0"}


def new(out, overwrite=False):
    labels = list(SCENARIO["methods"])
    return create(out, FolderContent("lifting", text(SCENARIO), decisive(SCENARIO), 7, VERSIONS, labels), overwrite)


def record() -> Record:
    arrays = {"positions": np.arange(8.0).reshape(2, 4, 1), "steps": np.array([0, 10])}
    return Record(arrays, {"way": "direct", "error": np.float64(1e-3)})


def test_a_new_folder_is_complete_from_the_start(tmp_path):
    folder = new(tmp_path / "deep" / "run")
    assert sorted(path.name for path in folder.path.iterdir()) == ["arrays", "lock", "manifest.json", "scenario.toml"]
    found = open_folder(folder.path)
    assert stored_scenario(found) == SCENARIO
    assert found.manifest["status"] == "running"
    assert found.manifest["seed"] == 7
    assert [path.name for path in folder.path.parent.iterdir()] == ["run"]


def test_without_a_name_the_first_free_one_is_taken(tmp_path, elsewhere):
    assert [str(new(None).path) for _ in range(3)] == [f"runs/lifting{end}" for end in ("", "-2", "-3")]
    (tmp_path / "runs" / "lifting-4").symlink_to("nowhere")
    assert str(new(None).path) == "runs/lifting-5"


def test_what_exists_is_not_touched(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    run = new(tmp_path / "run").path
    for place in ("file", "empty", "full", "link", "run"):
        with pytest.raises(ValueError, match="exists already"):
            new(tmp_path / place)
    for place in ("file", "full", "link"):
        with pytest.raises(ValueError, match="not the folder of a run"):
            new(tmp_path / place, overwrite=True)
    assert (tmp_path / "full" / "thesis.tex").read_text() == "mine"
    assert open_folder(run).manifest["seed"] == 7


def test_overwriting_removes_what_a_run_wrote_and_nothing_else(tmp_path):
    old = new(tmp_path / "run")
    old.add("DLE", record()._replace(files={"table.md": "| a |", "notes.txt": "the kind's"}))
    old.add("DE", record())
    old.write_summary({"methods": {}})
    (old.path / "lifting.png").write_bytes(b"picture")
    (old.path / "arrays" / ".DLE.json.123.tmp").write_text("left by a process that was killed")
    assert open_folder(old.path).record("DLE").files == {"table.md": "| a |", "notes.txt": "the kind's"}
    old.update(status="finished", figures=["lifting.png"])
    old.release()
    for mine in ("notes.txt", "other.png", "arrays/mine.npy"):  # the first has the name of a file of the run
        (old.path / mine).write_text("mine")
    again = new(tmp_path / "run", overwrite=True)
    assert sorted(path.name for path in again.path.iterdir()) == [
        "arrays", "lock", "manifest.json", "notes.txt", "other.png", "scenario.toml"
    ]  # fmt: skip
    assert (again.path / "notes.txt").read_text() == "mine"
    assert [path.name for path in (again.path / "arrays").iterdir()] == ["mine.npy"]
    assert open_folder(again.path).manifest["status"] == "running"
    (tmp_path / "empty").mkdir()
    assert open_folder(new(tmp_path / "empty", overwrite=True).path).manifest["methods"] == []


def test_discarding_leaves_nothing_but_what_a_user_put_there(tmp_path):
    new(tmp_path / "run").discard()
    assert not list(tmp_path.iterdir())
    folder = new(tmp_path / "run")
    (folder.path / "notes.txt").write_text("mine")
    folder.discard()
    assert [path.name for path in folder.path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("key", "values"),
    {
        "format": ["zip"],
        "schema": [3, 999, 10**400, True, "1"],
        "status": ["done", ["finished"], "x" * 10_000],
        "methods": [None, "DE"],
        "seed": ["7", True, -1, 2**64],
        "seconds": [[], 3],
        "figures": [["../../a.png"], ["/etc/passwd"], ["a/b.png"], ["notes.txt"], [3], [{"a": 1}], [".png"]],
        "labels": ["DE", [3]],
        "code": [3],
        "machine": [[]],
        "anyway": [{}],
        "parts": [{"losses ring": 3}, ["losses ring"]],
    }.items(),
)
def test_a_changed_manifest_is_refused(tmp_path, key, values):
    place = new(tmp_path / "run").path
    for value in values:
        change_manifest(place, **{key: value})
        refuse(lambda: open_folder(place), str(place))


def test_a_folder_without_a_manifest_is_no_run(tmp_path):
    refuse(lambda: open_folder(tmp_path), "not the folder of a run")
    refuse(lambda: open_folder(tmp_path / "absent"), "absent does not exist")
    os.mkfifo(tmp_path / "manifest.json")
    refuse(lambda: open_folder(tmp_path), "not the folder of a run")


@pytest.mark.parametrize("label", ["../../x", "a/b", "", "x" * 60, ".x", "a\0"])
def test_no_label_leaves_the_folder(tmp_path, label):
    folder = new(tmp_path / "run")
    refuse(lambda: folder.add(label, record()), "label")
    folder.manifest["methods"] = [label]
    refuse(lambda: folder.record(label), "label")
    folder.release()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["arrays", "manifest.json", "run", "scenario.toml"]


def test_the_seconds_of_an_interrupted_run_count(tmp_path):
    folder = new(tmp_path / "run")
    state = np.zeros((4, 1))
    spent = []
    for interruption in range(2):
        storage = FolderStorage(folder, "DE")
        storage.start(0, state.shape)
        storage.save(Snapshot(5 + interruption, state, {}, {}, 0, {}))
        assert storage.earlier == [0.0, *spent][interruption]
        spent.append(read(folder.path).seconds)
    assert spent[1] > spent[0] > 0.0
