"""Every key answers a bad value with one sentence that names it, before anything else happens."""

import datetime
import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import kernels, methods
from particlegvi.scenario import load
from particlegvi.scenario.kinds import build
from particlegvi.scenario.kinds.particles.keys import KEYS

from ....refusals import refuse, refused


def complete(**changes):
    """A small complete scenario as plain data."""
    scenario = {
        "name": "small",
        "loss": "double-well",
        "prior": {"name": "normal", "mean": 0.0, "sd": 1.0},
        "particles": 8,
        "steps": 20,
        "step_size": 1e-3,
        "methods": {"DE": {}, "DLE": {"kl_weight": 1.0}},
    }
    return {**scenario, **changes}


def refusal(scenario) -> str:
    sentence = refuse(lambda: load(scenario), "^scenario: ")
    assert len(sentence) < 600
    return sentence.removeprefix("scenario: ")


BAD = [
    ("kind", ["table", "", 3, None], "kind"),
    ("name", ["", "../up", "a/b", "x" * 65, "-x", "ü", 7, "a b", ".", "a\n"], "name must be"),
    ("title", [3, "x" * 201, "two\nlines", "bell\x07"], "title must be"),
    ("source", [["x"], "x" * 201], "source must be"),
    ("description", [1.5, "x" * 4001, "nul\0"], "description must be"),
    ("particles", [0, -1, 2.5, "many", True, 2**32 + 1, 10**400, [8]], "particles must be"),
    ("steps", [0, -5, 1e13, 0.5, math.nan, math.inf, "x", False, 10**13], "steps must be"),
    ("step_size", [0, -1e-3, "small", True, [0.1], math.inf, math.nan], "step_size must be"),
    ("integrator", [1, ["euler-maruyama"], "x" * 50], "integrator must be"),
    ("preconditioner", ["all", 1, True, ["ensemble"]], "preconditioner must be"),
    ("record_every", [-1, 1.5, "never", True], "record_every must be"),
    ("tolerance", [0.0, -1e-9, 0.5, "1e-9", math.nan], "tolerance must be"),
    ("replicates", [1, 0, 2.5, "many", True, 10**6], "replicates must be a whole number from 2"),
    ("modes", [[], "x", {"a": 1}, [[0.0], [1.0, 2.0]], [["x"]], [[]], [[math.inf]]], "modes"),
    ("loss", [3, {}, {"name": 3}, {"name": "a", "formula": "b"}, {"formula": "1"}, ["double-well"], True], "loss"),
    ("loss", [{"formula": "t", "variables": []}, {"formula": "t", "variables": [1]}], "loss.variables must be"),
    ("loss", [{"formula": "t" * 2001, "variables": ["t"]}, {"formula": 3, "variables": ["t"]}], "loss.formula must be"),
    ("loss", [{"formula": "t", "variables": ["t"], "sd": 2.0}], "sd"),
    ("prior", [1, {}, {"mean": 0.0}, {"name": 1.0}, None], "prior"),
    ("initial", [1, {}, {"points": [], "x": 1}, {"name": "normal", "points": [[0.0]]}, {"points": []}], "initial"),
    ("initial", [{"points": [[0.0], [1.0]]}], "particles must be 2, as many as initial.points has, not 8"),
    ("kernel", [1, [], {"name": 2}], "kernel"),
    ("methods", [{"DLE": {"jumps": each}} for each in (3, "yes", [], {"every": True})], "methods.DLE.jumps"),
    ("methods", [{}, [], "DE", 3, {"DE": 3}, {"DE": [1]}], "methods"),
    ("methods", [{"a/b": {}}, {"..": {}}, {"": {}}, {"x" * 41: {}}, {"a\nb": {}}, {".hidden": {}}, {"a.b": {}}], "a"),
    ("methods", [{"DE": {}, "de": {"method": "DE"}}], "differ in upper and lower case"),
    ("methods", [{"DLE": {"kl_weight": "x"}}, {"DLE": {"kl_weight": True}}], "methods.DLE.kl_weight must be"),
    ("methods", [{"DLE": {"kl_weight": math.nan}}, {"DLE": {"kl_weight": math.inf}}], "methods.DLE.kl_weight must be"),
    ("methods", [{"D": {"method": 3}}, {"D": {"method": "x" * 41}}], "methods.D.method must be"),
    ("methods", [{"DRLE": {"kernel": 3}}, {"DRLE": {"kernel": {"name": 1}}}], "methods.DRLE.kernel"),
    ("methods", [{"DRLE": {"embedding": 3}}, {"DRLE": {"embedding": {"samples": 3}}}], "methods.DRLE.embedding must"),
    ("methods", [{"DRLE": {"embedding": {"how": "monte-carlo", "samples": 0}}}], "methods.DRLE.embedding.samples must"),
    ("methods", [{"DRLE": {"embedding": {"how": "monte-carlo", "smples": 20}}}], 'did you mean "samples"'),
    ("figures", ["histograms", [1], {"kind": "histograms"}, [{}], [{"kind": 1}], [{"kind": "a"}] * 17], "figures"),
    ("style", [3, "dark", {"palete": "dark"}, {"palette": 3}, {"size": "1x"}], "style"),
    ("sweep", [3, "x", [], {"seeds": "many"}, {"over": 3}], "sweep"),
    ("facts", ["w1", [3], ["a", "a"], {"w1": True}], "facts"),
    ("figures", [[{"kind": "histograms", "window": {"a": 1}}], [{"kind": "a", "b": [{"c": 1}]}]], "figures[0]."),
]


