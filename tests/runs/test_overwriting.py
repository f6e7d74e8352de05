"""Starting over in the folder of an earlier run: the new run is there, and what a user put beside it."""

import pytest

import particlegvi as pg

from ..refusals import refuse
from .interrupting import SHORT, change_manifest, content, interrupted

CHANGED = {**SHORT, "methods": {"DLE": {"kl_weight": 3.0}}}
pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.parametrize("earlier", ["finished", "interrupted", "empty", "killed"])
def test_the_new_run_is_there_and_what_was_beside_the_old(tmp_path, earlier):
    pg.run("lifting", out=tmp_path / "new", **CHANGED)
    folder = tmp_path / "run"
    (folder / "arrays").mkdir(parents=True)
    (folder / "arrays").rmdir()
    if earlier == "finished":
        pg.run("lifting", out=folder, overwrite=True, **SHORT)
    elif earlier != "empty":
        folder.rmdir()
        interrupted(folder, 4, "lifting")
    if earlier == "killed":  # while it was taken over before
        (folder / "scenario.toml").unlink()
        (folder / "lock").touch()
    mine = {}
    if earlier != "empty":
        (folder / "arrays" / "mine.npy").write_text("mine")
        mine = {"arrays/mine.npy": b"mine"}
    pg.run("lifting", out=folder, overwrite=True, **CHANGED)
    assert content(folder) == content(tmp_path / "new") | mine


def test_two_writers_are_one_too_many(half, tmp_path):
    def second(label, done, steps):
        refuse(lambda: pg.resume(half), "another process")
        refuse(lambda: pg.run("lifting", out=half, overwrite=True, **SHORT), "another process")
        pg.load(half)  # a reader disturbs nobody

    pg.resume(half, progress=second)
    pg.run("lifting", out=tmp_path / "straight", **SHORT)
    assert content(half) == content(tmp_path / "straight")


def test_a_manifest_made_to_do_harm_removes_nothing_outside(tmp_path):
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    (tmp_path / "outside.png").write_text("mine")
    change_manifest(tmp_path / "run", sha256={"../outside.png": "0" * 64})
    pg.run("lifting", out=tmp_path / "run", overwrite=True, **SHORT)
    assert (tmp_path / "outside.png").read_text() == "mine"
