"""A scenario of networks that was interrupted in the middle of an epoch goes on from there, to the same bytes."""

from __future__ import annotations

import pytest

import particlegvi as pg
from particlegvi.simulation import chunks

from .interrupting import Stop, content

SMALL = {
    "kind": "networks",
    "name": "small",
    "data": {"formula": "sin(2*x)", "count": 50},
    "network": {"hidden": [6], "activation": "tanh"},
    "noise_variance": 0.01,
    "particles": 3,
    "steps": 40,
    "step_size": 0.02,
    "batch_size": 7,
    "methods": {
        "DLE": {"temper": 1.0},
        "DRLE": {"kl_weight": 1e-3, "mmd_weight": 0.1, "kernel": {"name": "on-outputs", "count": 6}},
    },
}


@pytest.fixture(autouse=True)
def one_step_at_a_time(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1e-9)


@pytest.mark.parametrize("calls", [3, 20, 55])
def test_interrupted_and_resumed(tmp_path, calls):
    pg.run(SMALL, out=tmp_path / "straight")
    with pytest.raises(KeyboardInterrupt):
        pg.run(SMALL, out=tmp_path / "run", progress=Stop(calls), checkpoint_every=1e-9)
    assert pg.load(tmp_path / "run").status == "interrupted"
    pg.resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "straight")
