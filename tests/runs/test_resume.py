"""A run that was interrupted and resumed is, byte for byte, the run that was left alone."""

import pytest

import particlegvi as pg
from particlegvi.runs.storage import checkpoint
from particlegvi.runs.storage.folder import CHECKPOINT
from particlegvi.runs.storage.manifest import Lock
from particlegvi.scenario.kinds.particles import simulating
from particlegvi.simulation import storage

from .interrupting import (
    ALWAYS,
    SHORT,
    Stop,
    again_and_again,
    change_manifest,
    content,
    everything,
    manifest,
    slow,
)

FUNCTIONS = {
    "poisson-bimodal": {"data.count": 60, "inducing_points": 9, "particles": 20, "steps": 60},
    "poisson-frozen-signs": {"particles": 12, "methods.200 steps.steps": 40, "methods.20000 steps.steps": 90},
    "regression-curve": {"particles": 20, "inducing_points": 9},
    "classification-curve": {"particles": 20, "inducing_points": 9, "steps": 60},
    "certified-classification": {"particles": 20, "data.count": 30, "steps": 60},
    "poisson-bimodal-code": {"data.count": 60, "inducing_points": 9, "particles": 20, "steps": 60},
    "multimodal-regression": {"particles": 20, "inducing_points": 9, "steps": 60},
}
# All of them are in closed form, but for means of networks and optimisers, which begin again, and for PLS with Gaussian
# noise as in regression-curve.
CLOSED = {
    "blr-function-space", "eigenvalue-decay", "error-budget", "prior-draws", "wrong-nu",
    "sparse-nine-points", "fourier-features", "fourier-plane", "in-between", "interval-means",
    "kl-measurement-points", "sparse-certificate", "sparse-nine-points-code", "wasserstein-estimator",
    "wasserstein-misspecified", "wasserstein-weight", "window-features",
    *(f"wasserstein-curve-{number}{code}" for number in (1, 2, 3) for code in ("", "-code")),
}  # fmt: skip
NETWORKS = {
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
FEW = {"particles": 8, "steps": 30, "record_every": 4}
REPLICATED = {**pg.scenarios.get("repulsion-pays", replicates=4, particles=8), "methods": {"DLE": {"kl_weight": 0.05}}}
FITTED = {"methods": {"FDGVI": {"kl_weight": 0.5, "draws": 5}}, **SHORT}  # with averages of its own
CASES = [
    ("lifting", 12, FITTED),
    *(("global-minimiser", calls, SHORT) for calls in (1, 2, 5, 11, 14, 20)),
    *((name, 3, FEW) for name in pg.scenarios.names("particles") if name != "repulsion-pays"),
    *((name, (2, 15)[place % 2], settings) for place, (name, settings) in enumerate(FUNCTIONS.items())),
    *(slow(name, (15, 2)[place % 2], settings) for place, (name, settings) in enumerate(FUNCTIONS.items())),
    *((NETWORKS, calls, {}) for calls in (3, 20, 55)),
    *((REPLICATED, calls, {"steps": 2, "record_every": 1}) for calls in (1, 3, 5)),  # in the run, and after replicates
]


def test_all_scenarios_of_functions_are_tried_or_in_closed_form():
    assert sorted([*FUNCTIONS, *CLOSED]) == sorted(pg.scenarios.names("function-space"))


@pytest.mark.parametrize(("scenario", "calls", "settings"), CASES)
@pytest.mark.sample(
    "lifting-*", "global-minimiser-1-*", "global-minimiser-20-*", "four-particles-3-*", "global-minimiser-3-*",
    "temperature-and-repulsion-*", "regression-curve-2-*",
)  # fmt: skip
@pytest.mark.often("network-*", "multimodal-3-*", "dre-map-*", "certified-*", "poisson-bimodal-2-*")
def test_every_scenario(tmp_path, scenario, calls, settings, quick, monkeypatch):
    if scenario is NETWORKS or settings in FUNCTIONS.values():
        monkeypatch.setattr(storage, "CHUNK_SECONDS", 1e-9)  # a chunk is one step at first
    pg.run(scenario, out=tmp_path / "straight", **settings)
    with pytest.raises(KeyboardInterrupt):
        pg.run(scenario, out=tmp_path / "run", progress=Stop(calls), **ALWAYS, **settings)
    kept = pg.load(tmp_path / "run")
    assert kept.status == "interrupted" and list(kept) == list(kept.labels)[: len(kept)]
    assert content(tmp_path / "run") != content(tmp_path / "straight")
    last = checkpoint.read(tmp_path / "run")
    step = 0 if last is None else last.snapshot.step
    if settings in FUNCTIONS.values():
        assert step >= calls - 1
    assert pg.resume(tmp_path / "run").status == "finished"
    assert manifest(tmp_path / "run")["resumed"][-1]["step"] == step
    assert content(tmp_path / "run") == content(tmp_path / "straight")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "calls"), [("global-minimiser", 3), ("poisson-bimodal", 9)])
