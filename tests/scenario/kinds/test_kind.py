"""Every kind of scenario: its smallest file, the answer that names all missing keys, and the columns of its table."""

from __future__ import annotations

import tomllib
from types import SimpleNamespace

import pytest

from particlegvi.scenario import kinds, load
from particlegvi.scenario.kinds.kind import Kind
from particlegvi.scenario.kinds.text_table import Column, printed, rows
from particlegvi.settings.keys import REQUIRED


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


def test_a_kind_without_a_module_or_a_method_says_which():
    class Empty(Kind):
        name = "empty"

    with pytest.raises(NotImplementedError, match="the kind of scenario empty has no module building"):
        Empty().build({})
    with pytest.raises(NotImplementedError, match="the kind of scenario empty has no method figure"):
        Empty().figure([])


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
