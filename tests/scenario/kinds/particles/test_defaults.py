"""A scenario from nothing: what is filled in, that it is the same everywhere, and how methods are left out."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario import load, text

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
    assert scenario["particles"] == 300
    assert scenario["figures"] == [{"kind": "particles"}]
    assert scenario["name"] == "mine" and scenario["title"] == "x^2/2 + 3*cos(2*y) + y^2/4"
    for key in ("methods", "particles", "prior", "figures", "step_size", "steps"):
        assert sum(phrase.startswith(f"{key} = ") for phrase in chosen) == 1
    assert f"steps = {scenario['steps']}" in chosen[-1]
    # the complete scenario says it all: nothing is chosen again
    again = []
    assert load(scenario, None, again) == scenario and again == []


@pytest.mark.parametrize(
    ("loss", "figures", "most"),
    [("t^2", ["histograms"], 100_000), ("a+b+c", [], 20_000), ("double-well", ["histograms"], 100_000)],
)
def test_it_depends_on_the_dimension(loss, figures, most):
    scenario = load({"loss": loss})
    assert [each["kind"] for each in scenario["figures"]] == figures and 500 <= scenario["steps"] <= most
    assert scenario["loss"].get("name", "double-well") == "double-well"  # a name of the registry is no formula


def test_the_limit_is_said():
    chosen = []
    scenario = load({"loss": "20*cos(3*t)"}, None, chosen)
    assert scenario["steps"] == 100_000 and "the most that is chosen" in chosen[-1]


def test_what_is_given_stays(file):
    content = EGGS + 'particles = 7\nsteps = 11\nprior = {name = "normal", mean = [1, 2], sd = 3}\n'
    content += "[methods.DLE]\nkl_weight = 2.0\n"
    scenario = load(file(content))
    assert scenario["steps"] == 11 and scenario["particles"] == 7 and scenario["prior"]["mean"] == [1, 2]
    assert scenario["methods"] == {"DLE": {"kl_weight": 2.0}}
    assert load(file(content), {"step_size": 0.5})["step_size"] == 0.5
    assert load(file(content), {"figures": []})["figures"] == []


@pytest.mark.thorough
def test_the_same_in_another_process(file):
    place = file(EGGS)
    program = f"from particlegvi.scenario import load, text; print(text(load({str(place)!r})), end='')"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert other == text(load(place))


def test_a_formula_by_set_takes_the_place_of_a_loss():
    scenario = load("global-minimiser", {"loss": "x^2"})
    assert scenario["loss"] == {"formula": "x^2", "variables": ["x"]}
    assert scenario["steps"] == 100_000  # what the scenario has stays
    assert load({"loss": {"formula": "b*a", "variables": ["a", "b"]}})["loss"]["variables"] == ["a", "b"]
    assert load({"loss": {"formula": "b*a"}})["loss"]["variables"] == ["b", "a"]


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


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"methods.DLEE": False}, 'there is no method to leave out "DLEE"; did you mean "DLE"?'),
        ({f"methods.{label}": False for label in ("DE", "DLE", "DRLE")}, "methods must have at least one method"),
        ({"methods.DE": True}, "methods.DE must be a table"),
    ],
)
def test_what_cannot_be_left_out(overrides, words):
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        load("global-minimiser", overrides)


def test_a_weight_set_beside_methods_left_out_changes_that_method_alone(file):
    methods = load(file(EGGS), {"methods.DLE.kl_weight": 0.5})["methods"]
    assert methods["DLE"] == {"kl_weight": 0.5} and list(methods) == ["DE", "DLE", "DRLE"]


def test_python_runs_a_mapping_and_resumes_it(tmp_path):
    results = pg.run({"loss": "abs(t) + t^2", "steps": 40, "particles": 20}, out=tmp_path / "run")
    assert list(results) == ["DE", "DLE", "DRLE"] and results["DLE"].loss.variables == ["t"]
    assert results.scenario["step_size"] == load(tmp_path / "run" / "scenario.toml")["step_size"]
    again = pg.run(results.scenario)
    np.testing.assert_array_equal(again["DRLE"].final, results["DRLE"].final)


def test_points_to_start_from_are_as_many_as_particles():
    scenario = load({"loss": "x^2 + y^2", "initial": {"points": [[0, 1], [1, 0], [2, 2]]}, "prior": "flat"})
    assert scenario["particles"] == 3 and scenario["steps"] >= 500
