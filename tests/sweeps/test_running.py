"""A sweep computes each cell once, and goes on where it was; what diverges is a result."""

import csv
import shutil
import warnings

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.runs.storage.manifest import Lock
from particlegvi.scenario import load as load_scenario
from particlegvi.sweeps.cell import measured

from ..refusals import refuse
from ..runs.interrupting import Stop, everything, manifest
from .conftest import OVER, outputs


@pytest.mark.thorough
def test_the_numbers_are_those_of_single_runs(small, swept):
    for kl_weight, particles, seed in [(0.5, 4, 0), (2.0, 8, 2)]:
        overrides = {"methods.DLE.kl_weight": kl_weight, "particles": particles}
        [row] = pg.run(small, seed=seed, **overrides).table()
        place = OVER["methods.DLE.kl_weight"].index(kl_weight), OVER["particles"].index(particles), seed
        for name in ("mean", "sd", "w1", "average_loss"):
            assert swept.values(name, "DLE")[place] == row[name]
        assert swept.values("w1_floor.1", "DLE")[place] == row["w1_floor"][1]


@pytest.mark.thorough
def test_the_table_has_a_line_for_each_cell_and_method(small, tmp_path):
    methods = {"DE": {}, "DLE": {"kl_weight": 0.5}}
    pg.sweep({**small, "methods": methods}, over={"particles": [4, 6]}, seeds="3:5", out=tmp_path / "s")
    with open(tmp_path / "s" / "table.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["particles"], line["seed"], line["method"]) for line in lines] == [
        (particles, seed, method) for particles in ("4", "6") for seed in ("3", "4") for method in ("DE", "DLE")
    ]
    assert {line["status"] for line in lines} == {"finished"}
    run = pg.run({**small, "methods": methods}, seed=4, particles=6)
    assert float(lines[-1]["w1"]) == run.summary["methods"]["DLE"]["w1"]  # to the last digit
    assert "seconds" not in lines[0]


@pytest.mark.slow
def test_a_sweep_is_gone_on_with_and_shares_cells_with_another_grid(small, straight, tmp_path):
    sweep = lambda over=OVER, seeds=3: pg.sweep(small, over=over, seeds=seeds, out=tmp_path / "s").computed
    assert sweep() == 18 == len(list((tmp_path / "s" / "cells").iterdir()))
    before = {place: place.stat().st_mtime_ns for place in (tmp_path / "s").rglob("*") if place.is_file()}
    assert sweep() == 0
    assert {place: place.stat().st_mtime_ns for place in before} == before  # nothing was written
    assert sweep({"particles": [8, 2]}, 2) == 2  # kl_weight 1.0 is the scenario's own
    assert not (tmp_path / "s" / "heat-map.png").exists() and (tmp_path / "s" / "lines.png").exists()
    assert sweep() == 0
    assert outputs(tmp_path / "s") == straight


@pytest.mark.thorough
def test_an_interrupted_sweep_resumes_to_the_same_bytes(small, straight, tmp_path):
    with pytest.raises(KeyboardInterrupt) as stop:
        pg.sweep(small, over=OVER, seeds=3, out=tmp_path / "s", progress=Stop(label="cells", step=7))
    assert stop.value.results.folder == tmp_path / "s"
    assert not (tmp_path / "s" / "table.csv").exists() and not (tmp_path / "s" / "lock").exists()
    there = len(list((tmp_path / "s" / "cells").iterdir()))
    assert 7 <= there < 18
    assert np.isfinite(pg.load(tmp_path / "s").values("w1", "DLE")).sum() == there
    assert pg.resume(tmp_path / "s").computed == 18 - there
    assert outputs(tmp_path / "s") == straight
    assert manifest(tmp_path / "s")["status"] == "finished"
    assert pg.resume(tmp_path / "s").computed == 0


@pytest.mark.parametrize("name", ["table.csv", "table.md", "sweep.json", "heat-map.png"])
@pytest.mark.thorough
def test_tables_and_pictures_that_are_cut_or_gone_are_made_again(name, straight_folder, tmp_path):
    sweep = shutil.copytree(straight_folder, tmp_path / "s")
    whole, times = outputs(sweep), {place: place.stat().st_mtime_ns for place in sweep.iterdir()}
    assert not pg.resume(sweep).written  # the control: nothing is missing, and nothing is written
    assert {place: place.stat().st_mtime_ns for place in sweep.iterdir()} == times
    for damage in (lambda place: place.write_bytes(place.read_bytes()[:10]), lambda place: place.unlink()):
        damage(sweep / name)
        assert pg.resume(sweep).computed == 0 and outputs(sweep) == whole


