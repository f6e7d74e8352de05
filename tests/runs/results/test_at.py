"""Results at one record: what was there then, as a run that ends there has it."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg

SMALL = {"particles": 60, "steps": 400, "step_size": 2e-3, "record_every": 100}


@pytest.fixture(scope="module")
def results():
    return pg.run("global-minimiser", seed=3, **SMALL)


def test_a_moment_is_a_run_that_ends_there(results):
    """The same records, mean, distance and histogram as a run of so many steps."""
    there, short = results.at(2), pg.run("global-minimiser", seed=3, **{**SMALL, "steps": 200})
    assert list(there) == list(results) and type(there) is type(results)
    for label, run in there.items():
        assert np.array_equal(run.positions, short[label].positions)
        assert np.array_equal(run.final, results[label].positions[2])
        assert run.times.tolist() == [0.0, 0.2, 0.4]
    now, then = there.summary["methods"]["DLE"], short.summary["methods"]["DLE"]
    for key in ("mean", "sd", "w1", "w1_floor"):
        assert now[key] == then[key]
    assert now["w1"] != results.summary["methods"]["DLE"]["w1"]


def test_the_end_is_the_whole_and_the_start_is_the_start(results):
    assert results.at(-1).summary == results.summary
    assert results.at(4)["DE"].final is not None and np.array_equal(results.at(4)["DE"].final, results["DE"].final)
    start = results.at(0)
    assert np.array_equal(start["DRLE"].final, results["DRLE"].initial) and len(start["DRLE"].positions) == 1
    assert start.summary["methods"]["DRLE"]["equilibrium"]["reached"] is not True
    assert "DRLE" in start.describe() and start.plot().axes


def test_nothing_is_copied_or_computed_again(results):
    there = results.at(1)
    assert np.shares_memory(there["DLE"].positions, results["DLE"].positions)
    assert there.targets is results.targets
    assert results["DLE"].positions.shape[0] == 5


def test_a_moment_has_no_folder(tmp_path):
    saved = pg.run("global-minimiser", out=tmp_path / "run", **SMALL)
    assert saved.at(1).folder is None and saved.folder == tmp_path / "run"


@pytest.mark.parametrize("record", [5, -6, 1.5, "0", None, True])
def test_a_record_that_is_not_there(results, record):
    with pytest.raises(ValueError, match="record must be a whole number from -5 to 4, not "):
        results.at(record)
    with pytest.raises(ValueError, match="record must be a whole number from -5 to 4, not "):
        results["DE"].at(record)


def test_a_run_that_ended_before_stays_at_its_last_record():
    def stop(label, done, steps):
        if label == "DLE":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        pg.run("global-minimiser", progress=stop, **SMALL)
    partly = caught.value.results
    assert {label: len(run.positions) for label, run in partly.items()} == {"DE": 5, "DLE": 1}
    assert {label: len(run.positions) for label, run in partly.at(3).items()} == {"DE": 4, "DLE": 1}


def test_the_gaussian_of_fdgvi_is_that_of_the_moment():
    """Its mean and sd are those of the run that ends there, up to the averaging of the last half."""
    loss, prior = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0)
    run = pg.simulate(loss, pg.methods.FDGVI(), prior, 50, 200, 5e-3, record_every=50)
    there = run.at(2)
    standard = (run.final - run.info["mean"]) / run.info["sd"]
    again = np.array(there.info["mean"]) + np.array(there.info["sd"]) * standard
    assert np.allclose(again, run.positions[2], rtol=0, atol=1e-12)
    assert run.at(-1).info == run.info
    assert there.info["mean"] != run.info["mean"]
    alone = pg.simulate(loss, pg.methods.FDGVI(), prior, 1, 20, 5e-3, record_every=10).at(1)
    assert np.isnan(alone.info["sd"]).all()


def test_functions_have_one_record():
    results = pg.run("regression-curve", particles=10, steps=20)
    there = results.at(0)
    assert np.array_equal(there["PLS"].sample([0.5]), results["PLS"].sample([0.5]))
    with pytest.raises(ValueError, match="record must be a whole number from -1 to 0, not 1"):
        results.at(1)


def test_a_comparison_says_what_it_is():
    loss, prior = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0)
    found = pg.compare(loss, ["DE", "DLE"], prior, 20, 4, seed=7, kl_weight=1)
    assert repr(found) == "Comparison(double-well, seed 7, finished: DE, DLE)"
    assert isinstance(found.at(0), type(found)) and found.summary["scenario"] == "comparison"
