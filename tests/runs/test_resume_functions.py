"""Fits of functions and runs of networks that were interrupted go on inside, to the same bytes."""

import pytest

import particlegvi as pg
from particlegvi.runs.storage import checkpoint
from particlegvi.simulation import chunks

from .interrupting import Stop, again_and_again, content, manifest, slow

SMALL = {
    "poisson-bimodal": {"data.count": 60, "inducing_points": 9, "particles": 20, "steps": 60},
    "poisson-frozen-signs": {"particles": 12, "methods.200 steps.steps": 40, "methods.20000 steps.steps": 90},
    "regression-curve": {"particles": 20, "inducing_points": 9},
    "classification-curve": {"particles": 20, "inducing_points": 9, "steps": 60},
    "certified-classification": {"particles": 20, "data.count": 30, "steps": 60},
    "poisson-bimodal-code": {"data.count": 60, "inducing_points": 9, "particles": 20, "steps": 60},
    "multimodal-regression": {"particles": 20, "inducing_points": 9, "steps": 60},
    "wasserstein-misspecified": {"particles": 5, "data.count": 30, "inducing_points": 9, "methods.GWI-net.epochs": 40},
}
# All of them are in closed form, but for networks, which one above has, for optimisers, which begin again, and for PLS
# with Gaussian noise as in regression-curve.
CLOSED = {
    "blr-function-space", "eigenvalue-decay", "error-budget", "prior-draws", "wrong-nu",
    "sparse-nine-points", "fourier-features", "in-between", "interval-means",
    "kl-measurement-points", "sparse-certificate", "sparse-nine-points-code", "wasserstein-estimator",
    "wasserstein-weight", "window-features",
    *(f"wasserstein-curve-{number}{code}" for number in (1, 2, 3) for code in ("", "-code")),
}  # fmt: skip


@pytest.fixture(autouse=True)
def one_step_at_a_time(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1e-9)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """The content of a folder that was left alone, by the name of the scenario."""
    folders = {}
    for name, settings in SMALL.items():
        folders[name] = tmp_path_factory.mktemp(name) / "run"
        pg.run(name, out=folders[name], **settings)
    return {name: content(folder) for name, folder in folders.items()}


def interrupted(out, calls, name="poisson-bimodal"):
    with pytest.raises(KeyboardInterrupt):
        pg.run(name, out=out, progress=Stop(calls), checkpoint_every=1e-9, **SMALL[name])


def test_these_are_all_of_them():
    assert sorted([*SMALL, *CLOSED]) == sorted(pg.scenarios.names("function-space"))


@pytest.mark.parametrize(
    ("name", "calls"),
    [(name, (2, 15)[place % 2]) for place, name in enumerate(SMALL)]
    + [slow(name, (15, 2)[place % 2]) for place, name in enumerate(SMALL)],
)
@pytest.mark.sample("regression-curve-2")
def test_every_scenario(tmp_path, straight, name, calls):
    interrupted(tmp_path / "run", calls, name)
    (step, *_) = [found.snapshot.step for found in checkpoint.read(tmp_path / "run")]
    assert step >= calls - 1
    assert pg.load(tmp_path / "run").status == "interrupted"
    assert content(tmp_path / "run") != straight[name]
    pg.resume(tmp_path / "run")
    assert manifest(tmp_path / "run")["resumed"][-1]["step"] == step
    assert content(tmp_path / "run") == straight[name]


@pytest.mark.thorough
def test_interrupted_many_times_on_any_number_of_threads(tmp_path, straight, threads_and_chunks):
    interrupted(tmp_path / "run", 9)
    again_and_again(tmp_path / "run", lambda times: Stop(1 + times % 9), threads_and_chunks)
    assert content(tmp_path / "run") == straight["poisson-bimodal"]


def test_a_fit_that_diverged_is_not_tried_again_and_leaves_no_checkpoint(tmp_path, monkeypatch):
    settings = {"methods": {"PLS": {"integrator": "euler-maruyama", "step_size": 1.0, "steps": 2000}}}
    with pytest.raises(pg.Diverged), pytest.warns(UserWarning, match="stability"):
        pg.run("regression-curve", out=tmp_path / "run", checkpoint_every=1e-9, **settings)
    assert not (tmp_path / "run" / "checkpoint").exists()
    monkeypatch.setattr("particlegvi.functionspace.ProjectedLangevinSampler.fit", lambda *_: pytest.fail("fitted"))
    assert pg.resume(tmp_path / "run").status == "diverged"


@pytest.mark.thorough
def test_a_checkpoint_that_was_changed_shows(tmp_path, straight):
    """Negative control: nothing hides that the numbers come from the checkpoint."""
    interrupted(tmp_path / "run", 9)
    for found in reversed(checkpoint.read(tmp_path / "run")):
        found.snapshot.state[:] += 1e-3
        checkpoint.write(tmp_path / "run", found)
    pg.resume(tmp_path / "run")
    assert content(tmp_path / "run") != straight["poisson-bimodal"]


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


@pytest.mark.parametrize("calls", [3, 20, 55])
def test_networks_interrupted_and_resumed(tmp_path, calls):
    pg.run(NETWORKS, out=tmp_path / "straight")
    with pytest.raises(KeyboardInterrupt):
        pg.run(NETWORKS, out=tmp_path / "run", progress=Stop(calls), checkpoint_every=1e-9)
    assert pg.load(tmp_path / "run").status == "interrupted"
    pg.resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "straight")
