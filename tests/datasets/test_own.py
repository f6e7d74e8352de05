"""A data set of one's own: by its name in scenarios and in the table of PLS and SVGP, and refused where it is none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from particlegvi import datasets
from particlegvi.scenario import load
from particlegvi.scenario.kinds import build
from particlegvi.scenario.tables import run_table
from particlegvi.tools.registry import named

from ..refusals import refuse

X = np.linspace(-1.0, 1.0, 60)[:, None]
LINE = datasets.Dataset("any", "regression", X, 2.0 * X[:, 0] + 1.0)


@pytest.fixture
def line(nothing_from_outside):
    """A function whose data a test may replace."""
    given = [LINE]
    datasets.register(named("a-line")(lambda: given[0]))
    return given


def test_it_is_loaded_by_its_name_also_in_a_scenario(line):
    assert "a-line" in datasets.names() and "a-line" not in {entry["name"] for entry in datasets.available()}
    data = datasets.load("a-line")
    assert data.name == "a-line"
    np.testing.assert_array_equal(data.y, LINE.y)
    of_functions = {"data": {"name": "a-line", "scale": False}, "inducing_points": 5, "methods": {"GP": {}}}
    parts = build(load("regression-curve", {"methods": None, "data": None, **of_functions}))
    np.testing.assert_array_equal(parts.problem(0).y, LINE.y)


def test_a_table_has_it_as_a_row(line, tmp_path):
    settings = {"rows": ["a-line"], "models": ["linear", "constant"], "protocols": ["standardised"], "splits": 1}
    table = run_table(settings, tmp_path, workers=1)
    scores = {task.model: cell["rmse"] for task, cell in table.scores.items()}
    assert scores["linear"] < 1e-12 < 0.5 < scores["constant"]
    assert "| a-line |" in table.markdown()
    assert set(json.loads((tmp_path / "table.json").read_text())["entries"]) == {"a-line"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([1.0], "the data set a-line must be a Dataset, which its function returns"),
        (replace(LINE, task="ranking"), 'the task of a-line must be "regression" or "classification", not "ranking"'),
        (
            replace(LINE, y=LINE.y[:-1]),
            r"y of a-line must be an array \(60,\) of finite numbers, one for each row of X",
        ),
        (replace(LINE, X=np.full((60, 1), np.nan)), "X of a-line must be an array .* of finite numbers"),
    ],
)
def test_other_data_are_refused(line, data, words):
    line[0] = data
    refuse(lambda: datasets.load("a-line"), words)
