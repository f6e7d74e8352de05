"""What the scenarios of networks promise, on seeds that did not choose their settings: slow."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg

pytestmark = pytest.mark.slow


def means(name, seeds, **changes):
    """By method and key, the means of the facts over runs of a scenario."""
    found: dict = {}
    for seed in seeds:
        for label, facts in pg.run(name, seed=seed, **changes).summary["methods"].items():
            for key, value in facts.items():
                if isinstance(value, float):
                    found.setdefault((label, key), []).append(value)
            for table in ("regions", "reference"):
                for region, scores in facts.get(table, {}).items():
                    for key, value in scores.items():
                        found.setdefault((label, f"{table}.{region}.{key}"), []).append(value)
    return {key: float(np.mean(values)) for key, values in found.items()}


def test_two_moons():
    found = means("two-moons", range(33_000, 33_006))
    for key in ("auroc", "auroc_beyond"):
        assert found["DRE-outputs", key] > 0.9
        assert found["DE", key] < 0.6 and found["DRE-weights", key] < 0.6
    assert abs(found["DRE-outputs", "nll"] - found["DE", "nll"]) < 0.03


def test_regression_gap():
    found = means("regression-gap", range(47_000, 47_024), methods={"DLE": False})
    assert found["DRE", "regions.gap.coverage_90"] >= 0.9
    assert found["DRE", "regions.gap.nll"] < found["DE", "regions.gap.nll"]
    assert found["DRE", "regions.outside.nll"] < 0.5 * found["DE", "regions.outside.nll"]
    assert found["DRE", "regions.gap.spread"] < 5.0 * found["DRE", "reference.gap.spread"]
    assert abs(found["DRE", "nll"] - found["DE", "nll"]) < 0.12