@pytest.mark.parametrize(
    ("key", "value", "words"), [(key, value, words) for key, values, words in BAD for value in values], ids=repr
)
def test_a_bad_value_is_answered_in_one_sentence(key, value, words):
    assert words in refusal(complete(**{key: value}))


def test_every_key_has_bad_values_here():
    assert {key for key, _, _ in BAD} == set(KEYS)


def test_a_missing_loss_is_named_with_the_smallest_file():
    scenario = complete()
    del scenario["loss"]
    sentence = refusal(scenario)
    assert '"loss" is missing' in sentence and 'the smallest file is: loss = "x^2/2"' in sentence


DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]
test_other_keys_and_other_data_are_refused = refused(
    lambda changes: load(complete(**changes)),
    *[
        ({typed: 1}, f'scenario: there is no key "{typed}"; did you mean "{meant}"?')
        for typed, meant in {
            "partcles": "particles", "stepsize": "step_size", "method": "methods", "Loss": "loss", "figure": "figures",
        }.items()
    ],
    *[
        ({"title": value}, "must be a text, a number")
        for value in (datetime.date(2020, 1, 1), b"bytes", {1, 2}, object(), 1j)
    ],
    ({"modes": DEEP}, "nested more than"),
    ({"\x1b[31mred": 1}, "printable"),
    ({"seed": 3}, "--seed"),
    ({"record_every": 21}, "record_every must be at most steps"),
    plain=True,
)  # fmt: skip


EGGS = 'loss = "x^2/2 + 3*cos(2*y) + y^2/4"\n'


@pytest.fixture
def file(tmp_path):
    def write(content, name="mine.toml"):
        place = tmp_path / name
        place.write_text(content)
        return place

    return write


def test_a_loss_is_enough(file):
    chosen = []
    scenario = load(file(EGGS), None, chosen)
    assert scenario["loss"] == {"formula": "x^2/2 + 3*cos(2*y) + y^2/4", "variables": ["x", "y"]}
    assert scenario["prior"] == {"name": "normal", "mean": [0.0, 0.0], "sd": 1.0}
    assert scenario["methods"] == {"DE": {}, "DLE": {"kl_weight": 1.0}, "DRLE": {"kl_weight": 1.0, "mmd_weight": 0.5}}
    assert scenario["steps"] == 10_000
    assert scenario["particles"] == 300
    assert scenario["figures"] == [{"kind": "particles"}]
    assert scenario["name"] == "mine" and scenario["title"] == "x^2/2 + 3*cos(2*y) + y^2/4"
    for key in ("methods", "particles", "prior", "figures", "step_size", "steps"):
        assert sum(phrase.startswith(f"{key} = ") for phrase in chosen) == 1
    # the complete scenario says it all: nothing is chosen again
    again = []
    assert load(scenario, None, again) == scenario and again == []


MINE = {
    "loss": "x^2/2 + 3*cos(2*y) + y^2/4", "particles": 7, "steps": 11, "methods": {"DLE": {"kl_weight": 2.0}},
    "prior": {"name": "normal", "mean": [1, 2], "sd": 3},
}  # fmt: skip
THREE = {"DE": {}, "DLE": {"kl_weight": 1.0}, "DRLE": {"kl_weight": 1.0, "mmd_weight": 0.5}}
HISTOGRAMS = [{"kind": "histograms"}]
POINTS, PRODUCT = {"points": [[0.5], [1.0]]}, {"formula": "b*a", "variables": ["a", "b"]}


