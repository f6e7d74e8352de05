"""Settings of one model alone: given in a table of models, checked by the model, part of what its cells depend on."""

import json

import numpy as np
import pytest

from particlegvi.scenario.tables import Task, measure, run_table
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions import protocols as problems
from particlegvi.scenario.tables.functions.models import table_model
from particlegvi.scenario.tables.problem import Classes, Numbers
from particlegvi.settings import checks
from particlegvi.version import __version__

from ...data_sets import made, settings_of

SHARED = {"inducing_points": 400, "particles": 100, "steps": 0, "iterations": 0, "seed": 0}


@table_model("constant", share=checks.number(least=0.0, allowed="a finite number of 0 or more"))
def constant(problem, settings, *, share=1.0, wide=False):
    """A model of this test alone: a multiple of the training rows' mean, whatever the inputs are."""
    y = problem.train.y + 1.0  # whose mean is not 0
    if problem.task == "classification":
        return Classes(np.full(len(problem.test.y), min(share * problem.train.y.mean(), 1.0)))
    sd = y.std() * (10.0 if wide else 1.0)
    test, validation = (np.full(len(part.y), share * y.mean()) for part in (problem.test, problem.validation))
    return Numbers(test, np.full_like(test, sd), validation, np.full_like(validation, sd))


@pytest.fixture
def measured(monkeypatch):
    """Made data, the test's model among the others, and the cells that were measured."""
    from particlegvi.scenario.tables import running

    calls = []
    scored = running.scores_of

    def noted(cell, *rest):
        calls.append(cell)
        return scored(cell, *rest)

    monkeypatch.setattr(problems, "load", made)
    monkeypatch.setitem(models.registry.parts(), "constant", constant)
    monkeypatch.setattr(running, "scores_of", noted)
    return calls


def table(own, folder, **more):
    chosen = {"rows": ["yacht"], "protocols": ["standardised"], "splits": 2, "models": own, **more}
    return run_table(chosen, folder, workers=1)


def test_a_list_and_a_table_without_settings_are_the_same():
    listed = settings_of("functions", models=["pls", "linear"])
    assert settings_of("functions", models={"pls": {"particles": None}, "linear": {}}) == listed
    own = settings_of("functions", models={"pls": {"particles": 50}, "linear": {}})
    assert own.models == ("pls", "linear") and own.own == {"pls": {"particles": 50}} and own != listed
    assert own.fits("pls") == {"version": __version__, **SHARED, "own": {"particles": 50}}
    assert own.fits("linear") == listed.fits("linear") == {"version": __version__, **SHARED, "own": {}}


def test_a_model_with_a_setting_of_its_own(measured, tmp_path):
    own = {"constant": {"share": 0.5}, "linear": {}}
    first = table(own, tmp_path)
    assert len(measured) == 4
    plain = table(["constant", "linear"], tmp_path / "plain")
    cells = {model: Task("yacht", model, "standardised", 0) for model in own}
    assert first.scores[cells["linear"]] == plain.scores[cells["linear"]]
    assert first.scores[cells["constant"]] != plain.scores[cells["constant"]]
    y = problems.problem("yacht", "standardised", 0).test.y
    assert first.scores[cells["constant"]]["mae"] == pytest.approx(np.abs(y - 0.5).mean(), rel=1e-12)
    assert plain.scores[cells["constant"]]["mae"] == pytest.approx(np.abs(y - 1.0).mean(), rel=1e-12)
    assert "| constant | linear |" in first.markdown()
    assert json.loads((tmp_path / "table.json").read_text())["settings"]["own"] == {"constant": {"share": 0.5}}
    kept = json.loads((tmp_path / "cells" / "yacht.constant.standardised.0.json").read_text())
    assert kept["settings"] == {"version": __version__, **SHARED, "own": {"share": 0.5}}


def test_a_changed_setting_measures_the_cells_of_its_model_alone(measured, tmp_path):
    table({"constant": {"share": 0.5}, "linear": {}}, tmp_path)
    for own, again in (
        ({"constant": {"share": 0.5}, "linear": {}}, set()),
        ({"linear": {}, "constant": {"share": 0.5}}, set()),
        ({"constant": {"share": 0.25}, "linear": {}}, {"constant"}),
        ({"constant": {"share": 0.25, "wide": True}, "linear": {}}, {"constant"}),
        (["constant", "linear"], {"constant"}),
    ):
        measured.clear()
        table(own, tmp_path)
        assert {cell.model for cell in measured} == again and len(measured) == 2 * len(again)
    measured.clear()
    table(["constant", "linear"], tmp_path, seed=1)  # the control: a shared setting is one of every model
    assert len(measured) == 4


def test_own_settings_of_pls_and_svgp_go_before_the_shared_ones(monkeypatch):
    monkeypatch.setattr(problems, "load", made)
    models_with = {"pls": {"particles": 20, "inducing_points": 5}, "svgp": {"inducing_points": 5}}
    for name, own in models_with.items():
        cell = Task("yacht", name, "standardised", 0)
        alone = measure(cell, settings_of("functions", models={name: own}))
        assert alone == measure(cell, settings_of("functions", **own))
        assert alone != measure(cell, settings_of("functions"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "models must be a table of 1 to 100 models"),
        ({"plss": {}}, 'there is no model of the table "plss"; did you mean "pls"'),
        ({"pls": 50}, "^models.pls must be a table of the model's own settings, not 50$"),
        ({"pls": {"particle": 50}}, 'there is no parameter of models.pls "particle"; did you mean "particles"'),
        ({"pls": {"particles": 1}}, "^models.pls.particles must be a whole number from 2 to 2147483647, not 1$"),
        ({"constant": {"share": -1.0}}, "^models.constant.share must be a finite number of 0 or more, not -1.0$"),
    ],
)
def test_bad_settings_of_a_model_are_answered_before_anything_is_written(given, words, measured, tmp_path):
    with pytest.raises(ValueError, match=words):
        table(given, tmp_path / "table")
    assert not measured and not (tmp_path / "table").exists()
