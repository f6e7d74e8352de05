"""Every kind of scenario can be swept."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import datasets
from particlegvi.scenario import kinds

FEW = {
    "approximation": (
        "sparse-approximation",
        {"models": ["random"], "sizes": [10], "trials": 1},
        {"sizes": [[6], [12]]},
        "rmse",
    ),
    "function-space": (
        "regression-curve",
        {"particles": 10},
        {"likelihood.noise_variance": [0.01, 0.1]},
        "log_density",
    ),
    "table": (
        "uci-function-space-short",
        {"rows": ["yacht"], "models": ["linear"], "protocols": ["standardised"], "splits": 1},
        {"first_split": [0, 1]},
        "nll",
    ),
    "ensemble-table": (
        "uci-ensembles-short",
        {"rows": ["yacht"], "steps": 100, "splits": 1},
        {"first_split": [0, 1]},
        None,
    ),
    "networks": (
        "two-moons",
        {"steps": 20, "particles": 2, "methods.DRE-weights": None, "methods.DRE-outputs": None, "record_every": 0},
        {"network.hidden": [[3], [5]]},
        None,
    ),
    "particles": (
        "four-particles",
        {"steps": 20, "step_size": 0.001},
        {"loss": ["four-gaussians", "banana"]},
        "average_loss",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", kinds.names())
def test_a_sweep_of_every_kind(kind, tmp_path):
    name, overrides, over, measure = FEW[kind]
    if kind.endswith("table"):
        try:
            datasets.load("yacht")
        except datasets.MissingData as missing:
            pytest.skip(str(missing))
    found = pg.sweep(name, over=over, seeds=1, out=tmp_path / "s", measure=measure, **overrides)
    assert found.computed == 2 and set(found.table.of["status"]) == {"finished"}
    [shown] = found.measures
    numbers = [found.values(shown, method) for method in found.methods if found.has(shown, method)]
    assert measure in (None, shown) and sum(np.isfinite(each).sum() for each in numbers) == len(found.table)
    assert (tmp_path / "s" / "lines.png").exists()
    assert pg.resume(tmp_path / "s").computed == 0
