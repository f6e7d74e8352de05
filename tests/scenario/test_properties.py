"""Changed scenarios are good or named as bad, and good ones survive writing. The fuzzer (`test_fuzz`) changes texts."""

import copy
import datetime
import tomllib
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from particlegvi.cli.options import setting
from particlegvi.scenario import load, text
from particlegvi.scenario.kinds import build
from particlegvi.scenario.kinds.particles.keys import KEYS

FEW = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SCENARIOS = ["global-minimiser", "multimodal", "regression-curve", "two-moons", "uci-ensembles", "sparse-approximation"]

# What a value may be replaced by: anything that TOML can hold, and what only Python can.
words = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\t\0"), max_size=40)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), words, st.sampled_from([10**400, 5e-324]),
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


@pytest.mark.slow
@settings(FEW, max_examples=120)
@given(st.sampled_from(SCENARIOS), st.data())
def test_a_changed_scenario_survives_writing_or_is_named_as_bad(name, data):
    changed = copy.deepcopy(load(name))
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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            complete = load(changed)
            build(complete)
    except ValueError as error:
        sentence, _, _ = str(error).partition("; the smallest file")
        assert sentence.count("\n") <= 2 * ("formula, column" in sentence) and 10 < len(sentence) < 900, sentence
    else:
        assert tomllib.loads(text(complete)) == load(tomllib.loads(text(complete))) == complete


@pytest.mark.thorough
@settings(FEW, max_examples=12)
@given(st.sampled_from(["particles", "steps", "record_every"]), st.integers(1, 50))
def test_a_whole_number_may_be_written_as_a_float(key, number):
    whole, floating = (load("global-minimiser", {"steps": 60, key: value}) for value in (number, float(number)))
    assert whole == floating and type(floating[key]) is int
    assert load("global-minimiser", dict([("steps", 60), setting(f"{key}={number / 10}e1")])) == whole
