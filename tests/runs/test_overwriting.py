"""Starting over in the folder of an earlier run: until one file is there it is the old run, and then the new one."""

import contextlib
import json
import os
import shutil

import pytest

import particlegvi as pg
from particlegvi import cli
from particlegvi.runs.storage import creating as making

from ..refusals import refuse
from .interrupting import SHORT, change_manifest, content, interrupted, manifest, no_summary

CHANGED = {**SHORT, "methods": {"DLE": {"kl_weight": 3.0}}}
OPERATIONS = ("open", "replace", "unlink", "mkdir")


class Died(BaseException):
    """Stands for the end of a process: nothing in the package catches it to go on."""


def dying(real, left):
    """An operation on files that works ``left[0]`` times in all, and never again."""

    def operation(*arguments, **options):
        left[0] -= 1
        if left[0] < 0:
            raise Died
        return real(*arguments, **options)

    return operation


pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A finished run with a file of its owner, an interrupted one, and what each new run must be."""
    place = tmp_path_factory.mktemp("runs")
    with no_summary():
        pg.run("lifting", out=place / "finished", **SHORT)
        interrupted(place / "interrupted", 4, "lifting")
        pg.run("lifting", out=place / "new", **CHANGED)
    for name in ("finished", "interrupted"):
        (place / name / "arrays" / "mine.npy").write_text("mine")
    return place


def died_at(last, folder, monkeypatch):
    """Start over in a folder, which ends at this operation on files; whether it came to its own end before."""
    left = [last]
    with monkeypatch.context() as patch, contextlib.suppress(Died):
        for operation in OPERATIONS:
            patch.setattr(os, operation, dying(getattr(os, operation), left))
        pg.run("lifting", out=folder, overwrite=True, **CHANGED)
    return left[0] >= 0


@pytest.mark.parametrize("name", ["finished", "interrupted"])
@pytest.mark.thorough
def test_dying_at_any_operation(runs, tmp_path, name, monkeypatch):
    """The folder is one of the two runs, which resuming shows without another flag; and both happen."""
    new = content(runs / "new") | {"arrays/mine.npy": b"mine"}
    pg.resume(shutil.copytree(runs / name, tmp_path / "old"))
    old, seen = content(tmp_path / "old"), []
    for last in range(200):
        folder = shutil.copytree(runs / name, tmp_path / str(last))
        ended = died_at(last, folder, monkeypatch)
        assert list(pg.load(folder).labels) == ["DLE"]
        pg.resume(folder)
        seen.append(content(folder))
        assert seen[-1] in (old, new), last
        shutil.rmtree(folder)
        if ended:
            break
    assert seen.count(old) > 3 and seen.count(new) > 10
    assert seen == [old] * seen.count(old) + [new] * seen.count(new)


def left_behind(lock):
    """The lock that the end of a process leaves: the file stays."""
    if lock._file >= 0:
        os.close(lock._file)
        lock._file = -1


def test_dying_at_any_operation_in_an_empty_folder(tmp_path, monkeypatch):
    """The next --overwrite has the folder, whatever was in it by then."""
    monkeypatch.setattr("particlegvi.runs.execute.simulate_rest", lambda results, folder, *_: folder.release())
    for last in range(40):
        folder = tmp_path / str(last)
        folder.mkdir()
        with monkeypatch.context() as patch:
            patch.setattr(making.Lock, "release", left_behind)
            ended = died_at(last, folder, monkeypatch)
        pg.run("lifting", out=folder, overwrite=True, **CHANGED)
        assert pg.load(folder).scenario["methods"]["DLE"]["kl_weight"] == 3.0
        if ended:
            break
    assert 3 < last < 39


@pytest.mark.parametrize("name", ["lock", ".next.json.tmp.mine", "mine"])
def test_a_folder_with_somebody_elses_file_is_refused(tmp_path, name):
    (tmp_path / name).write_text("mine")
    refuse(lambda: pg.run("lifting", out=tmp_path, overwrite=True, **SHORT), "not the folder of a run")
    assert [(place.name, place.read_text()) for place in tmp_path.iterdir()] == [(name, "mine")]


def test_taking_over_again_finishes_the_first_time(runs, tmp_path, monkeypatch):
    folder = shutil.copytree(runs / "finished", tmp_path / "run")
    with monkeypatch.context() as patch, pytest.raises(Died):
        patch.setattr("particlegvi.runs.storage.overwriting.begin", dying(making.overwriting.begin, [0]))
        pg.run("lifting", out=folder, overwrite=True, **CHANGED)
    assert (folder / "next.json").exists()
    assert pg.load(folder).scenario["methods"]["DLE"]["kl_weight"] == 3.0 and len(pg.load(folder)) == 0
    pg.run("lifting", out=folder, overwrite=True, **SHORT)
    assert content(folder) == content(runs / "finished")


def test_two_writers_are_one_too_many(half, tmp_path):
    def second(label, done, steps):
        refuse(lambda: pg.resume(half), f"pid {os.getpid()}")
        refuse(lambda: pg.run("lifting", out=half, overwrite=True, **SHORT), f"pid {os.getpid()}")
        pg.load(half)  # a reader disturbs nobody

    pg.resume(half, progress=second)
    pg.run("lifting", out=tmp_path / "straight", **SHORT)
    assert content(half) == content(tmp_path / "straight")


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"scenario": "", "manifest": {}}'])
def test_rubbish_is_refused_and_removes_nothing(runs, tmp_path, content, capsys):
    folder = shutil.copytree(runs / "finished", tmp_path / "run")
    (folder / "next.json").write_text(content)
    before = sorted(path.name for path in folder.rglob("*"))
    for command in (["resume", str(folder)], ["run", "lifting", "--out", str(folder), "--overwrite"]):
        assert cli.main(command) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "next.json" in line
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_pictures_named_by_a_file_made_to_do_harm_stay_inside(runs, tmp_path):
    folder = shutil.copytree(runs / "finished", tmp_path / "run")
    (tmp_path / "outside.png").write_text("mine")
    taken = {"scenario": (folder / "scenario.toml").read_text(), "manifest": manifest(folder)}
    (folder / "next.json").write_text(json.dumps(taken))
    change_manifest(folder, figures=["../outside.png"])
    refuse(lambda: pg.run("lifting", out=folder, overwrite=True, **SHORT), "not the name of a picture")
    assert (tmp_path / "outside.png").exists()
