"""Results at one record: what was there then, as a run that ends there has it."""

import warnings

import numpy as np
import pytest

import particlegvi as pg

from ..interrupting import Stop

LOSS, PRIOR = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0)
SMALL = {"particles": 60, "steps": 400, "step_size": 2e-3, "record_every": 100}


@pytest.fixture(scope="module")
def results():
    return pg.run("global-minimiser", seed=3, **SMALL)


@pytest.mark.thorough
def test_a_moment_is_a_run_that_ends_there(results):
    """It has the records, mean, distance and histogram of a run of so many steps."""
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


@pytest.mark.thorough
def test_the_end_is_the_whole_and_the_start_is_the_start(results):
    assert results.at(-1).summary == results.summary
    assert np.array_equal(results.at(4)["DE"].final, results["DE"].final)
    start = results.at(0)
    assert np.array_equal(start["DRLE"].final, results["DRLE"].initial) and len(start["DRLE"].positions) == 1
    assert start.summary["methods"]["DRLE"]["equilibrium"]["reached"] is not True
    assert "DRLE" in start.describe() and start.plot().axes
    assert np.shares_memory(start["DLE"].positions, results["DLE"].positions)  # nothing is copied or found again
    assert start.targets is results.targets and results["DLE"].positions.shape[0] == 5


def test_a_run_that_ended_before_stays_at_its_last_record(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught:
        pg.run("global-minimiser", progress=Stop(label="DLE", step=0), out=tmp_path / "run", **SMALL)
    partly = caught.value.results
    assert {label: len(run.positions) for label, run in partly.items()} == {"DE": 5, "DLE": 1}
    assert {label: len(run.positions) for label, run in partly.at(3).items()} == {"DE": 4, "DLE": 1}
    assert partly.at(1).folder is None and partly.folder == tmp_path / "run"


def test_the_gaussian_of_fdgvi_is_that_of_the_moment():
    """Its mean and sd are those of the run that ends there, up to the averaging of the last half."""
    run = pg.simulate(LOSS, "FDGVI", PRIOR, 50, 200, 5e-3, record_every=50)
    there = run.at(2)
    standard = (run.final - run.info["mean"]) / run.info["sd"]
    again = np.array(there.info["mean"]) + np.array(there.info["sd"]) * standard
    assert np.allclose(again, run.positions[2], rtol=0, atol=1e-12)
    assert run.at(-1).info == run.info
    assert there.info["mean"] != run.info["mean"]
    alone = pg.simulate(LOSS, "FDGVI", PRIOR, 1, 20, 5e-3, record_every=10).at(1)
    assert np.isnan(alone.info["sd"]).all()


def simulated(steps, **how):
    return pg.simulate(LOSS, pg.methods.DLE(1.0), PRIOR, 200, steps, 2e-3, seed=0, **how)


@pytest.mark.thorough
def test_it_is_the_one_of_a_comparison():
    run = simulated(4000)
    both = pg.compare(LOSS, [pg.methods.DLE(1.0)], PRIOR, 200, 4000, 2e-3, seed=0)
    verdict = both.summary["methods"]["DLE"]["equilibrium"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = run.describe()
    assert verdict["reached"] is True and verdict["verdict"].startswith("at equilibrium")
    assert text.splitlines()[1:] == both.describe().splitlines()[1:]  # but for the name
    assert "✓ at equilibrium" in run._repr_html_()


def test_a_bad_one_is_warned_about_once():
    run = simulated(40, initial=0.2 * PRIOR.sample(200) + 1.0)
    with pytest.warns(UserWarning, match="^DLE: .*not ") as told:
        text = run.describe()
    assert str(told[0].message) in " ".join(text.split())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run.describe() == text
    assert "✗ " in run._repr_html_()
