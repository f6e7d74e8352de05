"""Tables of every kind: they go on where they were, and bad settings are refused in one sentence."""

import json

import pytest

from particlegvi.scenario import load
from particlegvi.scenario.kinds import build
from particlegvi.scenario.tables import (
    ApproximationSettings,
    EnsembleSettings,
    LinearSettings,
    WassersteinSettings,
    run_table,
)
from particlegvi.scenario.tables.approximation.exact import MODELS

from ...refusals import refused

# settings, a cell of theirs, how many there are, the metrics of the panels, and an entry of table.json
TABLES = {
    "ensembles": (
        EnsembleSettings(rows=("yacht",), models=("de", "drle", "linear"), splits=2, particles=3, steps=200),
        "yacht.de.thesis.1", 2 * 3 * 3, ["rmse", "nll", "nll_spread"], ("yacht", "rmse", "thesis", "de"),
    ),
    "wasserstein": (
        WassersteinSettings(
            rows=("yacht",), models=("gwi-net", "net-constant", "svgp", "linear"), protocols=("standardised", "thesis"),
            splits=2, inducing_points=20,
        ),
        "yacht.svgp.thesis.1", 2 * 2 * 4, ["nll"], ("yacht", "rmse", "thesis", "svgp"),
    ),
    "linear": (
        LinearSettings(rows=("boston",), models=("exact", "factorised", "linear"), splits=2, inducing_points=6),
        "boston.factorised.standard.1", 6, ["nll", "kl"], ("boston", "nll", "standard", "exact"),
    ),
    "approximation": (
        ApproximationSettings(sizes=(4, 7), splits=2), "synthetic.elbo.7.1", 2 * 2 * len(MODELS), None, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_goes_on_where_it_was(name, made, few, tmp_path):
    settings, cell, number, metrics, entry = TABLES[name]
    table = run_table(settings, tmp_path, workers=1)
    table.label = "table"  # as `particlegvi.run` names its results
    first = (tmp_path / "table.md").read_bytes()
    assert table.markdown() == first.decode() and len(table.scores) == number
    (tmp_path / "cells" / f"{cell}.json").unlink()
    assert run_table(settings, tmp_path, workers=1).scores == table.scores
    assert (tmp_path / "table.md").read_bytes() == first
    if metrics is not None:
        assert [panel.metric for panel in table.panels()] == metrics
        found = json.loads((tmp_path / "table.json").read_text())["entries"]
        for key in entry:
            found = found[key]
        assert (found["splits"] if isinstance(found, dict) else found[2]) == 2
    if name == "ensembles":
        assert "of the test rows were trained on" in first.decode()
        assert table.cells()[0][:4] == ["protocol", "score", "", "DE"]
    if name == "wasserstein":
        panels = table.panels(["nll", "rmse"])
        shown = {(table.called(model), "standardised") for model in settings.models}
        assert set(panels[1].series) == shown and set(panels[0].series) == shown | set(panels[0].printed)
        assert panels[0].printed == (("GWI-SVGP", "printed"), ("GWI-net", "printed")) and not panels[1].printed
    if name == "approximation":  # other sizes leave cells as they are
        wider = ApproximationSettings(sizes=(7,), models=("elbo", "random"), splits=2)
        kept = run_table(wider, tmp_path, lambda label, done, cells: None, workers=1)
        assert kept.scores == {cell: each for cell, each in table.scores.items() if cell in kept.scores}


BAD = {
    "uci-ensembles": (
        ({"rows": ["yahct"]}, 'did you mean "yacht"'),
        ({"models": ["dre"]}, "there is no model of the table"),
        ({"models": []}, "models must be a list"),
        ({"protocols": ["thesis", "thesis"]}, "protocols must be"),
        ({"particles": 1}, "particles must be"),
        ({"steps": 1.5}, "steps must be"),
        ({"inducing_points": 3}, "inducing_points must be left out"),
    ),
    "uci-gaussian-wasserstein": (
        ({"rows": ["yahct"]}, 'did you mean "yacht"'),
        ({"models": ["gwi"]}, "there is no model of the table"),
        ({"protocols": ["best"]}, "there is no protocol"),
        ({"particles": 7}, "particles must be left out"),
        ({"steps": 7}, "steps must be left out"),
    ),
    "uci-linear-benchmark": (
        ({"rows": ["bosten"]}, 'did you mean "boston"'),
        ({"models": ["random-81"]}, 'did you mean "random-80"'),
        ({"particles": 7}, "particles must be left out"),
        ({"protocols": ["thesis"]}, "there is no protocol"),
    ),
    "sparse-approximation": (
        ({"rows": ["airfoyl"]}, 'did you mean "airfoil"'),
        ({"models": ["vfe"]}, "there is no model of the table"),
        ({"sizes": []}, "sizes must be a list of at least one whole number"),
        ({"sizes": [4, 4]}, "sizes must be a list of at least one whole number, none twice"),
        ({"sizes": [0]}, "sizes[0] must be"),
        ({"sizes": [1104], "rows": ["synthetic", "airfoil"]}, "sizes[0] must be a whole number from 1 to 1000"),
        ({"trials": 0}, "trials must be"),
        ({"iterations": 0}, "iterations must be"),
        ({"splits": 2}, "there is no key"),
    ),
    "uci-function-space": (
        ({"models": "pls"}, "a list of at least one name, or a table for each model, such as [models.pls], not "),
        ({"models": {}}, "models must be a table of 1 to 100 models, such as [models.pls], not a table"),
        ({"models.pls.particles": 1}, "models.pls.particles must be a whole number from 2 to 2147483647, not 1"),
        ({"steps": 10}, "steps must be left out"),
        ({"loss": "double-well"}, "there is no key of the kind table"),
    ),
}


test_bad_settings_are_refused = refused(
    lambda name, changes: build(load(name, changes)),
    *[(name, *row) for name, rows in BAD.items() for row in rows],
    plain=True,
)


def test_scenarios_have_the_defaults_of_their_tables():
    complete = load("uci-ensembles")
    assert complete["splits"] == 20 and complete["particles"] == 5 and "inducing_points" not in complete
    assert load(complete) == complete
    assert "table" not in load("uci-function-space") and load("uci-function-space")["inducing_points"] == 400
    complete = load("uci-gaussian-wasserstein")
    assert complete["splits"] == 10 and "particles" not in complete and load(complete) == complete
    parts = build(load("uci-gaussian-wasserstein-short"))
    assert parts.rows == ("yacht", "boston") and parts.models_of("best-of-30", "yacht") == ("gwi-net", "net-constant")
    assert parts.models_of("best-of-30", "energy") == ()
    complete = load({"kind": "table", "table": "linear", "name": "mine"})
    assert (complete["inducing_points"], complete["steps"], complete["splits"]) == (100, 3000, 5)
    assert build(load("uci-linear-benchmark-short")).rows == ("boston", "yacht")
