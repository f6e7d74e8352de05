"""Runs of objects in folders: losses in Python, interrupted, resumed with the same function, loaded without it."""

import warnings

import numpy as np
import pytest

import particlegvi as pg

from ..refusals import refuse
from .interrupting import ALWAYS, Stop, content

pytestmark = pytest.mark.thorough

DATA = np.random.default_rng(3).normal(size=(20, 3))
START = np.random.default_rng(4).normal(size=(12, 3))
KERNEL = pg.kernels.SquaredExponential(lengthscale=0.8)
METHODS = {"cold": pg.methods.DLE(kl_weight=0.5), "apart": pg.methods.DRLE(0.5, 0.3, kernel=KERNEL)}


def loss_of(data=DATA, scale=1.0):
    def value(points):
        return scale * 0.5 * ((points[:, None] - data) ** 2).sum(axis=(1, 2))

    def gradient(points):
        return scale * (points[:, None] - data).sum(axis=1)

    return pg.Loss.from_numpy(value, gradient, dim=data.shape[1], name="points")


PRIOR = pg.priors.Normal([0.0, 0.0, 0.0], 2.0)
HOW = {"prior": PRIOR, "initial": START, "steps": 60, "step_size": 0.01, "record_every": 7}


def compared(out=None, **more):
    return pg.compare(loss_of(), METHODS, out=out, **{**HOW, **more})


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("objects") / "run"
    return content(compared(out).folder), out


@pytest.mark.sample("3")
@pytest.mark.parametrize("calls", [1, 3, 8, 13])
def test_interrupted_and_resumed_with_the_same_function_it_has_the_same_bytes(tmp_path, straight, calls):
    with pytest.raises(KeyboardInterrupt):
        compared(tmp_path / "run", progress=Stop(calls), **ALWAYS)
    assert content(tmp_path / "run") != straight[0]
    assert pg.resume(tmp_path / "run", loss=loss_of(DATA.copy())).status == "finished"
    assert content(tmp_path / "run") == straight[0]


def test_the_folder_has_what_compare_and_simulate_return(tmp_path, straight):
    results, loaded = compared(), pg.load(straight[1], loss=loss_of())
    alone = pg.simulate(loss_of(), METHODS["apart"], out=tmp_path / "alone", **HOW)
    saved = pg.load(results.save(tmp_path / "saved"))  # a comparison without a folder gets one afterwards
    for label, run in results.items():
        assert run.positions.tobytes() == loaded[label].positions.tobytes() == saved[label].positions.tobytes()
    assert alone.positions.tobytes() == results["apart"].positions.tobytes()
    assert loaded.describe() == pg.load(straight[1]).describe()
    kept = pg.load(tmp_path / "alone")["DRLE"]
    assert kept.method.kernel == KERNEL and kept.initial.tobytes() == START.tobytes()


def test_another_loss_or_none_does_not_go_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        compared(tmp_path / "run", progress=Stop(3), **ALWAYS)
    folder = tmp_path / "run"
    refuse(lambda: pg.resume(folder), 'needs its loss "points".*loss=...')
    refuse(lambda: pg.resume(folder, loss=loss_of(DATA + 1e-9)), "loss.*values differ")
    refuse(lambda: pg.resume(folder, loss=pg.losses.get("double-well")), "loss.*dimension 3")
    refuse(lambda: pg.run(folder / "scenario.toml", out=tmp_path / "other"), "loss.*pg.resume")
    assert not (tmp_path / "other").exists()
    refuse(lambda: pg.load(folder)["cold"].average_loss(), "loss=...")


@pytest.mark.slow
def test_parts_with_names_make_a_scenario_that_anybody_runs(tmp_path):
    loss = pg.Loss.from_formula("x^2/2 + y^4 + z^2", variables=["x", "y", "z"])
    start = pg.priors.Uniform([-1.0] * 3, [1.0] * 3)
    steps = pg.schedules.Polynomial(0.02, delay=10, power=0.5)
    how = {"prior": HOW["prior"], "initial": start, "particles": 9, "steps": 30, "step_size": steps}
    names = ["DE", "DLE", "DRLE", "SVGD"]
    made = pg.compare(loss, names, kernel=KERNEL, out=tmp_path / "run", **how)
    again = pg.run(tmp_path / "run" / "scenario.toml", out=tmp_path / "again")
    assert content(tmp_path / "run") == content(tmp_path / "again")
    assert list(again) == names and made["SVGD"].positions.tobytes() == again["SVGD"].positions.tobytes()
    refuse(lambda: pg.load(tmp_path / "run", loss=loss), "loss must be left out")


class Nameless(pg.priors.Normal):
    name = "nameless-of-a-test"


@pg.integrators.integrator("stiff-of-a-test")
def stiff(step_size, temperature, stiffness):
    ones = np.ones_like(stiffness)
    return pg.integrators.StepCoefficients(step_size * ones, np.sqrt(step_size * temperature) * ones, 0.0 * ones)


class Ramp(pg.schedules.Schedule):
    name = "ramp-of-a-test"

    def at(self, steps):
        return 0.01 / (1.0 + steps)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prior": Nameless([0.0, 0.0, 0.0], 1.0)}, "prior.*pg.priors.register"),
        ({"integrator": stiff}, "integrator.*pg.integrators.register"),
        ({"step_size": Ramp(0.01)}, "step_size.*pg.schedules.register"),
        ({"methods": {"a/b": METHODS["cold"]}}, "methods.a/b.*letters"),
        ({"checkpoint_every": 0.0}, "checkpoint_every.*positive"),
        ({"out": 7}, "out.*path"),
    ],
)
def test_what_a_folder_cannot_tell_is_refused_before_anything_is_written(tmp_path, change, words):
    given = {"methods": METHODS, "out": tmp_path / "run", **HOW, **change}
    refuse(lambda: pg.compare(loss_of(), **given), words)
    assert not list(tmp_path.iterdir())


def test_another_run_in_the_folder_takes_its_start_with_it(tmp_path):
    compared(tmp_path / "run")
    refuse(lambda: compared(tmp_path / "run"), "exists already")
    compared(tmp_path / "run", overwrite=True, initial=START + 1.0)
    assert len(list((tmp_path / "run" / "arrays").glob("@*"))) == 1
    assert pg.load(tmp_path / "run").parts.initial.tobytes() == (START + 1.0).tobytes()
    compared(tmp_path / "run", overwrite=True)  # the file of the same numbers has the same name
    assert pg.load(tmp_path / "run")["cold"].initial.tobytes() == START.tobytes()


def test_figures_are_drawn_without_the_loss_and_say_so(tmp_path):
    how = {**HOW, "initial": None, "prior": pg.priors.Normal(0.0, 2.0), "particles": 9}
    pg.simulate(loss_of(DATA[:, :1]), METHODS["cold"], out=tmp_path / "run", **how)
    with pytest.warns(UserWarning, match="without loss and truth"):
        figure = pg.load(tmp_path / "run").plot()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = pg.load(tmp_path / "run", loss=loss_of(DATA[:, :1])).plot()
    assert len(figure.axes) < len(whole.axes)  # that of the loss
    assert len(figure.axes[0].lines) < len(whole.axes[0].lines)
