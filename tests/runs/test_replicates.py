"""Replicates that were interrupted go on with those that are not finished, and give the same bytes."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario import load
from particlegvi.scenario.kinds.particles import simulating

from .interrupting import ALWAYS, Stop, content, manifest, no_summary

STEPS, NUMBER = 20, 4
SHORT = load("repulsion-pays", {"steps": STEPS, "replicates": NUMBER, "record_every": 7})
SHORT["methods"] = {"DLE": SHORT["methods"]["DLE"]}

KILLED = """
import json, os, signal, sys, particlegvi as pg
kill_at = int(sys.argv[3])
def kill(label, done, steps):
    if label == "DLE" and done >= kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
pg.run(json.loads(sys.argv[2]), out=sys.argv[1], progress=kill, checkpoint_every=1e-9)
"""


@pytest.fixture(autouse=True)
def short_chunks(quick, monkeypatch):
    """A chunk is one step at first, and eight at most."""
    monkeypatch.setattr("particlegvi.simulation.chunks.CHUNK_SECONDS", 1e-9)


def interrupted(out, step):
    with pytest.raises(KeyboardInterrupt):
        pg.run(SHORT, out=out, progress=Stop(label="DLE", step=step), **ALWAYS)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("straight") / "run"
    with no_summary():
        pg.run(SHORT, out=out)
    return content(out)


def done(folder):
    """The finished replicates of a folder."""
    return list((folder / "cells").glob("*.json"))


@pytest.mark.parametrize("step", [1, 10, 20, 40, 60, 80])
@pytest.mark.thorough
def test_interrupted_anywhere(tmp_path, straight, step):
    """In the run itself and after any of its replicates; a finished replicate is not simulated again."""
    interrupted(tmp_path / "run", step)
    kept = pg.load(tmp_path / "run")["DLE"]
    assert "replicates" not in kept.info and (kept.steps[-1] == STEPS) == (step > STEPS)
    there = len(done(tmp_path / "run"))
    assert there == max(0, step // STEPS - 1)
    heard = Stop()
    pg.resume(tmp_path / "run", progress=heard)
    assert content(tmp_path / "run") == straight
    assert all(label == "DLE" and each > step - 3 for label, each in heard.heard)
    assert [each for _, each in heard.heard if each > STEPS] == [STEPS * (r + 1) for r in range(1 + there, NUMBER)]


PROCESSES = "from particlegvi.scenario.kinds.particles import simulating; simulating.REPAID = 0.0"


@pytest.mark.parametrize(("step", "pool"), [(10, ""), (40, ""), pytest.param(40, PROCESSES, marks=pytest.mark.slow)])
@pytest.mark.thorough
def test_killed(tmp_path, straight, step, pool):
    """In this process, and with joblib's, of which a killed client leaves none behind that writes."""
    program = KILLED.replace("kill_at = int", f"{pool}\nkill_at = int")
    given = [str(tmp_path / "run"), json.dumps(SHORT), str(step)]
    ended = subprocess.run([sys.executable, "-c", program, *given], check=False, timeout=300)
    assert ended.returncode == -signal.SIGKILL
    assert len(done(tmp_path / "run")) == (step == 40)
    heard = Stop()
    pg.resume(tmp_path / "run", progress=heard)
    assert content(tmp_path / "run") == straight
    (entry,) = manifest(tmp_path / "run")["resumed"]
    assert entry["method"] == "DLE"
    first = heard.heard[0][1]
    if step > STEPS:  # among the replicates, of which each is simulated whole
        assert first > step - 1
    else:
        assert 0 < entry["step"] < first <= entry["step"] + 1


def test_a_replicate_of_other_sources_is_another_cell(monkeypatch):
    one = simulating.Simulate("{}", "DLE", 0, ())
    name = one.name(1)
    assert name == one.name(1) != one.name(2)
    monkeypatch.setattr("particlegvi.tools.sources.sources", lambda: "f" * 16)
    assert one.name(1) != name


@pytest.mark.thorough
def test_a_replicate_that_diverges_says_which(tmp_path, monkeypatch):
    follow = simulating.follow

    def fail(problem, method, record_every, *rest, **more):
        if record_every:  # the run itself
            return follow(problem, method, record_every, *rest, **more)
        raise pg.Diverged("step 3 of 20 made particle 1 non-finite", 3, 1)

    monkeypatch.setattr(simulating, "follow", fail)
    with pytest.raises(pg.Diverged):
        pg.run(SHORT, out=tmp_path / "run")
    kept = json.loads((tmp_path / "run" / "arrays" / "DLE.json").read_text())
    assert kept["stopped"].startswith("replicate 1: step 3")
    assert len(np.load(tmp_path / "run" / "arrays" / "DLE.steps.npy")) == len(range(0, STEPS, 7)) + 1