@pytest.mark.parametrize(
    ("given", "overrides", "found"),
    [
        (complete(), {}, {"kind": "particles", "integrator": "euler-maruyama", "tolerance": 1e-12}),
        (complete(), {}, {"loss": {"name": "double-well", "height": 3.0}, "figures": HISTOGRAMS}),
        (complete(step_size=1, modes=[0, 1]), {}, {"step_size": 1.0, "particles": 8, "modes": [[0.0], [1.0]]}),
        (complete(initial={"points": [0.5, 1]}), {"particles": None}, {"particles": 2, "initial": POINTS}),
        (complete(), {"methods": {"DRE": {"embedding": "quadrature"}}, "methods.DE": False, "methods.DLE": False},
         {"methods": {"DRE": {"embedding": {"how": "quadrature"}, "mmd_weight": 0.5}}}),
        # what is chosen depends on the dimension; a name of the registry is no formula
        ({"loss": "a+b+c"}, {}, {"figures": []}),
        # what is given stays
        (MINE, {}, {key: MINE[key] for key in ("steps", "particles", "methods", "prior")}),
        (MINE, {"step_size": 0.5, "figures": []}, {"step_size": 0.5, "figures": []}),
        ("global-minimiser", {"loss": "x^2"}, {"loss": {"formula": "x^2", "variables": ["x"]}, "steps": 100_000}),
        ({"loss": PRODUCT}, {}, {"loss": PRODUCT}),
        ({"loss": {"formula": "b*a"}}, {}, {"loss": {"formula": "b*a", "variables": ["b", "a"]}}),
        # a weight set beside methods left out changes that method alone
        ({"loss": "t^2"}, {"methods.DLE.kl_weight": 0.5}, {"methods": {**THREE, "DLE": {"kl_weight": 0.5}}}),
    ],
)  # fmt: skip
def test_a_scenario_is_completed(given, overrides, found):
    scenario = load(given, overrides)
    for key, value in found.items():
        assert scenario.get(key) == value and type(scenario.get(key)) is type(value)


def test_a_stored_scenario_has_the_parameters_of_its_parts():
    """A change of a default in the package moves no older run's truth."""
    given = {"loss": "ring", "prior": "normal", "initial": {"name": "laplace", "scale": [1.0, 2.0]}, "kernel": {}}
    stored = load({**given, "prior": {"name": "normal", "sd": [1.0, 1.0]}})
    assert stored["loss"] == {"name": "ring", "radius": 2.0, "width": 0.4}
    assert stored["prior"] == {"name": "normal", "sd": [1.0, 1.0], "mean": 0.0}
    assert stored["initial"] == {"name": "laplace", "scale": [1.0, 2.0], "location": 0.0}
    assert stored["kernel"] == {"name": "squared-exponential", "lengthscale": 1.0, "variance": 1.0}
    assert load(stored) == stored
    assert load({"loss": "t^2", "prior": {"name": "flat"}, "initial": {"points": [[0.0]]}})["prior"] == {"name": "flat"}


def test_a_stored_scenario_has_the_parameters_of_its_methods(monkeypatch):
    """So that a change of a default does not move the truth of a folder."""
    entries = {"DRLE": {}, "mine": {"method": "FDGVI", "draws": 50}, "cold": {"method": "DLE", "kl_weight": 0.1}}
    stored = load(complete(methods=entries))
    assert stored["methods"] == {
        "DRLE": {"kl_weight": 1.0, "mmd_weight": 0.5},
        "mine": {"method": "FDGVI", "draws": 50, "kl_weight": 0.5, "renyi_order": 1.0},
        "cold": {"method": "DLE", "kl_weight": 0.1},
    }
    monkeypatch.setattr(methods, "get", lambda name: lambda kl_weight=7.0: None)
    assert load(stored) == stored
    assert load(complete(methods={"DRLE": {}}))["methods"]["DRLE"]["kl_weight"] == 7.0  # the control


