"""Scenarios, `simulate` and `compare` with the steps of `pg.sample`: one chooser, the same numbers, one folder."""

import tomllib

import numpy as np
import pytest

import particlegvi as pg

from ....refusals import refuse, refused
from ....runs.interrupting import content

TEXT = """
loss = "(x + y)^2/2 + 20*(y - x)^2"
preconditioner = "ensemble"
steps = "auto"
step_size = "auto"
particles = 40
prior = {name = "normal", mean = [0.0, 0.0], sd = 5.0}
"""
SCENARIO = tomllib.loads(TEXT)


@pytest.fixture(scope="module")
def sample():
    loss = pg.Loss.from_formula("(x + y)^2/2 + 20*(y - x)^2", ["x", "y"])
    return pg.sample(loss, pg.priors.Normal([0.0, 0.0], 5.0), 40, seed=2, progress=None)


@pytest.mark.slow
def test_every_door_has_the_numbers_of_sample(sample, tmp_path):
    run = pg.run(SCENARIO, seed=2, out=tmp_path / "one", progress=None)
    assert np.array_equal(run["DLE"].final, sample.final) and run["DLE"].step_size == sample.step_size
    assert run["DLE"].info["arrived"] and "DLE: arrived (" in run.describe()
    loaded = pg.load(tmp_path / "one")["DLE"]
    assert type(loaded) is pg.Sample and np.array_equal(loaded.positions, sample.positions)
    more = {"particles": 40, "steps": "auto", "step_size": "auto", "preconditioner": "ensemble", "seed": 2}
    one = pg.simulate(sample.loss, "DLE", sample.prior, **more, progress=None)
    two = pg.compare(sample.loss, ["DLE"], sample.prior, **more, out=tmp_path / "two", progress=None)
    assert np.array_equal(one.final, sample.final) and np.array_equal(two["DLE"].final, sample.final)
    assert np.array_equal(pg.load(tmp_path / "two")["DLE"].final, sample.final)


@pytest.mark.slow
def test_scale_start_and_step_size_may_be_given(sample, tmp_path, rng):
    start, matrix = rng.standard_normal((40, 2)), [[2.0, 1.0], [1.0, 2.0]]
    settings = {"initial": start, "preconditioner": matrix, "step_size": 0.2, "seed": 3, "progress": None}
    one = pg.sample(sample.loss, sample.prior, 40, **settings)
    two = pg.simulate(sample.loss, "DLE", sample.prior, steps="auto", **settings, out=tmp_path / "two")
    three = pg.run(SCENARIO, initial={"points": start.tolist()}, preconditioner=matrix, step_size=0.2, seed=3,
                   progress=None)["DLE"]  # fmt: skip
    for run in (two, pg.load(tmp_path / "two")["DLE"], three):
        assert np.array_equal(run.final, one.final) and run.step_size == pytest.approx(0.2)
    default = {"steps": 3, "step_size": 1e-3, "preconditioner": "ensemble", "progress": None}  # that of other runs
    assert pg.simulate(sample.loss, "DLE", sample.prior, 40, **default).step_size == pytest.approx(1e-3)


@pytest.mark.thorough
def test_without_a_preconditioner_auto_is_the_choice_of_a_loss_alone():
    complete = {"loss": "x^2/2", "particles": 5}
    words = {**complete, "steps": "auto", "step_size": "auto"}
    assert pg.scenarios.load(words)["steps"] == pg.scenarios.load(complete)["steps"] == 10_000
    assert pg.scenarios.load(words)["step_size"] == pg.scenarios.load(complete)["step_size"]
    loss = pg.losses.get("quadratic", curvature=[2.0, 80.0])
    run = pg.simulate(loss, "DLE", initial=np.zeros((1, 2)), steps=3, step_size="auto", progress=None)
    # the largest curvature is 80: a twentieth of the limit 2 / 80, rounded
    assert run.step_size == pytest.approx(2.0 / 80.0 / 20.0, rel=0.25)


def test_auto_is_the_same_for_a_loss_in_numpy_and_for_a_start_in_a_list():
    compiled = pg.losses.get("tilted-double-well")
    plain = pg.Loss.from_numpy(compiled.value, compiled.gradient, 1)
    settings = {"steps": 2, "step_size": "auto", "progress": None}
    sizes = [
        pg.simulate(loss, "DLE", pg.priors.Normal(), initial=start, **settings).step_size
        for loss, start in ((compiled, np.array([[0.5], [2.0]])), (plain, [[0.5], [2.0]]), (plain, [0.5, 2.0]))
    ]
    assert sizes[0] == sizes[1] == sizes[2] != 1e-3


@pytest.mark.parametrize(("steps", "reached", "words"), [("auto", True, "arrived"), (8, False, "not arrived")])
def test_without_a_truth_the_tests_of_the_steps_are_the_verdict(steps, reached, words):
    runs = pg.run(SCENARIO, seed=0, loss="(x + y)^2/2 + 20*(y - x)^2 + z^2", prior={"name": "flat"}, steps=steps,
                  progress=None)  # fmt: skip
    verdict = runs.summary["methods"]["DLE"]["equilibrium"]
    assert verdict["reached"] is reached is runs["DLE"].arrived
    assert verdict["verdict"].startswith(f"{words} (") and runs.describe().count("gradients") == 1


@pytest.mark.slow
def test_an_interrupted_run_is_resumed_to_the_same_bytes(tmp_path, rng):
    pg.run(SCENARIO, seed=1, out=tmp_path / "whole", progress=None)
    for number, stop in enumerate(rng.integers(1, 16, 2)):

        def stopping(label, done, steps, stop=stop):
            if done >= stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pg.run(SCENARIO, seed=1, out=tmp_path / str(number), progress=stopping)
        pg.resume(tmp_path / str(number), progress=None)
        assert content(tmp_path / str(number)) == content(tmp_path / "whole")


@pytest.mark.slow
def test_a_sweep_and_records(tmp_path):
    swept = pg.sweep(SCENARIO, {"particles": [20, 40]}, seeds=1, out=tmp_path / "swept", progress=None)
    assert "2 of 2 runs at equilibrium" in swept.describe()
    run = pg.run(SCENARIO, seed=2, record_every=5, progress=None)["DLE"]
    assert run.steps[:2].tolist() == [0, 5] and len(run.positions) == len(run.steps)


test_settings_that_have_no_place_are_refused = refused(
    lambda setting: pg.run(SCENARIO, progress=None, **setting),
    ({"preconditioner": "all"}, 'preconditioner must be ensemble, .* a matrix, or left out, not "all"'),
    ({"preconditioner": [[1.0]]}, r"preconditioner must be .*, here of the shape \(2, 2\)"),
    ({"methods": {"DRLE": {}}}, "methods.DRLE: method must be DLE, .* not DRLE"),
    ({"methods": {"DLE": {"jumps": True}}}, "jumps must be left out"),
    ({"methods": {"DLE": {"integrator": "baoab"}}}, 'methods.DLE.integrator must be "mala" .*, not baoab'),
    ({"step_size": {"schedule": "linear", "initial": 1.0, "final": 0.1, "over": 9}}, 'must be "auto" or a number'),
    ({"particles": 3}, "particles must be 4 or more where there is a preconditioner, not 3"),
    ({"steps": "many"}, "steps must be"),
)


def test_repulsion_is_refused_by_compare(sample):
    refuse(lambda: pg.compare(sample.loss, ["DRLE"], preconditioner="ensemble", progress=None), "not DRLE")
