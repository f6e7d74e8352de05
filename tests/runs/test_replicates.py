"""Replicates of a run that was interrupted begin again, and give the same bytes."""

import pytest

import particlegvi as pg
from particlegvi.scenario import load

from .interrupting import ALWAYS, Stop, content, no_summary

STEPS, NUMBER = 20, 4
SHORT = load("repulsion-pays", {"steps": STEPS, "replicates": NUMBER, "record_every": 7})
SHORT["methods"] = {"DLE": SHORT["methods"]["DLE"]}


@pytest.fixture(autouse=True)
def short_chunks(quick, monkeypatch):
    """A chunk is one step at first, and eight at most."""
    monkeypatch.setattr("particlegvi.simulation.storage.CHUNK_SECONDS", 1e-9)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("straight") / "run"
    with no_summary():
        pg.run(SHORT, out=out)
    return content(out)


@pytest.mark.thorough
@pytest.mark.parametrize("step", [1, 10, 20, 40, 80])
def test_interrupted_anywhere(tmp_path, straight, step):
    """In the run itself and after any of its replicates."""
    with pytest.raises(KeyboardInterrupt):
        pg.run(SHORT, out=tmp_path / "run", progress=Stop(label="DLE", step=step), **ALWAYS)
    assert "replicates" not in pg.load(tmp_path / "run")["DLE"].info
    heard = Stop()
    pg.resume(tmp_path / "run", progress=heard)
    assert content(tmp_path / "run") == straight
    assert [done for _, done in heard.heard if done > STEPS] == [STEPS * number for number in range(2, NUMBER + 1)]
