"""A run's folder that is moved, linked, stripped of files or of an early version: nothing is lost or overwritten."""

import contextlib
import os
import shutil
from pathlib import Path

import pytest

import particlegvi as pg
from particlegvi.cli import main
from particlegvi.tools.errors import FolderLost

from ..refusals import refuse
from .interrupting import ALWAYS, SHORT, content, everything


def test_a_second_run_from_inside_the_first_is_left_alone(tmp_path, quick):
    folder, seen = tmp_path / "run", {}

    def move(label, done, steps):
        if not seen:
            folder.rename(tmp_path / "moved")
            pg.run("lifting", seed=9, out=folder, progress=None, **SHORT)
            seen.update(everything(folder))

    with pytest.raises(FolderLost) as lost:
        pg.run("lifting", out=folder, progress=move, **ALWAYS, **SHORT)
    assert everything(folder) == seen and lost.value.results.folder is None
    assert "was moved, removed or replaced" in str(lost.value)
    assert pg.load(folder).seed == 9 and pg.resume(tmp_path / "moved").seed == 0


def test_without_its_scenario_a_folder_is_refused(half):
    (half / "scenario.toml").unlink()
    for function in (pg.load, pg.resume):
        refuse(lambda function=function: function(half), r"scenario\.toml cannot be read: No such file")
    (half / "scenario.toml").write_text("")
    refuse(lambda: pg.load(half), "is not a complete scenario")


def test_an_unfinished_folder_without_its_empty_folders_goes_on(half, tmp_path):
    """As git and object stores give it back."""
    shutil.rmtree(half / "arrays")
    (half / "checkpoint.npz").unlink()
    pg.resume(half)
    pg.run("lifting", out=tmp_path / "straight", **SHORT)
    assert content(half) == content(tmp_path / "straight")


@pytest.mark.parametrize("name", ["checkpoint.npz", "arrays", "cells", "scenario.toml", "manifest.json"])
@pytest.mark.parametrize("again", [False, True])
def test_no_link_in_a_folder_leads_to_a_change_elsewhere(half, tmp_path, name, again):
    """Neither where the run goes on nor where another one starts over."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for each in ("latest.json", "DLE.growing.npy", "a.b.json", "manifest.json"):
        (outside / each).write_text("mine")
    place = half / name
    target = outside if name in ("arrays", "cells") else outside / "manifest.json"
    if place.exists():
        place.rename(tmp_path / "kept")
    place.symlink_to(target)
    with contextlib.suppress(ValueError):
        pg.run("lifting", out=half, overwrite=True, **SHORT) if again else pg.resume(half)
    assert {each.read_text() for each in outside.iterdir()} == {"mine"} and len(list(outside.iterdir())) == 4


class Swap:
    """A progress that once, at its ``calls``-th call, puts a link to ``target`` in the place of a part of a folder."""

    def __init__(self, place, target, calls=2):
        self.place, self.target, self.left = place, target, calls

    def __call__(self, label, done, steps):
        self.left -= 1
        if self.left == 0:
            self.place.rename(self.place.with_name("kept"))
            self.place.symlink_to(self.target)


@pytest.mark.parametrize("size", [10, 10**6])
@pytest.mark.parametrize("part", ["arrays", "arrays/DLE.growing.npy"])
def test_no_link_that_comes_during_a_run_is_written_through(tmp_path, quick, part, size):
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("DLE.growing.npy", "DLE.positions.npy", "DLE.steps.npy", "DLE.json", "DE.json"):
        (outside / name).write_bytes(b"mine" * size)
    target = outside if part == "arrays" else outside / "DLE.growing.npy"
    swap, before = Swap(tmp_path / "run" / part, target), everything(outside)
    with pytest.raises(FolderLost, match="replaced by a link|was moved, removed or replaced"):
        pg.run("lifting", out=tmp_path / "run", progress=swap, checkpoint_every=1e9, **SHORT)
    assert swap.left <= 0 and everything(outside) == before
    if part == "arrays":
        (tmp_path / "run" / part).unlink()
        (tmp_path / "run" / "kept").rename(tmp_path / "run" / part)
    assert pg.resume(tmp_path / "run").status == "finished" and everything(outside) == before


def test_no_link_that_comes_during_a_sweep_is_written_through(tmp_path):
    (tmp_path / "outside").mkdir()
    swap = Swap(tmp_path / "s" / "cells", tmp_path / "outside")
    with pytest.raises(FolderLost, match="cells was replaced by a link, .* put the folder back"):
        pg.sweep("lifting", over={"particles": [4, 5, 6]}, seeds=1, out=tmp_path / "s", progress=swap, steps=10)
    assert not any((tmp_path / "outside").iterdir())
    swap.place.unlink()
    (tmp_path / "s" / "kept").rename(swap.place)
    assert pg.resume(tmp_path / "s").computed == 1


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_link_in_the_place_of_growing_records_is_replaced(half, tmp_path, link):
    place, mine = half / "arrays" / "DLE.growing.npy", tmp_path / "mine.npy"
    place.rename(mine)
    link(mine, place)
    before = mine.read_bytes()
    assert pg.resume(half).status == "finished" and mine.read_bytes() == before


FIRST = Path(__file__).parent / "version-0.1.0"


@pytest.mark.thorough
def test_a_folder_of_the_first_version_is_read_drawn_exported_and_overwritten(tmp_path, capsys):
    """``FIRST`` is of ``particlegvi run global-minimiser --set particles=4 --set steps=30`` by version 0.1.0."""
    folder = shutil.copytree(FIRST, tmp_path / "run")
    with pytest.warns(UserWarning, match="was simulated with"):
        found = pg.load(folder)
    assert found.status == "finished" and list(found) == ["DE", "DLE", "DRLE"]
    assert found["DLE"].final.shape == (4, 1) and found.summary["methods"]["DLE"]["particles"] == 4
    assert "DRLE" in found.describe()
    assert main(["plot", str(folder)]) == 0 and capsys.readouterr().out
    assert main(["export", str(folder), "--to", str(tmp_path / "run.csv")]) == 0 and (tmp_path / "run.csv").exists()
    (folder / "notes.txt").write_text("mine")
    pg.run("lifting", out=folder, overwrite=True, **SHORT)
    assert pg.load(folder).name == "lifting" and (folder / "notes.txt").read_text() == "mine"
    assert not list((folder / "arrays").glob("DRLE*"))
