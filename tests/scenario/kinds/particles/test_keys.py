"""Every key answers a bad value with one sentence that names it, before anything else happens."""

from __future__ import annotations

import datetime
import math

import pytest

from particlegvi.scenario import load
from particlegvi.scenario.kinds.particles.keys import KEYS


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
    with pytest.raises(ValueError) as caught:
        load(scenario)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    assert sentence.startswith("scenario: ")
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


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("partcles", "particles"),
        ("stepsize", "step_size"),
        ("method", "methods"),
        ("Loss", "loss"),
        ("figure", "figures"),
    ],
)
def test_an_unknown_key_is_answered_with_the_nearest(typed, meant):
    assert f'there is no key "{typed}"; did you mean "{meant}"?' in refusal(complete(**{typed: 1}))


@pytest.mark.parametrize("value", [datetime.date(2020, 1, 1), b"bytes", {1, 2}, object(), 1j])
def test_only_plain_data_passes(value):
    assert "must be a text, a number" in refusal(complete(title=value))


def test_deep_nesting_is_refused_and_not_followed():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert "nested more than" in refusal(complete(modes=deep))


def test_keys_that_would_garble_a_terminal_are_refused():
    sentence = refusal(complete(**{"\x1b[31mred": 1}))
    assert "printable" in sentence
    assert sentence.isprintable()


def test_the_seed_is_explained():
    assert "--seed" in refusal(complete(seed=3))


def test_what_is_left_out_gets_its_default():
    scenario = load(complete())
    assert scenario["kind"] == "particles"
    assert scenario["integrator"] == "euler-maruyama"
    assert scenario["tolerance"] == 1e-12
    assert scenario["figures"] == [{"kind": "histograms"}]
    assert "record_every" not in scenario
    assert "initial" not in scenario


def test_numbers_keep_their_kind():
    scenario = load(complete(step_size=1, particles=8, modes=[0, 1]))
    assert type(scenario["step_size"]) is float
    assert type(scenario["particles"]) is int
    assert scenario["modes"] == [[0.0], [1.0]]


def test_points_give_the_number_of_particles():
    scenario = complete(initial={"points": [0.5, -0.5, 1]})
    del scenario["particles"]
    loaded = load(scenario)
    assert loaded["particles"] == 3
    assert loaded["initial"] == {"points": [[0.5], [-0.5], [1.0]]}


def test_a_name_stands_for_a_table():
    scenario = load(complete(kernel="matern-32", methods={"DRE": {"mmd_weight": 1, "embedding": "quadrature"}}))
    assert scenario["loss"] == {"name": "double-well"}
    assert scenario["kernel"] == {"name": "matern-32"}
    assert scenario["methods"]["DRE"]["embedding"] == {"how": "quadrature"}


def test_records_further_apart_than_the_run_is_long_are_refused():
    assert "record_every must be at most steps" in refusal(complete(record_every=21))
