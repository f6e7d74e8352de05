"""The table as drawn: the printed numbers are the thesis's, ours are means over the finished splits."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.scenario.tables import ProjectedSettings, ProjectedTable, Task, published, rows
from particlegvi.scenario.tables.functions import holds_up
from particlegvi.scenario.tables.functions.protocols import PRINTED


def table(scores: dict[int, float], row: str = "boston", metric: str = "nll", **settings) -> ProjectedTable:
    chosen = ProjectedSettings(rows=(row,), models=("pls",), protocols=("standardised",), **settings)
    return ProjectedTable(chosen, {Task(row, "pls", "standardised", split): {metric: x} for split, x in scores.items()})


def test_the_printed_table_has_sixteen_rows_with_two_metrics_of_two_models():
    assert len(rows()) == 16
    for row in rows():
        first, second = PRINTED.metrics(row)
        assert (first, second) in (("nll", "mae"), ("auc", "accuracy"))
        for metric in (first, second):
            for model in ("pls", "svgp"):
                mean, sd = published(row, metric, model)
                assert np.isfinite(mean) and sd > 0.0
            assert published(row, metric, "linear") is None
    with pytest.raises(ValueError, match='there is no row of the table "bostn"'):
        published("bostn", "nll", "pls")


def test_some_printed_numbers_as_they_stand_in_the_thesis():
    assert published("yacht", "nll", "svgp") == (-0.406, 0.183)
    assert published("wine-colour", "accuracy", "svgp") == (85.98, 3.34)
    assert published("kin8nm", "mae", "pls") == (0.407, 0.011)


def test_means_and_standard_deviations_are_over_the_finished_splits():
    entry = table({0: 1.0, 1: 2.0, 4: 6.0}).entry("boston", "pls", "standardised", "nll")
    assert entry == (3.0, pytest.approx(np.sqrt(7.0)), 3, 0)
    assert table({0: 1.0}).entry("boston", "pls", "standardised", "nll") == (1.0, 0.0, 1, 0)
    assert table({}).entry("boston", "pls", "standardised", "nll") is None
    assert table({0: 1.0}).entry("boston", "pls", "standardised", "mae") is None
    assert table({0: 1.0, 7: 5.0}, first_split=5).entry("boston", "pls", "standardised", "nll").mean == 5.0


@pytest.mark.parametrize(
    ("row", "metric", "just", "over"), [("boston", "nll", 1.159, 1.161), ("breast", "auc", 97.48, 97.46)]
)
def test_a_row_holds_up_to_one_printed_standard_deviation(row, metric, just, over):
    assert holds_up(row, just) and not holds_up(row, over)
    assert table({0: just}, row, metric).held() == {row: True}
    assert table({0: over}, row, metric).held() == {row: False}
    assert table({}, row, metric).held() == {}


def test_the_drawn_table():
    drawn = table({0: 0.5, 1: 0.7}).markdown()
    assert "| Boston | 0.845 (0.315) | 0.918 (0.162) | 0.600 (0.141) |" in drawn
    assert "| Boston | 0.361 (0.057) | 0.399 (0.046) | - |" in drawn
    assert "on 1 of 1 rows" in drawn
    assert "| Breast | 98.37 (0.90) | 98.44 (0.81) | 97.00 (0.00) |" in table({0: 97.0}, "breast", "auc").markdown()
    lines = [line for line in drawn.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