@pytest.mark.parametrize(
    ("content", "overrides", "labels"),
    [
        ('based_on = "global-minimiser"\nmethods.DE = false\n', {}, ["DLE", "DRLE"]),
        ('based_on = "global-minimiser"\n', {"methods.DE": False, "methods.DRLE": False}, ["DLE"]),
        (EGGS, {"methods.DE": False}, ["DLE", "DRLE"]),
        (EGGS + "methods.DRLE = false\n", {}, ["DE", "DLE"]),
        ('based_on = "lifting"\nmethods = {DLE = false, cold = {method = "DLE"}}\n', {}, ["cold"]),
    ],
)
def test_a_method_is_left_out(file, content, overrides, labels):
    assert list(load(file(content), overrides)["methods"]) == labels


test_what_cannot_be_left_out = refused(
    lambda overrides: load("global-minimiser", overrides),
    ({"methods.DLEE": False}, 'there is no method to leave out "DLEE"; did you mean "DLE"'),
    ({f"methods.{label}": False for label in ("DE", "DLE", "DRLE")}, "methods must have at least one method"),
    ({"methods.DE": True}, "methods.DE must be a table"),
)


def test_the_numbers_arrive_where_they_belong():
    parts = build(load("multimodal", {"methods.DRLE.kernel": {"lengthscale": 0.5}}))
    drle = parts.methods["DRLE"]
    assert (drle.kl_weight, drle.mmd_weight, drle.lambda1) == (0.2, 0.3, 0.6)
    assert drle.kernel == kernels.SquaredExponential(lengthscale=0.5)
    assert (parts.methods["FDGVI"].kl_weight, parts.methods["FDGVI"].draws) == (0.5, 200)
    assert parts.prior.name == "flat" and parts.prior.dim == 2
    np.testing.assert_array_equal(parts.initial.sd, [1.0, 1.0])


def test_the_kernel_of_the_scenario_is_that_of_methods_without_their_own():
    entries = {"DRE": {"mmd_weight": 1.0}, "own": {"method": "DRE", "kernel": {"lengthscale": 3.0}}}
    parts = build(load(complete(kernel={"name": "matern-32", "lengthscale": 2.0}, methods=entries)))
    assert parts.methods["DRE"].kernel == kernels.Matern32(lengthscale=2.0)
    assert parts.methods["own"].kernel == kernels.SquaredExponential(lengthscale=3.0)
    assert build(load(complete(methods=entries))).methods["DRE"].kernel is None


def test_points_are_the_start():
    parts = build(load(complete(initial={"points": [[0.5], [-0.5]]}, particles=2)))
    np.testing.assert_array_equal(parts.initial, [[0.5], [-0.5]])


test_what_does_not_exist_or_fit_is_named = refused(
    lambda changes: build(load(complete(**changes))),
    *[
        ({"loss": "duble-well"}, 'loss: there is no loss "duble-well"; did you mean "double-well"?'),
        ({"loss": {"formula": "__import__('os')", "variables": ["x"]}}, "loss: "),
        ({"prior": {"name": "norml"}}, 'prior: there is no prior "norml"; did you mean "normal"?'),
        ({"prior": {"name": "normal", "mean": [0.0, 0.0]}}, "prior must have the dimension of the loss, which is 1"),
        ({"prior": "flat"}, "initial must be a distribution or points"),
        ({"initial": {"points": [[0.0, 1.0]] * 8}}, "initial.points must have the dimension of the loss"),
        ({"modes": [[0.0, 1.0]]}, "modes must have the dimension of the loss"),
        ({"methods": {"DEL": {}}}, 'methods.DEL: there is no method "DEL"'),
        ({"methods": {"DLE": {"kl_wieght": 1.0}}}, 'did you mean "kl_weight"?'),
        ({"particles": 100_000_000, "steps": 10**12, "record_every": 1}, " GB"),
    ],
    plain=True,
)


def test_a_method_may_have_an_integrator_of_its_own():
    scenario = load("global-minimiser", {
        "particles": 20, "steps": 30,
        "methods": {"K": {"method": "DLE", "integrator": {"name": "baoab", "friction": 3.0}}},
    })  # fmt: skip
    results = pg.run(scenario)
    assert results["K"].info["integrator"] == "baoab" and results["K"].info["friction"] == 3.0
    assert results["DLE"].info["integrator"] == "euler-maruyama"
    alone = pg.run({**scenario, "integrator": {"name": "baoab", "friction": 3.0}, "methods": {"K": {"method": "DLE"}}})
    assert np.array_equal(alone["K"].positions, results["K"].positions)
    with pytest.raises(ValueError, match='methods.DE: integrator must be one of .*, not "baoab": DE has no noise'):
        pg.run("global-minimiser", **{"methods.DE.integrator": "baoab"})
