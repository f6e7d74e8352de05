"""One call for several methods: the same start and noise, one table, one figure, refusals in one sentence."""

import numpy as np
import pytest

import particlegvi as pg

from ..refusals import refuse, refused

LOSS = pg.losses.get("tilted-double-well")
PRIOR = pg.priors.Normal(0.0, 1.0)
HOW = {"prior": PRIOR, "particles": 30, "steps": 40, "step_size": 1e-2, "seed": 4}
MODES = [-2.0, 1.0]


@pytest.fixture(scope="module")
def comparison():
    names = ["DE", "DLE", "DRLE", "SVGD", "FDGVI"]
    return pg.compare(LOSS, names, kl_weight=0.8, mmd_weight=0.3, modes=MODES, **HOW)


def test_every_run_is_the_one_that_simulate_makes(comparison):
    methods = pg.methods
    made = (methods.DE(), methods.DLE(0.8), methods.DRLE(0.8, 0.3), methods.SVGD(0.8), methods.FDGVI(0.8))
    alone = dict(zip(["DE", "DLE", "DRLE", "SVGD", "FDGVI"], made, strict=True))
    assert list(comparison) == list(alone)
    for label, method in alone.items():
        run = pg.simulate(LOSS, method, **HOW)
        assert run.positions.tobytes() == comparison[label].positions.tobytes()
    assert pg.simulate(LOSS, "DE", **HOW).positions.tobytes() == comparison["DE"].positions.tobytes()
    refuse(lambda: pg.simulate(LOSS, "ULA", **HOW), '^there is no method "ULA"; allowed: ')
    assert len({comparison[label].initial.tobytes() for label in ("DE", "DLE", "DRLE", "SVGD")}) == 1
    other = pg.simulate(LOSS, methods.DLE(0.8), **HOW | {"seed": 5})  # control: bytes do tell runs apart
    assert other.positions.tobytes() != comparison["DLE"].positions.tobytes()


@pytest.mark.thorough
def test_the_table_says_what_the_runs_say(comparison):
    rows = {row["method"]: row for row in comparison.table()}
    assert list(rows) == list(comparison)
    for label, row in rows.items():
        final = comparison[label].final
        assert row["mean"] == pytest.approx(final.mean()) and row["sd"] == pytest.approx(final.std())
        assert row["average_loss"] == pytest.approx(np.mean(LOSS.value(final)))
        nearest = np.abs(final - np.array(MODES)).argmin(axis=1)
        assert row["modes_covered"] == len(set(nearest.tolist()))
    assert rows["DRLE"]["mmd_weight"] == 0.3 and rows["SVGD"]["mmd_weight"] is None
    # SVGD and DLE at one weight have one truth, and another weight has another
    assert rows["SVGD"]["w1_floor"] == rows["DLE"]["w1_floor"]
    assert comparison.targets["SVGD"].mean == comparison.targets["DLE"].mean != comparison.targets["DRLE"].mean
    assert "SVGD" in comparison.describe()


def test_a_method_that_may_jump_has_the_hint_under_any_label():
    well, start = pg.losses.get("double-well"), pg.priors.Normal(1.5, 0.1)
    methods = {"mine": pg.methods.DLE(0.2), "free": pg.methods.FreeEnergy(0.2), "other": pg.methods.SVGD(0.2)}
    text = pg.compare(well, methods, PRIOR, 100, 2000, 1e-2, initial=start).describe()
    hints = {label: f"{label}: jumps = true in [methods.{label}]" in text for label in methods}
    assert text.count("metastable") == 3 and hints == {"mine": True, "free": True, "other": False}


@pytest.mark.thorough
def test_one_figure_has_a_panel_for_every_method(comparison):
    figure = comparison.plot()
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert [title.splitlines()[0] for title in titles] == ["DE", "DLE", "DRLE", "SVGD", "FD-GVI"]
    figure.draw_without_rendering()
    boxes = [axes.get_position() for axes in figure.axes if axes.get_title()]
    assert min(box.width for box in boxes) > 0.15  # five in one row would be narrower
    assert len(comparison.plot("trajectories", methods=["DLE"], truth=False).axes) == 1


test_bad_arguments_get_one_sentence = refused(
    lambda methods, change: pg.compare(LOSS, methods, **HOW | change),
    ({"\x1b[31m": "DE"}, {}, r"methods must have labels of printable characters, not"),
    (["DLE", "DLE"], {}, 'methods must be a mapping from labels, not two of one label or none: "DLE"'),
    ("DLE", {}, r'methods must be a mapping or list such as \["DE", "DLE"\], not "DLE"'),
    (["DLF"], {}, "there is no method"),
    (["DLE"], {"weight": 3.0}, "weight is not an argument of compare"),
    (["DLE"], {"modes": [[0.0, 1.0]]}, r"modes must be an array \(n, 1\) o.*, not an array of the shape \(1,"),
    (["DLE"], {"modes": [float("nan")]}, r"modes must be an array \(n, 1\) o.*, not one with NaN or infinity"),
    (["DLE"], {"progress": 3}, 'progress must be True, "auto", a function or None, not 3'),
)


def test_a_scenario_takes_the_new_methods_by_name():
    methods = {
        "Stein": {"method": "SVGD", "kl_weight": 0.8, "kernel": {"lengthscale": 0.5}},
        "MMDFlow": {"kl_weight": 0.8, "samples": 50, "noise": 0.1},
    }
    base = {"name": "both", "loss": "tilted-double-well", "prior": {"name": "normal", "mean": 0.0, "sd": 1.0}}
    results = pg.run(base | {"particles": 10, "steps": 5, "step_size": 0.01, "methods": methods})
    assert results["Stein"].info["lengthscale"] == 0.5
    assert results["MMDFlow"].method.samples == 50 and results["MMDFlow"].method.noise == 0.1
    assert results.summary["methods"]["Stein"]["w1"] > 0.0
    with pytest.raises(ValueError, match=r"methods.Stein: there is no parameter of SVGD .mmd_weight."):
        pg.run(results.scenario | {"methods": {"Stein": {"method": "SVGD", "mmd_weight": 1.0}}})


class Delayed(pg.methods.Method):
    """DRE with a constructor whose parameter is no attribute of the method."""

    label, mmd_weight = "Delayed", 0.5

    def __init__(self, alpha, kernel=None):
        self._alpha, self.kernel = alpha, kernel

    def flow(self, problem):
        return pg.methods.DRE(self._alpha * self.mmd_weight, self.kernel).flow(problem)


@pytest.mark.parametrize("kernel", [None, pg.kernels.SquaredExponential("median"), pg.kernels.SquaredExponential(0.7)])
def test_a_method_and_a_kernel_of_a_user_are_those_that_the_run_used(kernel):
    method = Delayed(1.0, kernel)
    run = pg.compare(LOSS, [method], **HOW)["Delayed"]
    ours = pg.compare(LOSS, [pg.methods.DRE(0.5, kernel)], **HOW)["DRE"]
    assert run.positions.tobytes() == ours.positions.tobytes()
    assert run.method.kernel == ours.method.kernel == pg.kernels.SquaredExponential(run.info["lengthscale"])
    assert type(run.method.kernel) is pg.kernels.SquaredExponential  # which a tuple of equal numbers need not be
    assert (run.method is method) == (kernel == pg.kernels.SquaredExponential(0.7)) and method.kernel is kernel
    assert run.method._alpha == 1.0
