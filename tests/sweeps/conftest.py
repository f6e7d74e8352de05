"""A scenario of which a cell takes hundredths of a second, and a sweep of it."""

import pytest

import particlegvi as pg

SMALL = {
    "name": "small",
    "title": "Small and quick",
    "particles": 8,
    "steps": 20,
    "step_size": 0.01,
    "record_every": 0,
    "loss": "tilted-double-well",
    "prior": {"name": "normal", "mean": 0.0, "sd": 1.0},
    "methods": {"DLE": {"kl_weight": 1.0}},
}
OVER = {"methods.DLE.kl_weight": [0.5, 1.0, 2.0], "particles": [4, 8]}


def outputs(folder):
    """The bytes of every file of a sweep that has swept two keys, but of its cells and times."""
    names = ("table.csv", "table.md", "table.tex", "sweep.json", "heat-map.png", "scenario.toml")
    return {name: (folder / name).read_bytes() for name in names}


@pytest.fixture
def small():
    return {**SMALL, "methods": {"DLE": {"kl_weight": 1.0}}}


@pytest.fixture(scope="session")
def swept():
    return pg.sweep(SMALL, over=OVER, seeds=3)


@pytest.fixture(scope="session")
def straight_folder(tmp_path_factory):
    """The folder of this sweep where nothing has disturbed it."""
    folder = tmp_path_factory.mktemp("straight") / "s"
    pg.sweep(SMALL, over=OVER, seeds=3, out=folder)
    return folder


@pytest.fixture(scope="session")
def straight(straight_folder):
    return outputs(straight_folder)