def test_interrupted_many_times_on_any_number_of_threads(tmp_path, name, calls, threads_and_chunks):
    settings = FUNCTIONS.get(name, SHORT)
    pg.run(name, out=tmp_path / "straight", **settings)
    with pytest.raises(KeyboardInterrupt):
        pg.run(name, out=tmp_path / "run", progress=Stop(calls), **ALWAYS, **settings)
    times = again_and_again(tmp_path / "run", lambda times: Stop(1 + times % calls), threads_and_chunks)
    assert content(tmp_path / "run") == content(tmp_path / "straight")
    assert len(manifest(tmp_path / "run")["resumed"]) == times


@pytest.mark.thorough
def test_a_checkpoint_that_was_changed_shows(half, tmp_path):
    """Negative control: nothing hides that the numbers come from the checkpoint."""
    last = checkpoint.read(half)
    last.snapshot.state[:] += 1e-3
    checkpoint.write(half, last)
    pg.resume(half)
    pg.run("lifting", out=tmp_path / "straight", **SHORT)
    assert content(half) != content(tmp_path / "straight")


def test_what_is_loaded_of_an_interrupted_run_are_its_records(half):
    full, kept = pg.run("lifting", **SHORT)["DLE"], pg.load(half)["DLE"]
    assert 1 <= len(kept.steps) < len(full.steps)
    assert kept.steps.tolist() == full.steps[: len(kept.steps)].tolist()
    assert kept.positions.tobytes() == full.positions[: len(kept.steps)].tobytes()
    assert kept.info["stopped"] == "interrupted"


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in (tmp_path / "run").rglob("*")}
    assert pg.resume(tmp_path / "run").status == "finished"
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in (tmp_path / "run").rglob("*")} == before


def test_a_kill_after_the_last_write_leaves_a_lock_that_resume_removes(tmp_path):
    pg.run("lifting", particles=5, steps=5, out=tmp_path / "run")
    straight = everything(tmp_path / "run")
    (tmp_path / "run" / "lock").touch()  # the process ended between its last write and the removal of the lock
    assert everything(tmp_path / "run") != straight
    pg.resume(tmp_path / "run")
    assert everything(tmp_path / "run") == straight
    held = Lock(tmp_path / "run")  # the control: a process that still has it keeps it
    pg.resume(tmp_path / "run")
    assert held.is_held()
    held.release()


@pytest.mark.parametrize(
    ("name", "settings", "work"),
    [
        ("lifting", {"particles": 8, "steps": 50, "step_size": 5.0}, simulating.__name__ + ".run_problem"),
        (
            "regression-curve",
            {"methods": {"PLS": {"integrator": "euler-maruyama", "step_size": 1.0, "steps": 2000}}},
            "particlegvi.functionspace.ProjectedLangevinSampler.fit",
        ),
    ],
)
def test_a_run_that_diverged_is_not_simulated_again_and_has_no_checkpoint(tmp_path, name, settings, work, monkeypatch):
    with pytest.raises(pg.Diverged), pytest.warns(UserWarning, match="stability"):
        pg.run(name, out=tmp_path / "run", **ALWAYS, **settings)
    assert not (tmp_path / "run" / CHECKPOINT).exists()
    monkeypatch.setattr(work, lambda *_: pytest.fail("simulated"))
    assert pg.resume(tmp_path / "run").status == "diverged"


def test_a_summary_that_the_manifest_does_not_name_yet_is_not_read(tmp_path):
    """A process was killed between writing the one and the other."""
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    known = manifest(tmp_path / "run")["sha256"]
    del known["summary.json"]
    change_manifest(tmp_path / "run", sha256=known, status="running")
    assert pg.load(tmp_path / "run").status == "running"
