"""A run's folder that is moved, linked, stripped of files or of an early version: nothing is lost or overwritten."""

import contextlib
import os
import shlex
import shutil
from itertools import count

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.cli import main
from particlegvi.runs.storage.arrays import RecordFile
from particlegvi.runs.storage.lock import FolderLost, Lock
from particlegvi.tools import files

from ..refusals import refuse
from .interrupting import ALWAYS, SHORT, change_manifest, content, everything, manifest


@pytest.fixture
def other(tmp_path, quick):
    """A finished run of another seed."""
    pg.run("lifting", seed=9, out=tmp_path / "other", **SHORT)
    return tmp_path / "other"


def moved_before(write, folder, other, monkeypatch):
    """Run into ``folder``, which is moved and replaced by another run before a write with this number."""
    numbers, real = count(), files.check_held

    def check_held(path):
        if folder.exists() and next(numbers) == write:
            folder.rename(folder.with_name("moved"))
            shutil.copytree(other, folder)
        real(path)

    with monkeypatch.context() as patch:
        patch.setattr(files, "check_held", check_held)
        pg.run("lifting", out=folder, **ALWAYS, **SHORT)


@pytest.mark.thorough
def test_a_run_whose_folder_was_moved_and_replaced_writes_nothing_more(tmp_path, other, monkeypatch):
    pg.run("lifting", out=tmp_path / "straight", **ALWAYS, **SHORT)
    lost = 0
    for write in range(0, 200, 3):
        folder = tmp_path / str(write) / "run"
        try:
            moved_before(write, folder, other, monkeypatch)
        except FolderLost as error:
            moved = folder.with_name("moved")
            assert str(error).startswith(f"{folder} was moved or replaced while this process wrote it, and is left")
            if os.path.isdir("/proc/self/fd"):
                assert str(error).endswith(f"; its run is in {moved}: particlegvi resume {moved} goes on")
            assert everything(folder) == everything(other)
            pg.resume(moved)
            assert content(moved) == content(tmp_path / "straight")
            lost += 1
        else:
            assert content(folder) == content(tmp_path / "straight")
            break
    assert lost > 5


def test_without_the_check_the_other_run_would_be_damaged(tmp_path, other, monkeypatch):
    monkeypatch.setattr(Lock, "check", lambda lock: None)
    damaged = 0
    for write in (2, 8, 14):
        folder = tmp_path / str(write) / "run"
        with contextlib.suppress(OSError):
            moved_before(write, folder, other, monkeypatch)
        damaged += everything(folder) != everything(other)
    assert damaged


def test_a_second_run_from_inside_the_first_is_left_alone(tmp_path, quick, capsys):
    """By the public functions; the command says it in one line."""
    folder, seen = tmp_path / "run", {}

    def move(label, done, steps):
        if not seen:
            folder.rename(tmp_path / "moved")
            pg.run("lifting", seed=9, out=folder, progress=None, **SHORT)
            seen.update(everything(folder))

    with pytest.raises(FolderLost) as lost:
        pg.run("lifting", out=folder, progress=move, **ALWAYS, **SHORT)
    assert everything(folder) == seen and lost.value.results.folder is None
    assert pg.load(folder).seed == 9 and pg.resume(tmp_path / "moved").seed == 0
    from particlegvi.cli.reporting import report

    assert report(lost.value) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.count("resume") == 1 and str(tmp_path / "moved") in line


@pytest.mark.parametrize("name", ["lock", "arrays/DLE.growing.npy"])
def test_a_hard_link_is_not_written_through(half, tmp_path, name):
    if name == "lock":
        (half / name).write_text("mine")
    os.link(half / name, tmp_path / "outside")
    before, there = (tmp_path / "outside").read_bytes(), everything(half)
    refuse(lambda: pg.resume(half), r"is a hard link, through which nothing is written; copy its folder")
    assert everything(half) == there
    assert pg.resume(shutil.copytree(half, tmp_path / "copy")).status == "finished"
    assert (tmp_path / "outside").read_bytes() == before


