"""The commands ``sweep`` and ``resume`` of a sweep: what they write, what they say, and how they end."""

import json

import pytest

import particlegvi as pg
from particlegvi.cli import main
from particlegvi.cli.sweeping import over_of
from particlegvi.scenario import load, text

from .conftest import SMALL, outputs


@pytest.fixture
def here(tmp_path, elsewhere):
    (tmp_path / "small.toml").write_text(text(load(SMALL)))
    return tmp_path


SWEEP = ["sweep", "small.toml", "--over", "methods.*.kl_weight=0.5,1", "--over", "particles=4:8:2", "--seeds", "3:5"]


@pytest.mark.thorough
def test_sweep_writes_its_folder_and_goes_on_with_it(here, capsys):
    assert main([*SWEEP, "--workers", "1"]) == 0
    said = capsys.readouterr()
    assert "small: 4 settings x 2 seeds = 8 cells, 0 diverged" in said.out and said.err == ""
    assert "8 cells computed, 0 were there; saved in sweeps/small" in said.out
    names = {place.name for place in (here / "sweeps" / "small").iterdir()}
    assert names == {
        "cells",
        "heat-map.png",
        "manifest.json",
        "scenario.toml",
        "sweep.json",
        "table.csv",
        "table.md",
        "table.tex",
    }
    found = json.loads((here / "sweeps" / "small" / "sweep.json").read_text())
    assert found["over"] == {"methods.*.kl_weight": [0.5, 1], "particles": [4, 8]} and found["seeds"] == [3, 4]
    assert main([*SWEEP, "--workers", "1", "--quiet"]) == 0 and capsys.readouterr().out == ""
    assert main(["resume", "sweeps/small"]) == 0
    assert capsys.readouterr().out == "sweeps/small is finished, and its files are as they were written\n"
    assert main(["sweep", "sweeps/small/scenario.toml", "--out", "again", "--workers", "1", "--quiet"]) == 0
    assert outputs(here / "again") == outputs(here / "sweeps/small")
    assert pg.load("again").shape == (2, 2, 2)


@pytest.mark.thorough
def test_a_picture_is_drawn_again_in_another_look(here, capsys):
    assert main([*SWEEP, "--workers", "1", "--quiet", "--no-figure"]) == 0 and not list(here.rglob("*.png"))
    assert main(["plot", "sweeps/small"]) == 0
    assert main(["plot", "sweeps/small", "--figure", "lines", "--format", "svg", "--language", "de"]) == 0
    assert capsys.readouterr().out.split() == ["sweeps/small/heat-map.png", "sweeps/small/lines.svg"]


def test_a_dry_run_writes_nothing(here, capsys):
    assert main([*SWEEP, "--dry-run", "--workers", "2"]) == 0
    said = capsys.readouterr().out
    assert "small: 4 settings x 2 seeds = 8 cells" in said and "there already: 0; to compute: 8" in said
    assert "methods.*.kl_weight sets methods.DLE.kl_weight" in said
    assert [place.name for place in here.iterdir()] == ["small.toml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--over particles", "write KEY=VALUES"),
        ("--over particles=0,4", "particles must be a whole number"),
        ("--over particles=[4", "values between commas, or a list or a table of TOML"),
        ("--over particles=4 --workers 0", "workers must be a whole number"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(here, capsys, arguments, words):
    assert main(["sweep", "small.toml", "--workers", "1", *arguments.split()]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert list(here.rglob("*.toml")) == [here / "small.toml"]


def test_what_over_may_be():
    for argument, found in {
        "steps=10,20": ("steps", [10, 20]),
        "integrator=heun, baoab": ("integrator", ["heun", "baoab"]),
        "a.*.b=0:2:9": ("a.*.b", "0:2:9"),
        "x=[[0.0], [1.0]]": ("x", [[0.0], [1.0]]),
        "flag=true,false": ("flag", [True, False]),
    }.items():
        assert over_of(argument) == found
