"""Running scenarios: the same start and noise for all methods, bit-for-bit results from disk, honest folders."""

import json

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import scenario, targets
from particlegvi.scenario import catalogue
from particlegvi.scenario.kinds.particles import simulating

from ..refusals import refuse

pytestmark = pytest.mark.usefixtures("remembered_truth")

SHORT = {"particles": 8, "steps": 20}


QUICK = ("global-minimiser", "lifting", "more-modes", "multimodal")  # test_resume.py runs all of them, in fewer steps


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in catalogue.names("particles")],
)
@pytest.mark.sample("global-minimiser", "lifting")
@pytest.mark.often()
def test_every_scenario_runs_and_comes_back_bit_for_bit(name, tmp_path):
    own = {"record_every": 2} if "record_every" in scenario.load(name) else {}
    results = pg.run(name, seed=3, out=tmp_path / "run", **SHORT, **own)
    assert list(results) == list(results.scenario["methods"])
    loaded = pg.load(tmp_path / "run")
    assert list(loaded) == list(results)
    assert loaded.scenario == results.scenario
    assert loaded.summary == results.summary == json.loads((tmp_path / "run" / "summary.json").read_text())
    assert loaded.status == "finished"
    for label, run in results.items():
        other = loaded[label]
        assert run.positions.tobytes() == other.positions.tobytes()
        assert run.steps.tolist() == other.steps.tolist()
        assert run.times.tolist() == other.times.tolist()
        assert (run.label, run.seed, run.step_size) == (other.label, other.seed, other.step_size)
        assert run.method == other.method or label in ("DRLE", "DRE")
        assert run.average_loss().tolist() == other.average_loss().tolist()
        assert {**run.info, "seconds": 0} == {**other.info, "seconds": 0}
        assert run.final.shape == (8, run.loss.dim)
    assert loaded.describe() == results.describe()


def test_methods_share_the_start_and_the_noise():
    weights = {"methods.DRLE.mmd_weight": 0.0, "methods.none": {"method": "DRLE", "kl_weight": 0.0, "mmd_weight": 0.0}}
    results = pg.run("global-minimiser", seed=5, **SHORT, **weights)
    assert len({run.initial.tobytes() for run in results.values()}) == 1
    # Without repulsion DRLE is DLE, and without noise it is DE: bit for bit, since the noise is the same.
    bits = {label: run.positions.tobytes() for label, run in results.items()}
    assert bits["DRLE"] == bits["DLE"] != bits["DE"] == bits["none"]


def test_without_out_nothing_is_written_and_results_are_a_mapping(tmp_path, elsewhere):
    results = pg.run("lifting", **SHORT)
    assert results.folder is None and not list(tmp_path.iterdir())
    assert len(results) == 1 and "DLE" in results and results.get("DE") is None
    assert "lifting" in repr(results) and "DLE" in repr(results)
    assert list(results.targets) == ["DLE"] and results.targets["DLE"] is results.targets["DLE"]
    with pytest.raises(KeyError):
        results.targets["DE"]
    assert results.save(tmp_path / "later") == tmp_path / "later"
    assert pg.load("later")["DLE"].positions.tobytes() == results["DLE"].positions.tobytes()
    assert pg.load("later").summary == results.summary


def test_what_a_summary_says():
    results = pg.run("global-minimiser", seed=1, particles=50, steps=100, step_size=0.01)
    summary = results.summary
    assert (summary["scenario"], summary["seed"]) == ("global-minimiser", 1)
    assert {"particlegvi", "numpy", "numba", "python"} <= set(summary["versions"])
    for label, run in results.items():
        facts = summary["methods"][label]
        assert facts["particles"] == 50
        assert facts["mean"] == pytest.approx(run.final.mean()) and facts["sd"] == pytest.approx(run.final.std())
        assert facts["w1"] >= 0.0 <= facts["w1_floor"][0] < facts["w1_floor"][1]
        assert facts["average_loss"]["last"] == pytest.approx(run.loss.value(run.final).mean())
    assert sum(basin["count"] for basin in summary["methods"]["DE"]["basins"]) == 50
    # Quadrature's means of section 7 of the sources' check, far outside one another's error.
    assert summary["methods"]["DLE"]["target"]["mean"] == pytest.approx(-1.24042, abs=2e-5)
    assert summary["methods"]["DRLE"]["target"]["mean"] == pytest.approx(-1.00858, abs=2e-5)
    json.dumps(summary, allow_nan=False)
    alone = dict.fromkeys(("methods.DLE", "methods.DRLE", "methods.FDGVI"), False)
    plane = pg.run("multimodal", particles=40, steps=40, **alone)
    quadrants = (plane["DE"].final > 0).astype(int) @ [2, 1]
    counts = plane.summary["methods"]["DE"]["mode_occupancy"]
    assert counts == np.bincount(quadrants, minlength=4).tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        # These show only when the start is drawn: the loss is infinite there, or the box does not hold it.
        ({"initial": {"points": [[float("inf")]]}}, "must be finite"),
        ({"loss": {"formula": "1/(t-t)", "variables": ["t"]}}, "loss"),
        (
            {"prior": {"name": "uniform", "low": 0, "high": 1}, "initial": {"name": "normal", "mean": 9, "sd": 1}},
            "initial",
        ),
        ({"figures": [{"kind": "functions"}]}, "figure"),
        ({"figures": [{"kind": "particles"}]}, "draws particles of 2 dimension"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_a_bad_value_writes_nothing(arguments, words, tmp_path, monkeypatch):
    """Before anything is simulated; `test_bad_command_lines` has more of them."""
    monkeypatch.setattr(simulating, "run_problem", lambda *_, **__: pytest.fail("simulated"))
    refuse(lambda: pg.run("lifting", out=tmp_path / "deep" / "run", **{**SHORT, **arguments}), words)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not (tmp_path / "deep" / "run").exists()


@pytest.mark.filterwarnings("ignore:step_size:UserWarning")
def test_a_run_that_diverges_keeps_what_it_recorded(tmp_path):
    with pytest.raises(pg.Diverged, match="non-finite") as caught:
        pg.run("global-minimiser", out=tmp_path / "run", particles=8, steps=50, step_size=1.5, record_every=1)
    kept = pg.load(tmp_path / "run")
    assert kept.status == "diverged"
    assert list(kept) == ["DE"]
    assert np.isfinite(kept["DE"].positions).all()
    assert kept["DE"].steps[-1] == caught.value.step - 1
    assert caught.value.results["DE"].positions.tobytes() == kept["DE"].positions.tobytes()


def test_a_summary_that_cannot_be_made_costs_no_results(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(targets, "target", fail)
        with pytest.raises(KeyboardInterrupt):
            pg.run("lifting", out=tmp_path / "run", **SHORT)
    loaded = pg.load(tmp_path / "run")
    assert loaded.status == "interrupted"
    assert loaded.summary["methods"]["DLE"]["w1"] > 0.0