def test_a_folder_that_another_client_or_something_else_has_is_left_alone(small, tmp_path):
    pg.sweep(small, over={"particles": [4]}, seeds=1, out=tmp_path / "s")
    lock = Lock(tmp_path / "s")
    try:
        refuse(lambda: pg.sweep(small, over=OVER, seeds=1, out=tmp_path / "s"), "is being written by another process")
    finally:
        lock.release()
    assert len(list((tmp_path / "s" / "cells").iterdir())) == 1
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "table.csv").write_text("mine")
    pg.run(small, out=tmp_path / "run")
    for name in ("mine", "run"):
        call = lambda name=name: pg.sweep(small, over=OVER, seeds=1, out=tmp_path / name)
        refuse(call, "exists and is not the folder of a sweep; choose another")
    assert [place.name for place in (tmp_path / "mine").iterdir()] == ["table.csv"]


@pytest.mark.thorough
def test_a_sweep_of_another_scenario_is_refused_and_replaces_nothing(small, tmp_path):
    pg.sweep(small, over={"particles": [4]}, seeds=1, out=tmp_path / "s")
    before = everything(tmp_path / "s")
    again = lambda change: pg.sweep({**small, **change}, over={"particles": [4]}, seeds=1, out=tmp_path / "s")
    for change, words in (
        ({"steps": 21}, "steps is 20, not 21"),
        ({"loss": "double-well"}, "loss.name is 'tilted-double-well', not 'double-well'"),
        ({"methods": {"DE": {}}}, "methods.DE is None"),
    ):
        refused = f"is a sweep of another scenario: {words}.*; choose another folder"
        refuse(lambda change=change: again(change), refused)
    assert everything(tmp_path / "s") == before
    assert again({"name": "renamed", "title": "Words alone"}).computed == 0  # the same numbers


@pytest.mark.thorough
def test_what_diverged_is_a_result(small, tmp_path):
    both = {**small, "methods": {"DE": {}, "DLE": {"kl_weight": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # single runs warn of their step size, a sweep counts what came of it
        found = pg.sweep(both, over={"step_size": [0.01, 1e6]}, seeds=2, out=tmp_path / "s")
    statuses = found.table.of["status"]
    assert statuses[:4] == ["finished"] * 4
    assert all(str(status).startswith("diverged at step ") for status in statuses[4:])
    assert np.isfinite(found.values("w1", "DLE")).tolist() == [[True, True], [False, False]]
    assert found.stopped("DE").tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert (
        (tmp_path / "s" / "table.md")
        .read_text()
        .splitlines()[0]
        .endswith("= 4 cells with 8 runs, 4 diverged, 0 of 8 runs at equilibrium")
    )
    assert (tmp_path / "s" / "lines.png").exists()
    assert pg.resume(tmp_path / "s").computed == 0


def test_a_number_that_does_not_exist_is_refused_and_leaves_nothing(small, tmp_path):
    def measured(over):
        wrong = lambda: pg.sweep(small, over=over, seeds=1, out=tmp_path / "s", measure="w2")
        refuse(wrong, 'there is no number of the summary "w2"; did you mean "w1"')

    measured(OVER)
    assert not (tmp_path / "s").exists()
    pg.sweep(small, over={"particles": [4]}, seeds=1, out=tmp_path / "s", workers=1)
    before = everything(tmp_path / "s")
    measured({"particles": [4]})  # nothing to compute
    measured({"particles": [4, 6]})  # and something
    assert everything(tmp_path / "s") == before


@pytest.mark.parametrize("over", [{"record_every": [0, 1]}, {"particles": [8, 10**5], "record_every": [0, 1]}])
def test_each_setting_is_checked_for_the_disk_before_anything_is_written(small, tmp_path, over):
    size = {"steps": 10**8, "particles": 10**5}
    refuse(
        lambda: pg.sweep(small, over=over, seeds=1, out=tmp_path / "s", **size), r"at .*record_every = 1: .* of disk"
    )
    assert not (tmp_path / "s").exists()


@pytest.mark.thorough
def test_any_number_of_the_summary_can_be_measured(small):
    """By the table of the scenario, which is the default, and by the arguments, which come first."""
    table = {"seeds": 2, "over": {"particles": [4, 6]}, "measure": ["average_loss.first", "w1"]}
    found = pg.sweep({**small, "sweep": table})
    assert found.shape == (2, 2) and found.measures == table["measure"]
    summary = pg.run(small, seed=1, particles=6).summary
    assert found.values("average_loss.first", "DLE")[1, 1] == summary["methods"]["DLE"]["average_loss"]["first"]
    assert "## average_loss.first, DLE" in found.describe()
    other = pg.sweep({**small, "sweep": table}, over={"steps": (5, 10, 15)}, seeds="5:6", measure="sd")
    assert other.shape == (3, 1) and other.seeds == [5] and other.measures == ["sd"]
    assert pg.run({**small, "sweep": table})["DLE"].final.shape == (8, 1)  # a run does not heed it


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["global-minimiser", pytest.param("four-particles", marks=pytest.mark.slow)])
def test_what_a_setting_has_computed_changes_nothing_for_the_next_seed(name):
    """The target is found once for all seeds of a setting; results are those of a fresh process."""
    chosen = load_scenario(name, {"steps": 30, "particles": 4})
    first, runs = measured(chosen, 5)
    _, runs = measured(chosen, 6, runs)
    assert measured(chosen, 5, runs)[0] == first
