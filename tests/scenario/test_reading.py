"""Files, variants and overrides: what is merged with what, and what a file cannot do."""

import tomllib

import numpy as np
import pytest

from particlegvi import cli
from particlegvi.cli.options import setting
from particlegvi.scenario import catalogue, load, text
from particlegvi.scenario.kinds import build
from particlegvi.scenario.template import write_template

from ..refusals import refuse, refused


def refusal(*arguments) -> str:
    return refuse(lambda: load(*arguments))


@pytest.mark.parametrize("name", catalogue.names())
def test_every_scenario_is_complete_survives_writing_and_can_be_built(name):
    scenario = load(name)
    assert scenario["name"] == name
    assert scenario["title"] and scenario["source"] and len(scenario["description"]) > 100
    assert scenario["figures"] or scenario["kind"] not in ("particles", "function-space", "networks")
    assert tomllib.loads(text(scenario)) == load(tomllib.loads(text(scenario))) == scenario
    parts = build(scenario)
    if scenario["kind"] == "particles":
        assert list(parts.methods) == list(scenario["methods"]) and parts.loss.dim == parts.prior.dim
    if scenario["kind"] == "networks":
        assert parts.network.inputs in (1, 2)


# The weights of the sources by their meaning: kl_weight is lambda2 and mmd_weight is half of lambda1.
SOURCES = {
    "global-minimiser": (300, 100_000, 1e-4, {"DLE": {"kl_weight": 1.0}, "DRLE": {"kl_weight": 1, "mmd_weight": 0.5}}),
    "multimodal": (300, 10_000, 0.1, {"DRLE": {"kl_weight": 0.2, "mmd_weight": 0.3}, "FDGVI": {"draws": 200}}),
    "multimodal-code": (300, 10_000, 0.01, {"DLE": {"kl_weight": 0.2}, "FDGVI": {"kl_weight": 0.5}}),
    "four-particles": (4, 10_000, 0.1, {}),
    "more-modes": (20, 1_000, 0.01, {"DLE": {"kl_weight": 0.001}, "DRLE": {"kl_weight": 0.001, "mmd_weight": 0.3}}),
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_settings_and_weights_are_those_of_the_sources(name):
    scenario, (*settings, methods) = load(name), SOURCES[name]
    assert [scenario[key] for key in ("particles", "steps", "step_size")] == settings
    for label, expected in methods.items():
        assert {key: scenario["methods"][label].get(key) for key in expected} == expected


def test_a_variant_is_merged_into_what_it_is_based_on():
    base, variant = load("global-minimiser"), load("global-minimiser-code")
    assert variant["methods"]["DRLE"] == {
        **base["methods"]["DRLE"],
        "embedding": {"how": "monte-carlo", "samples": 200},
    }
    assert variant["methods"]["DLE"] == base["methods"]["DLE"]
    assert "based_on" not in variant


def test_a_file_can_be_based_on_a_scenario_but_not_on_a_file(tmp_path):
    place = tmp_path / "mine.toml"
    place.write_text('based_on = "lifting"\nparticles = 5\n')
    assert load(place) == {**load("lifting"), "name": "mine", "particles": 5, "source": ""}  # it is not that figure
    for other in ("mine.toml", "/etc/passwd", "../lifting", "no-such"):
        place.write_text(f'based_on = "{other}"\n')
        assert "based_on: there is no scenario" in refusal(place)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"particles = ", "not valid TOML"),
        (b"x = 1\n" * 200_000, "more than 1000000 bytes"),
        (b"a" + b".a" * 450_000 + b" = 1", "more than 16 parts"),
        (b"", "missing"),
    ],
)
def test_a_bad_file_is_answered_in_one_sentence(tmp_path, content, words):
    place = tmp_path / "bad.toml"
    place.write_bytes(content)
    sentence = refusal(place)
    assert words in sentence
    assert str(place) in sentence
    assert len(sentence) < len(str(place)) * 2 + 400


@pytest.mark.parametrize(
    ("argument", "key", "value"),
    [
        ("step_size=1e-3", "step_size", 1e-3),
        ("methods.DRLE.kl_weight = 0.3", "methods.DRLE.kl_weight", 0.3),
        ("title=a = b", "title", "a = b"),
        ("initial={points = [[1, 2]]}", "initial", {"points": [[1, 2]]}),
    ],
)
def test_a_setting_is_read_as_toml_or_as_text(argument, key, value):
    assert setting(argument) == (key, value)


DRLE = {"kl_weight": 1.0, "mmd_weight": 0.5, "embedding": {"how": "closed-form"}}


