"""FactRegistry of a summary: found by being in a folder, computed in order, and checked when they are read."""

import importlib
import shutil
import sys
import tomllib
from types import SimpleNamespace

import pytest

import particlegvi as pg
from particlegvi.scenario import kinds, load
from particlegvi.scenario.kinds.facts import FactRegistry, are_numbers, fact, is_interval, is_number, is_per_coordinate
from particlegvi.scenario.kinds.functions.facts import facts as of_functions
from particlegvi.scenario.kinds.particles.facts import facts as of_particles
from particlegvi.scenario.kinds.text_table import Column, printed, rows
from particlegvi.settings.keys import REQUIRED

NEW = '''
"""The largest coordinate of a particle."""

from particlegvi.scenario.kinds.facts import fact, is_number


@fact(135, largest=is_number)
def largest(seen):
    return {"largest": float(abs(seen.run.final).max()), "before": sorted(seen.found)[:1]}
'''


@pytest.mark.parametrize("facts", [of_particles, of_functions])
def test_places_differ(facts):
    every = facts.all()
    assert len({each.place for each in every}) == len(every)


def test_a_new_number_is_one_file(tmp_path, monkeypatch):
    """A file beside the others is enough: the summary has its key, and a damaged value is refused."""
    package = tmp_path / "more_facts"
    shutil.copytree(importlib.import_module("particlegvi.scenario.kinds.particles.facts").__path__[0], package)
    for path in package.glob("*.py"):
        path.write_text(path.read_text().replace("particlegvi.scenario.kinds.particles.facts", "more_facts"))
    (package / "largest.py").write_text(NEW)
    monkeypatch.syspath_prepend(tmp_path)
    more = FactRegistry("more_facts")
    monkeypatch.setattr("particlegvi.scenario.kinds.particles.facts.facts", more)
    try:
        results = pg.run("lifting", particles=5, steps=10)
        summary = results.summary
        for label, run in results.items():
            assert summary["methods"][label]["largest"] == abs(run.final).max()
            assert summary["methods"][label]["before"] == ["average_loss"]
        assert more.checked(summary) is summary
        summary["methods"]["DLE"]["largest"] = "damaged"
        with pytest.raises(ValueError, match='largest of "DLE" is "damaged"'):
            more.checked(summary)
    finally:
        for name in [name for name in sys.modules if name.startswith("more_facts")]:
            del sys.modules[name]


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


def test_a_key_that_is_not_declared_is_refused():
    """Of a fact from outside: a slip in the name of a key would be written without a word."""

    @fact(1, mean=is_number)
    def made(seen):
        return {"mean": 1.0, "maen": 2.0}

    with pytest.raises(RuntimeError, match="the fact made must .* maen$"):
        only(made).compute(None, {}, more=["made"])


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        (is_number, [0, 1.5], [True, float("nan"), 1e309, "1", [1.0]]),
        (are_numbers, [[], [1, 2.0]], [1.0, [True], ["1"]]),
        (is_interval, [[0.0, 1.0]], [[0.0], [0.0, 1.0, 2.0], 3.0]),
        (is_per_coordinate, [1.0, [1.0, 2.0]], ["1", [None]]),
    ],
)
def test_forms(form, good, bad):
    assert all(map(form, good)) and not any(map(form, bad))


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
