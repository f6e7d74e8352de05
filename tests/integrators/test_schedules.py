"""Schedules: their formulas at the ends, coefficients block by block, tables and errors, and scenarios keep them."""

import json

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import scenario
from particlegvi.integrators import schedules
from particlegvi.integrators.schemes import BLOCK, CoefficientSource

from ..refusals import refused

EVERY = {
    "constant": {"initial": 0.2},
    "polynomial": {"initial": 0.2, "delay": 10.0, "power": 0.5},
    "linear": {"initial": 0.2, "final": 0.05, "over": 40.0},
    "cosine": {"initial": 0.2, "final": 0.05, "over": 40.0},
    "geometric": {"initial": 0.2, "final": 0.05, "over": 40.0},
}


def test_every_schedule_is_here():
    assert set(EVERY) == set(schedules.names())


@pytest.mark.parametrize("name", EVERY)
def test_it_starts_at_initial_and_falls_to_final(name):
    schedule = schedules.get(name, **EVERY[name])
    sizes = schedule.at(np.arange(100))
    assert sizes[0] == 0.2 and np.all(np.diff(sizes) <= 0.0) and np.all(sizes > 0.0)
    if "final" in EVERY[name]:
        np.testing.assert_allclose(sizes[40:], 0.05, rtol=1e-14)
    assert np.array_equal(np.concatenate([schedule.at(np.arange(k, k + 1)) for k in range(100)]), sizes)


def test_formulas_half_way():
    half = {name: float(schedules.get(name, **EVERY[name]).at(np.array([20]))[0]) for name in EVERY}
    assert half["linear"] == pytest.approx(0.125, rel=1e-14)
    assert half["cosine"] == pytest.approx(0.125, rel=1e-14)
    assert half["geometric"] == pytest.approx(0.1, rel=1e-14)
    assert half["polynomial"] == pytest.approx(0.2 / 3.0**0.5, rel=1e-14)
    quarter = schedules.get("cosine", **EVERY["cosine"]).at(np.array([10]))[0]
    assert quarter == pytest.approx(0.05 + 0.15 * (1.0 + np.cos(np.pi / 4.0)) / 2.0, rel=1e-14)


def test_times_are_sums_of_the_sizes_before(monkeypatch):
    schedule = schedules.Linear(0.2, 0.05, 40.0)
    steps = np.array([0, 1, 7, 40, 90])
    expected = [float(np.sum(schedule.at(np.arange(step)))) for step in steps]
    np.testing.assert_allclose(schedules.times(schedule, steps), expected, rtol=1e-14)
    monkeypatch.setattr(schedules, "BLOCK", 4)
    np.testing.assert_allclose(schedules.times(schedule, steps), expected, rtol=1e-14)
    assert schedules.times(0.1, steps).tolist() == (steps * 0.1).tolist()


def simulated(step_size, steps=9):
    return pg.simulate(
        pg.losses.get("tilted-double-well"), pg.methods.DE(), initial=[1.0], steps=steps, step_size=step_size
    )


COSINE = {"schedule": "cosine", "initial": 0.1, "final": 0.01}
LINEAR = {"schedule": "linear", "initial": 0.1, "over": 5.0}
test_a_bad_table_gets_one_sentence = refused(
    simulated,
    ({"initial": 0.1}, "step_size must have the key schedule if it is a table, one of constant, cosine"),
    ({"schedule": "cosin", "initial": 0.1}, 'did you mean "cosine"'),
    (COSINE, "over of the schedule cosine must be given, not left out"),
    ({**COSINE, "ovr": 3.0}, 'no parameter of the schedule cosine "ovr"'),
    ({**LINEAR, "final": -0.01}, "final of the step size must .*, not -0.01"),
)


def test_a_tiny_size_is_above_0():
    with pytest.warns(UserWarning, match="the largest step_size 1 is beyond the stability limit"):
        simulated({"schedule": "geometric", "initial": 1.0, "final": 1e-320, "over": 5.0})


def test_gaussian_fits_follow_a_schedule():
    """FD-GVI's steps on a quadratic, mu <- mu - h_k a mu in expectation: with equal draws h_k is all that differs."""
    loss = pg.losses.get("quadratic", curvature=[1.0], centre=[0.0])
    schedule = schedules.Linear(0.1, 0.05, 2.0)
    flow = lambda steps, size: pg.simulate(
        loss, pg.methods.FDGVI(0.5), initial=[[1.0]], steps=steps, step_size=size, record_every=1
    )
    scheduled, first = flow(3, schedule), flow(3, 0.1)
    assert scheduled.positions[1].tobytes() == first.positions[1].tobytes()
    assert not np.array_equal(scheduled.positions[2], first.positions[2])
    np.testing.assert_allclose(scheduled.times, [0.0, 0.1, 0.175, 0.225])


@pytest.mark.parametrize("name", EVERY)
def test_a_scenario_keeps_the_schedule_through_its_file_and_folder(name, tmp_path):
    table = {"schedule": name, **EVERY[name]}
    table |= {key: 0.01 * value for key, value in table.items() if key in ("initial", "final")}
    chosen = {"particles": 5, "steps": 60, "step_size": table}
    settings = scenario.load("global-minimiser", chosen)
    path = tmp_path / "again.toml"
    path.write_text(scenario.text(settings), encoding="utf-8")
    assert scenario.load(path) == settings and settings["step_size"] == table
    results = pg.run(path, out=tmp_path / "run", **{"methods.DRLE": None})
    loaded = pg.load(tmp_path / "run")
    for label, run in results.items():
        assert np.array_equal(run.positions, loaded[label].positions)
        assert np.array_equal(run.times, loaded[label].times) and run.step_size == loaded[label].step_size
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    kept = summary["methods"]["DLE"]["step_size"]
    assert kept == (0.002 if name == "constant" else table)
    assert "60 steps of 0.002" in results.describe()


STIFFNESS = np.array([0.0, 3.0])


@pytest.mark.parametrize("name", pg.integrators.names())
@pytest.mark.sample("euler-maruyama", "exponential-euler", "baoab")
def test_every_step_has_the_coefficients_of_its_size(name):
    integrator, schedule = pg.integrators.get(name), pg.schedules.Geometric(0.1, 0.01, 2000.0)
    coefficients_at = CoefficientSource(integrator, schedule, 0.7, STIFFNESS)
    step, end, rows = BLOCK - 3, 2 * BLOCK + 2, 0
    while step < end:
        (gain, now, following), count = coefficients_at(step, end - step)
        assert gain.shape == now.shape == following.shape == (count, 2) and gain.flags.c_contiguous
        for row in range(count):
            size, later = schedule.at(np.array([step + row, step + row + 1]))
            alone, after = (integrator(float(h), 0.7, STIFFNESS) for h in (size, later))
            np.testing.assert_allclose(gain[row], alone.gain, rtol=1e-15)
            np.testing.assert_allclose(now[row], alone.noise_now, rtol=1e-15)
            np.testing.assert_allclose(following[row], after.noise_next, rtol=1e-15)
        step, rows = step + count, rows + count
    assert rows == BLOCK + 5  # over the ends of two blocks


def test_a_number_is_one_row_for_all_steps():
    coefficients_at = CoefficientSource(pg.integrators.get("leimkuhler-matthews"), 0.1, 0.7, STIFFNESS)
    stepping, count = coefficients_at(10**12, 5)
    assert count == 5 and stepping.gain.shape == (1, 2)
    assert coefficients_at(0, 10**12)[1] == 10**12