def test_another_problem_has_not_the_laws_of_the_sweep_of_the_scenario():
    """Drawn beside it they would be wrong, unless they come with it; the control changes no law."""
    for key, value, drawn in (("methods.DRLE.kl_weight", 1.0, False), ("steps", 10, True)):
        assert ("laws" in load("few-particles-bias", {key: value})["sweep"]) is drawn
    own = {"methods.DRLE.kl_weight": 1.0, "sweep.laws.mine": "0.3"}
    assert load("few-particles-bias", own)["sweep"]["laws"]["mine"] == "0.3"


def test_another_loss_is_not_that_figure_of_the_source():
    own, other = load("global-minimiser", {"particles": 10}), load("global-minimiser", {"loss": "x^2"})
    assert other["title"] == "x^2" and "Figure 5.2" not in other["source"] and not other["description"]
    assert "Figure 5.2" in own["source"]  # control


@pytest.mark.parametrize(
    ("name", "overrides", "key", "value"),
    [
        ("multimodal", {"methods.DRLE.kl_weight": 0.3}, "methods.DRLE", {"kl_weight": 0.3, "mmd_weight": 0.3}),
        # a table is merged
        ("global-minimiser", {"methods": {"DRLE": {"mmd_weight": 2.0}}}, "methods.DRLE", {**DRLE, "mmd_weight": 2.0}),
        ("global-minimiser", {"methods": {"DRLE": {"mmd_weight": 2.0}}}, "methods.DLE", {"kl_weight": 1.0}),
        # another part forgets the parameters of the one before
        ("lifting", {"prior": "flat"}, "prior", {"name": "flat"}),
        ("lifting", {"prior.name": "uniform", "prior.low": -2}, "prior", {"name": "uniform", "low": -2}),
        ("lifting", {"loss.formula": "t", "loss.variables": ["t"]}, "loss", {"formula": "t", "variables": ["t"]}),
        # None takes a key away
        ("multimodal", {"modes": None}, "modes", None),
        # numbers of numpy
        ("lifting", {"particles": np.int64(7)}, "particles", 7),
        ("lifting", {"modes": np.array([[1.0], [2.0]])}, "modes", [[1.0], [2.0]]),
    ],
)
def test_an_override(name, overrides, key, value):
    found = load(name, overrides)
    for step in key.split("."):
        found = found.get(step)
    assert found == value and type(found) is type(value)


test_an_override_that_reaches_nothing_is_answered = refused(
    lambda key: load("lifting", {key: 1}),
    ("particles.x", "^lifting: .*particles is 2000, not a table"),
    ("", "^lifting: .*is not a key"),
    (".".join("a" * 9), "^lifting: .*is not a key"),
    ("kernal.lengthscale", '^lifting: .*did you mean "kernel"'),
)


def test_writing_keeps_strange_texts():
    strange = {"title": 'quotes " and \\ and \\t', "description": 'three """ in\na row\n\n  [x]\n1,\n'}
    scenario = load("multimodal", strange | {"initial": {"points": [[1e-300, -0.0], [1e300, 5]]}, "particles": 2})
    assert tomllib.loads(text(scenario)) == scenario


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("loss", "variables"),
    [("x^2/2 + 3*cos(2*y) + y^2/4", None), ("b + a^2", ["a", "b"]), ("ring", None), ("x^2+y^2+z^2", None)],
)
def test_what_is_written_is_what_would_be_chosen(loss, variables, tmp_path):
    place = tmp_path / "mine.toml"
    refuse(lambda: write_template(place, '"'), "loss: formula")
    assert not place.exists()
    write_template(place, loss, variables)
    entry = {"formula": loss, "variables": variables} if variables else loss
    assert load(place) == load({"name": "mine", "loss": entry})
    content = place.read_text()
    assert content.count("#") > 10 and max(map(len, content.splitlines())) <= 120
    assert {"particles", "steps", "step_size", "methods"} <= set(tomllib.loads(content))
    before = place.read_bytes()
    refuse(lambda: write_template(place, "t^2"), "exists and is left as it is")
    assert place.read_bytes() == before


def test_the_command(tmp_path, capsys, elsewhere):
    assert cli.main(["new", "a.toml", "--loss", "u^2 + v", "--variables", "v", "u"]) == 0
    assert "particlegvi run a.toml" in capsys.readouterr().out
    assert load("a.toml")["loss"]["variables"] == ["v", "u"]
    for line in (["new", "a.toml"], ["new", "b"], ["new", "absent/c.toml"], ["new", "d.toml", "--loss", "2x"]):
        assert cli.main(line) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.toml"]