def test_new_records_take_the_place_of_a_link(tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    os.link(tmp_path / "mine", tmp_path / "growing")
    records = RecordFile(tmp_path / "growing", 2, (3,))
    records.append(np.zeros(3))
    digest = records.digest(1)
    records.close()
    assert (tmp_path / "mine").read_bytes() == b"mine"
    RecordFile(tmp_path / "growing", 2, (3,), 1, digest).close()
    os.link(tmp_path / "growing", tmp_path / "second")
    refuse(lambda: RecordFile(tmp_path / "growing", 2, (3,), 1, digest), "is a hard link")


def test_a_lock_file_that_is_removed_is_noticed_and_a_scenario_is_written_again(tmp_path, quick):
    def removing(name):
        return lambda label, done, steps: (tmp_path / "run" / name).unlink(missing_ok=True)

    with pytest.raises(FolderLost):
        pg.run("lifting", out=tmp_path / "run", progress=removing("lock"), **ALWAYS, **SHORT)
    pg.resume(tmp_path / "run", progress=removing("scenario.toml"))
    pg.run("lifting", out=tmp_path / "straight", **SHORT)
    assert content(tmp_path / "run") == content(tmp_path / "straight")


def test_without_its_scenario_a_folder_is_read_by_its_manifest(half, tmp_path):
    pg.run("lifting", out=tmp_path / "whole", **SHORT)
    whole = pg.load(tmp_path / "whole")
    (tmp_path / "whole" / "scenario.toml").unlink()
    with pytest.warns(UserWarning, match=r"scenario\.toml is missing, and taken from manifest\.json"):
        found = pg.load(tmp_path / "whole")
    assert found.summary == whole.summary
    assert found["DLE"].positions.tobytes() == whole["DLE"].positions.tobytes()
    (half / "scenario.toml").unlink()
    with pytest.warns(UserWarning, match="is missing"):
        assert pg.resume(half).status == "finished"
    assert (half / "scenario.toml").exists()
    (tmp_path / "whole" / "scenario.toml").write_text("")  # damaged is not missing
    refuse(lambda: pg.load(tmp_path / "whole"), "is not a complete scenario")


def test_an_unfinished_folder_without_its_empty_folders_goes_on(half, tmp_path):
    """As git and object stores give it back."""
    shutil.rmtree(half / "arrays")
    shutil.rmtree(half / "checkpoint")
    pg.resume(half)
    pg.run("lifting", out=tmp_path / "straight", **SHORT)
    assert content(half) == content(tmp_path / "straight")


def first_schema(folder, **changes):
    """Rewrite a folder as the first versions of the package wrote it."""
    change_manifest(folder, **dict.fromkeys(("settings", "sha256", "resumed", "labels")), schema=1, **changes)


def test_a_folder_of_the_first_schema_is_read_and_not_changed(tmp_path, capsys):
    folder = tmp_path / "run"
    pg.run("lifting", out=folder, **SHORT)
    whole = pg.load(folder)
    first_schema(folder)
    before, found = everything(folder), pg.load(folder)
    assert found.status == "finished" and found.describe() == whole.describe() and found.summary == whole.summary
    assert found["DLE"].positions.tobytes() == whole["DLE"].positions.tobytes()
    assert pg.resume(folder).seed == 0 and everything(folder) == before
    assert main(["plot", str(folder)]) == 0 and capsys.readouterr().out
    noted = manifest(folder)
    assert noted["schema"] == 1 and noted["figures"] and "sha256" not in noted
    (folder / "arrays" / "DLE.json").unlink()
    refuse(lambda: pg.load(folder), r"DLE\.json cannot be read")
    pg.run("lifting", out=folder, overwrite=True, **SHORT)
    assert manifest(folder)["schema"] == 2


def test_a_damaged_folder_of_the_first_schema_is_refused(tmp_path, quick):
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    for damage in ({"methods": 3}, {"seconds": 3}):
        first_schema(tmp_path / "run", **damage)
        refuse(lambda: pg.load(tmp_path / "run"), "is damaged")
        first_schema(tmp_path / "run", methods=[], seconds={})
    for methods in ([3], ["../../x"]):
        first_schema(tmp_path / "run", methods=methods)
        assert not pg.load(tmp_path / "run")  # no method of the scenario is done


def test_an_unfinished_run_of_the_first_schema_is_not_resumed(half):
    first_schema(half)
    said = refuse(lambda: pg.resume(half), "has the schema 1, without checkpoints: load and plot read it, and resume")
    assert pg.load(half).status == "interrupted"
    command = said.split("particlegvi run ")[1].removesuffix(" starts over")
    assert main(["run", *shlex.split(command), "--quiet", "--no-figure"]) == 0  # as the sentence says
    assert pg.load(half).status == "finished" and pg.load(half).seed == 0
