"""A scenario of which a cell takes hundredths of a second, and a sweep of it."""

from __future__ import annotations

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


@pytest.fixture
def small():
    return {**SMALL, "methods": {"DLE": {"kl_weight": 1.0}}}


@pytest.fixture(scope="session")
def swept():
    return pg.sweep(SMALL, over=OVER, seeds=3)
