"""Networks under the protocol "standard" of Table 5.1, on splits and with a seed that no page quotes: a minute."""

from __future__ import annotations

import pytest

from particlegvi import datasets
from particlegvi.scenario.tables import EnsembleSettings, run_table
from particlegvi.scenario.tables.ensembles.protocols import PRINTED, STANDARD

FRESH = {"first_split": 40, "seed": 7, "protocols": ("standard",)}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def data():
    try:
        for row in PRINTED.rows():
            datasets.load(STANDARD.get(row, row))
    except datasets.MissingData as absent:
        pytest.skip(str(absent))


def test_concrete(tmp_path):
    table = run_table(
        EnsembleSettings(rows=("concrete",), models=("de", "dle", "linear"), splits=10, **FRESH), tmp_path, workers=1
    )
    of = lambda model, metric: table.entry("concrete", model, "standard", metric).mean
    for model in ("de", "dle"):
        assert of(model, "rmse") <= 5.6 and of(model, "nll") <= 3.25
    assert of("linear", "rmse") > 9.0 and of("linear", "nll") > 3.6
    mean, error = table.paired("concrete", "dle", "standard", "nll")
    assert abs(mean) < 4.0 * error + 0.02  # they cannot be told apart


def test_every_row_is_covered(tmp_path):
    table = run_table(EnsembleSettings(models=("de", "linear"), splits=3, **FRESH), tmp_path, workers=1)
    of = lambda row, model, metric: table.entry(row, model, "standard", metric).mean
    assert of("kin8nm", "de", "rmse") <= 0.095 < 2.0 * 0.095 < of("kin8nm", "linear", "rmse")
    for row in PRINTED.rows():
        assert 0.84 <= of(row, "de", "coverage_90") <= 0.97, row
        assert of(row, "de", "rmse") < of(row, "linear", "rmse") + (0.02 if row == "wine" else 0.0), row
