"""Scenarios of networks: refused in one sentence, the numbers of the summary, and the same bytes from the disk."""

import json

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario import load
from particlegvi.scenario.kinds import build
from particlegvi.scenario.kinds.networks.data import drawn
from particlegvi.scenario.kinds.networks.facts.ensemble import of_numbers

from ....refusals import refused

LINE = {
    "kind": "networks",
    "name": "small",
    "data": {"formula": "sin(2*x)", "count": 24, "gaps": [[-0.5, 0.5]]},
    "network": {"hidden": [8], "activation": "tanh"},
    "noise_variance": 0.01,
    "particles": 4,
    "steps": 60,
    "step_size": 0.02,
    "methods": {
        "DE": {}, "DLE": {"temper": 1.0},
        "DRE": {"mmd_weight": 0.1, "kernel": {"name": "on-outputs", "count": 6}},
        "last": {"method": "DRLE", "kl_weight": 1e-3, "mmd_weight": 0.1, "kernel": "on-last-layer"},
    },
}  # fmt: skip
MOONS = {
    **LINE, "data": {"name": "two-moons", "count": 30}, "methods": {
        "DE": {}, "DRE": {"mmd_weight": 0.1, "kernel": {"name": "on-outputs", "count": 6, "away": 1.0}},
    },
}  # fmt: skip


def of_method(**entry):
    return {"methods": {"DRLE": entry}}


test_bad_scenarios_are_refused_in_one_sentence = refused(
    lambda changes: build(load({key: value for key, value in {**LINE, **changes}.items() if value is not None})),
    *[
        ({"loss": "double-well"}, "there is no key of the kind networks"),
        ({"data": {"formula": "1/x", "low": 0.0, "scattered": False}}, "data.formula must be finite"),
        ({"data": {"formula": "x", "gaps": [[-9.0, 9.0]]}}, "data.gaps must leave"),
        ({"data": {"points": [[1.0]]}}, "data.points must be"),
        ({"network": {"hidden": [4096, 4096, 4096]}}, "network: hidden must make"),
        ({"prior": {"name": "layers", "weights": [1.0, 1.0, 1.0]}}, "prior: weights must be"),
        ({"cost": "logistic"}, "y must be labels"),
        ({"batch_size": 25}, "batch_size must be"),
        ({"integrator": "mala", "batch_size": 5, "methods": {"DLE": {"kl_weight": 0.1}}}, "batch_size"),
        (of_method(kl_weight=0.1, temper=1.0), "one of kl_weight and temper"),
        ({"noise_variance": None}, "temper must be left out"),
        (of_method(mmd_weight=0.1, kernel={"name": "on-outputs", "low": 2.0, "high": 1.0}), "kernel.low must be below"),
        (of_method(mmd_weight=0.1, kernel={"name": "on-outputs", "inputs": "fresh", "away": 1.0}), "one of away and"),
        (of_method(mmd_weight=0.1, kernel={"name": "on-outputs", "away": 50.0}), "away must"),
        ({"methods": {"SVGD": {}}}, "methods.SVGD"),
    ],
    plain=True,
)


@pytest.mark.thorough
def test_a_regression_has_its_numbers_and_comes_back(tmp_path):
    results = pg.run(LINE, out=tmp_path / "run", seed=3)
    found = results.summary["methods"]
    for label in LINE["methods"]:
        assert {"rmse", "nll", "nll_spread", "coverage_90", "spread", "spread_gap"} <= set(found[label])
        assert found[label]["noise_sd"] == pytest.approx(0.1)
        assert set(found[label]["regions"]) == {"inside", "gap", "outside"}
        assert found[label]["target"]["kind"] is None and found[label]["w1"] is None
    assert found["DLE"]["weights"]["kl_weight"] == pytest.approx(2 * 0.01 / 24)
    assert found["DE"]["displacement"]["interaction"] == 0.0 < found["DRE"]["displacement"]["interaction"]
    run = results["DE"]
    X, y = run.data.regions["inside"]
    f = run.predict(X)
    assert found["DE"]["rmse"] == pytest.approx(np.sqrt(np.mean((y - f.mean(axis=0)) ** 2)))
    assert found["DE"]["nll"] == pytest.approx(pg.metrics.mixture_nll(y, f, 0.1))
    far = np.full(len(y), 1e3)
    inside = [of_numbers(run, X, values)["coverage_90"] for values in (-far, f.mean(axis=0), far)]
    assert inside == [0.0, 1.0, 0.0]
    again = pg.load(tmp_path / "run")
    assert again.summary == results.summary
    assert np.array_equal(again["DRE"].predict(X), results["DRE"].predict(X))
    assert np.array_equal(np.load(tmp_path / "run" / "arrays" / "DE.inputs.npy"), run.data.X)
    text = again.kind.describe(again, again.scenario, again.summary)
    assert text.isascii() and "gap: spread" in text and max(map(len, text.splitlines())) < 140
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["methods"]["DE"]["rmse"] == found["DE"]["rmse"]


@pytest.mark.thorough
def test_a_tenth_of_the_rows_chooses_the_noise():
    """On a constant function that is easily fitted the noise is found; it is in the units of the targets."""
    data = {"formula": "0.5", "count": 400, "noise_sd": 0.3}
    given = {key: value for key, value in LINE.items() if key != "noise_variance"}
    results = pg.run({**given, "data": data, "steps": 400, "step_size": 0.1, "methods": {"DE": {}}}, seed=1)
    facts = results.summary["methods"]["DE"]
    assert facts["observations"] == 360
    assert abs(facts["noise_sd"] - 0.3) < 4.0 * 0.3 / np.sqrt(2 * 40)
    assert facts["coverage_90"] > 0.75


def test_a_classification_has_its_numbers():
    results = pg.run(MOONS, seed=1)
    facts = results.summary["methods"]["DRE"]
    assert {"nll", "accuracy", "auroc", "auroc_entropy", "auroc_beyond", "confidence_far"} <= set(facts)
    run = results["DRE"]
    (X, y), far = run.data.regions["test"], run.data.places["far"]
    p = run.probabilities(X)
    assert p.shape == (4, 1000, 2) and np.allclose(p.sum(axis=2), 1.0)
    assert facts["accuracy"] == pytest.approx(np.mean((p[:, :, 1].mean(axis=0) > 0.5) == y))
    distance = np.min([np.sqrt(((far - row) ** 2).sum(axis=1)) for row in run.data.X], axis=0)
    assert distance.min() > 1.0
    assert np.min([np.sqrt(((run.method.kernel.inputs - row) ** 2).sum(axis=1)) for row in run.data.X]) > 1.0
    assert 0.0 <= facts["auroc"] <= 1.0
    assert np.array_equal(pg.run(MOONS, seed=1)["DRE"].final, run.final)


def test_data_from_a_process_are_known_by_it():
    """The truth has the process's law: its distance from the mean, in standard deviations, is standard normal."""
    settings = load({**LINE, "data": {"name": "gaussian-process", "gaps": [[-1.0, 1.0]], "noise_sd": 0.1}})["data"]
    scores = []
    for seed in range(60):
        data = drawn(settings, seed)
        at = np.array([[-3.4], [0.0], [2.0]])
        mean, sd = data.process(at)
        scores.append((data.truth(at[:, 0]) - mean) / sd)
    assert abs(np.mean(scores)) < 4.0 / np.sqrt(np.size(scores))
    assert abs(np.mean(np.square(scores)) - 1.0) < 4.0 * np.sqrt(2.0 / np.size(scores))
