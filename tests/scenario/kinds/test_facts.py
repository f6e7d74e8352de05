"""FactRegistry of a summary: computed in order, and checked when they are read; tests/test_extending.py adds one."""

import tomllib
from types import SimpleNamespace

import pytest

from particlegvi.scenario import kinds, load
from particlegvi.scenario.kinds.facts import FactRegistry, fact, is_number
from particlegvi.scenario.kinds.text_table import Column, printed, rows
from particlegvi.settings.keys import REQUIRED


def only(made: object) -> FactRegistry:
    """A registry of one fact."""
    facts = FactRegistry("particlegvi.scenario.kinds.particles.facts")
    facts.all = lambda *_: [made]  # type: ignore[method-assign]
    return facts


def test_a_value_that_could_not_be_read_again_is_refused():
    @fact(1, mean=is_number)
    def made(seen):
        return {"mean": seen}

    for value in (1.5, 2, None, float("nan")):
        assert only(made).compute(value, {})["mean"] is value
    with pytest.raises(RuntimeError, match='^the fact made failed: its form refuses mean = "1.5"$'):
        only(made).compute("1.5", {})
    with pytest.raises(ValueError, match='mean of "DLE" is "damaged"'):
        only(made).checked({"seed": 0, "status": "finished", "methods": {"DLE": {"mean": "damaged"}}})


def test_a_key_that_is_not_declared_is_refused():
    """Of a fact from outside: a slip in the name of a key would be written without a word."""

    @fact(1, mean=is_number)
    def made(seen):
        return {"mean": 1.0, "maen": 2.0}

    with pytest.raises(RuntimeError, match="the fact made must .* maen$"):
        only(made).compute(None, {}, more=["made"])


@pytest.mark.parametrize("name", kinds.names())
def test_the_smallest_file_is_a_scenario_and_shown_where_keys_are_missing(name):
    kind = kinds.get(name)
    assert load(tomllib.loads(kind.smallest))["kind"] == name
    missing = [key for key, entry in kind.keys.items() if entry.default is REQUIRED and key != "name"]
    if missing:
        with pytest.raises(ValueError, match="the smallest file is") as caught:
            load({"kind": name, "methods": {}} if name == "particles" else {"kind": name})
        needed = [key for key in missing if key in tomllib.loads(kind.smallest)]
        assert needed and all(f'"{key}" is missing' in str(caught.value) for key in needed)
        assert kind.smallest.strip() in str(caught.value)


def test_one_column_gives_the_row_and_the_print():
    columns = [Column("sd"), Column("error", "error of the mean", "truth.rmse"), Column("", "steps", "steps", str)]
    methods = {"A": {"sd": 1.5, "truth": {"rmse": None}, "steps": 3}, "B": {"truth": None}}
    runs = {label: SimpleNamespace(info={"seconds": 2.0}) for label in methods}
    assert rows(columns, runs, {"methods": methods}) == [
        {"method": "A", "sd": 1.5, "error": None, "seconds": 2.0},
        {"method": "B", "sd": None, "error": None, "seconds": 2.0},
    ]
    head, *below = printed(columns, methods)
    assert head == ["method", "error of the mean", "steps"]
    assert below == [["A", "not finite", "3"], ["B", "", ""]]
