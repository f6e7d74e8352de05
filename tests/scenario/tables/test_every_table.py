"""Tables of every kind: they go on where they were, and bad settings are refused in one sentence."""

import json

import pytest

from particlegvi.scenario import load
from particlegvi.scenario.kinds import build
from particlegvi.scenario.tables import run_table

from ...data_sets import settings_of
from ...refusals import refused

# settings, a cell of theirs, how many there are, the metrics of the panels, and an entry of table.json
TABLES = {
    "ensembles": (
        settings_of(
            "ensembles", rows=["yacht"], models=["de", "drle", "linear"], protocols=["thesis", "thesis-leak"], splits=2,
            particles=3, steps=200,
        ),
        "yacht.de.thesis.1", 2 * 2 * 3, ["rmse", "nll", "nll_spread"], ("yacht", "rmse", "thesis", "de"),
    ),
    "wasserstein": (
        settings_of(
            "wasserstein", rows=["yacht"], models=["gwi-net", "net-constant", "svgp", "linear"],
            protocols=["standardised", "thesis"], splits=2, inducing_points=20,
        ),
        "yacht.svgp.thesis.1", 2 * 2 * 4, ["nll"], ("yacht", "rmse", "thesis", "svgp"),
    ),
    "linear": (
        settings_of("linear", rows=["boston"], models=["exact", "factorised", "linear"], splits=2, inducing_points=6),
        "boston.factorised.standard.1", 6, ["nll", "kl"], ("boston", "nll", "standard", "exact"),
    ),
    "approximation": (
        settings_of("approximation", sizes=[4, 7], trials=2), "synthetic.elbo.7.1", 2 * 2 * 8, None,
        ("synthetic", "rmse", "4", "elbo"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample("linear")
@pytest.mark.often("wasserstein", "approximation")
def test_a_table_goes_on_where_it_was(name, made, few, tmp_path):
    settings, cell, number, metrics, entry = TABLES[name]
    table = run_table(settings, tmp_path, workers=1)
    table.label = "table"  # as `particlegvi.run` names its results
    first = (tmp_path / "table.md").read_bytes()
    assert table.markdown() == first.decode() and len(table.scores) == number
    (tmp_path / "cells" / f"{cell}.json").unlink()
    assert run_table(settings, tmp_path, workers=1).scores == table.scores
    assert (tmp_path / "table.md").read_bytes() == first
    found = json.loads((tmp_path / "table.json").read_text())["entries"]
    for key in entry:
        found = found[key]
    assert found["splits"] == 2
    if metrics is not None:
        assert [panel.metric for panel in table.panels()] == metrics
    if name == "ensembles":
        assert "of the test rows were trained on" in first.decode()
        assert table.cells()[0][:4] == ["protocol", "score", "", "DE"]
    if name == "wasserstein":
        panels = table.panels(["nll", "rmse"])
        shown = {(table.declared.label(model), "standardised") for model in settings.models}
        assert set(panels[1].series) == shown and set(panels[0].series) == shown | set(panels[0].printed)
        assert panels[0].printed == (("GWI-net", "printed"),) and not panels[1].printed
    if name == "approximation":  # other sizes leave cells as they are
        wider = settings_of("approximation", sizes=[7], models=["elbo", "random"], trials=2)
        kept = run_table(wider, tmp_path, lambda label, done, cells: None, workers=1)
        assert kept.scores == {cell: each for cell, each in table.scores.items() if cell in kept.scores}


BAD = {
    "uci-ensembles": (
        ({"rows": ["yahct"]}, 'did you mean "yacht"'),
        ({"protocols": ["thesis", "thesis"]}, "protocols must be"),
        ({"particles": 1}, "particles must be"),
        ({"inducing_points": 3}, "there is no parameter of the table ensembles"),
    ),
    "uci-linear-benchmark": (
        ({"rows": ["bosten"]}, 'did you mean "boston"'),
        ({"models": ["random-81"]}, 'did you mean "random-80"'),
        ({"particles": 7}, "there is no parameter of the table"),
        ({"protocols": ["thesis"]}, "there is no protocol"),
    ),
    "sparse-approximation": (
        ({"rows": ["airfoyl"]}, 'did you mean "airfoil"'),
        ({"sizes": []}, "sizes must be a list of at least one whole number"),
        ({"sizes": [4, 4]}, "sizes must be a list of at least one whole number, none twice"),
        ({"sizes": [10_001]}, "sizes[0] must be a whole number from 1 to 10000"),
        ({"splits": 2}, "there is no parameter of the table approximation"),
    ),
    "uci-function-space": (
        ({"models": "pls"}, "models must be a list of at least one name, none twice"),
        ({"models": {}}, "models must be a list of at least one name, none twice, not a table"),
        ({"steps": 10}, "there is no parameter of the table"),
        ({"loss": "double-well"}, "there is no key of the kind table"),
    ),
}


test_bad_settings_are_refused = refused(
    lambda name, changes: build(load(name, changes)),
    *[(name, *row) for name, rows in BAD.items() for row in rows],
    plain=True,
)


def test_a_protocol_has_its_rows_and_models():
    parts = build(load("uci-gaussian-wasserstein-short"))
    assert parts.rows == ("yacht", "boston") and parts.models_of("best-of-30", "yacht") == ("gwi-net", "net-constant")
    assert parts.models_of("best-of-30", "energy") == ()
