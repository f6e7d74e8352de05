"""Scenario files in general: any good one survives writing and reading, any changed one is good or named as bad."""

import copy
import datetime
import tomllib
import warnings

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from particlegvi import kernels
from particlegvi.scenario import load, setting, text
from particlegvi.scenario.kinds import build
from particlegvi.scenario.kinds.particles.keys import KEYS
from particlegvi.settings.checks import LABEL, NAME

FEW = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
MANY = settings(FEW, max_examples=120)

finite = st.floats(-1e6, 1e6)
positive = st.floats(1e-6, 1e6)
weights = st.floats(0.0, 100.0)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=40)
lines = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.sampled_from("\n\t"), max_size=80)
lengthscales = positive | st.sampled_from(["median", "authors"])
kernel = st.builds(
    lambda name, lengthscale, variance: {"name": name, "lengthscale": lengthscale, "variance": variance},
    st.sampled_from(kernels.names()), lengthscales, positive,
)  # fmt: skip
normal = st.builds(lambda mean, sd: {"name": "normal", "mean": mean, "sd": sd}, finite, positive)
uniform = st.builds(lambda a, width: {"name": "uniform", "low": a, "high": a + width}, finite, st.floats(0.1, 1e6))
law = normal | uniform | st.just("normal")
loss = st.one_of(
    st.sampled_from(["tilted-double-well", "double-well", "abs-sine"]),
    st.builds(lambda c: {"name": "quadratic", "curvature": c, "centre": [0.5]}, positive),
    st.builds(lambda v: {"formula": f"({v} - 1)**2 + cos({v})", "variables": [v]}, st.sampled_from(["t", "theta"])),
)
mean = st.sampled_from(["auto", "quadrature"]) | st.builds(
    lambda n: {"how": "monte-carlo", "samples": n}, st.integers(1, 1000)
)
method = st.one_of(
    st.builds(lambda: {"method": "DE"}),
    st.builds(lambda w: {"method": "DLE", "kl_weight": w}, weights),
    st.builds(lambda w, **more: {"method": "DRE", "mmd_weight": w, **more}, weights, kernel=kernel, embedding=mean),
    st.builds(lambda w, v: {"method": "DRLE", "kl_weight": w, "mmd_weight": v}, weights, weights),
    st.builds(lambda n: {"method": "FDGVI", "draws": n}, st.integers(1, 500)),
)
labels = st.from_regex(LABEL, fullmatch=True)
methods = st.dictionaries(labels, method, min_size=1, max_size=4).filter(
    lambda table: len({label.lower() for label in table}) == len(table)
)
steps = st.integers(1, 10**12)


@st.composite
def scenarios(draw) -> dict:
    """A complete scenario in one dimension, with some of the optional keys."""
    found = {
        "name": draw(st.from_regex(NAME, fullmatch=True)),
        "loss": draw(loss),
        "prior": draw(law),
        "particles": draw(st.integers(1, 1000)),
        "steps": draw(steps),
        "step_size": draw(positive | st.integers(1, 100)),
        "methods": draw(methods),
    }
    optional = {
        "title": words, "source": words, "description": lines, "tolerance": st.floats(1e-15, 0.09), "initial": law,
        "kernel": kernel, "integrator": st.sampled_from(["euler-maruyama", "leimkuhler-matthews"]),
        "record_every": st.just(0), "modes": st.lists(finite, min_size=1, max_size=4),
        "figures": st.lists(st.builds(lambda n: {"kind": "histograms", "bins": n}, st.integers(1, 99)), max_size=2),
    }  # fmt: skip
    for key, values in optional.items():
        if draw(st.booleans()):
            found[key] = draw(values)
    if any(each.get("method") == "FDGVI" for each in found["methods"].values()):
        found.pop("integrator", None)  # it has steps of its own
    return found


def survives(scenario):
    complete = load(scenario)
    build(complete)
    written = text(complete)
    assert tomllib.loads(written) == complete
    assert load(tomllib.loads(written)) == complete
    assert text(load(tomllib.loads(written))) == written  # nothing is left to settle
    assert list(complete) == [key for key in KEYS if key in complete]


@pytest.mark.thorough
def test_a_good_scenario_survives_writing_and_reading():
    settings(FEW, max_examples=20)(given(scenarios())(survives))()


@pytest.mark.slow
def test_many_good_scenarios_survive():
    settings(FEW, max_examples=300)(given(scenarios())(survives))()


# What a value may be replaced by: anything that TOML can hold, and what only Python can.
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from([10**400, 5e-324]),
    st.binary(max_size=4), st.complex_numbers(), st.just(datetime.date(2020, 1, 1)), st.sampled_from(["../x", "a\0b"]),
)  # fmt: skip
names = st.text(max_size=6) | st.sampled_from(list(KEYS))
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner),
    max_leaves=8,
)


def places(value, way=()):
    """The way to every value inside tables and lists."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in inner:
        yield (*way, step)
        yield from places(each, (*way, step))


def accepted_or_one_sentence(call) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except ValueError as error:
        sentence = str(error)
        shows_place = "formula, column" in sentence
        assert sentence.count("\n") <= (2 if shows_place else 0) and 10 < len(sentence) < 900, sentence
        return False
    return True


@pytest.mark.thorough
@MANY
@given(scenarios(), st.data())
def test_a_changed_scenario_is_good_or_named_as_bad(scenario, data):
    changed = copy.deepcopy(scenario)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(places(changed))))
        inner = changed
        for step in way:
            inner = inner[step]
        change = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "replace" or not isinstance(inner, dict):
            inner[last] = data.draw(anything)
        elif change == "remove":
            del inner[last]
        else:
            inner[data.draw(st.text(min_size=1, max_size=8))] = data.draw(anything)
        if not list(places(changed)):
            break

    def read() -> None:
        complete = load(changed)
        build(complete)
        assert load(tomllib.loads(text(complete))) == complete

    accepted_or_one_sentence(read)


@FEW
@given(scenarios(), st.data())
@pytest.mark.thorough
def test_a_changed_text_is_good_or_named_as_bad(tmp_path_factory, scenario, data):
    """As a file: characters taken out of, or put into, the text of a good scenario."""
    written = tomli_w.dumps(load(scenario))
    at = data.draw(st.integers(0, len(written)))
    until = data.draw(st.integers(at, min(len(written), at + 12)))
    put = data.draw(st.text(max_size=6) | st.sampled_from(["[", "]]", "nan", "=", '"""', "\0", "1e999", "{", ".a.b.c"]))
    place = tmp_path_factory.getbasetemp() / "changed.toml"
    place.write_text(written[:at] + put + written[until:], encoding="utf-8", errors="surrogatepass")
    accepted_or_one_sentence(lambda: build(load(place)))


@pytest.mark.thorough
@MANY
@given(st.text(max_size=30) | st.builds("{}={}".format, names | st.just("methods.DE.method"), st.text(max_size=12)))
def test_any_setting_is_good_or_named_as_bad(argument):
    accepted_or_one_sentence(lambda: build(load("global-minimiser", dict([setting(argument)]))))


@FEW
@given(st.sampled_from(["particles", "steps", "record_every"]), st.integers(1, 50))
def test_a_whole_number_may_be_written_as_a_float(key, number):
    whole, floating = (load("global-minimiser", {"steps": 60, key: value}) for value in (number, float(number)))
    assert whole == floating and type(floating[key]) is int
    assert load("global-minimiser", dict([("steps", 60), setting(f"{key}={number / 10}e1")])) == whole
