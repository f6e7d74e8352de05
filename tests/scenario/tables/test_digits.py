"""The table of digits: its splits, its scores against sums written out, and each model on a few images."""

import numpy as np
import pytest

from particlegvi.scenario.tables import digits as models
from particlegvi.scenario.tables import run_table
from particlegvi.scenario.tables.problem import Part, Problem
from particlegvi.scenario.tables.settings import Task, declaration

from ...data_sets import settings_of
from ...refusals import refuse


@pytest.fixture
def few(monkeypatch):
    """Blobs of three classes in four pixels, and a fourth class far from them."""

    def problem(row, protocol, split):
        random = np.random.default_rng(split)
        centres = 0.5 + 0.5 * np.array([[1, 1, 0, 0], [-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1.0]])
        X = np.concatenate([centre + 0.08 * random.normal(size=(60, 4)) for centre in centres])
        y = np.repeat([0.0, 1.0, 2.0], 60)
        order = random.permutation(180)
        parts = [Part(X[rows], y[rows]) for rows in np.split(order, [110, 140])]
        return Problem(row=row, protocol=protocol, split=split, train=parts[0], validation=parts[1], test=parts[2],
                       task="classification", shared={"elsewhere": X[180:]})  # fmt: skip

    monkeypatch.setattr(models, "LENGTHSCALE", 0.5)
    monkeypatch.setattr(models, "ITERATIONS", 60)
    return problem


@pytest.mark.parametrize("model", declaration("digits").models)
@pytest.mark.sample("gwi", "svgp")
def test_each_model_learns_blobs_and_its_scores_are_those_of_its_probabilities(model, few):
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    settings, problem = settings_of("digits", inducing_points=12, steps=150, particles=3), few("8-9", "standard", 3)
    found = models.score(Task("8-9", model, "standard", 3), settings, problem)
    assert found["accuracy"] > 90.0 and found["nll"] < 0.4
    seen, elsewhere = models.predicted(model, problem, settings)
    labels = problem.test.y.astype(int)
    assert found["nll"] == pytest.approx(-np.log(seen[range(40), labels]).mean(), rel=1e-9)
    entropy = lambda p: -(p * np.log(np.maximum(p, 1e-300))).sum(axis=1)
    inside, outside = entropy(seen), entropy(elsewhere)
    wins = (outside[:, None] > inside).mean() + 0.5 * (outside[:, None] == inside).mean()
    assert found["elsewhere"] == pytest.approx(100.0 * wins)
    if model in ("gwi", "svgp"):
        assert found["elsewhere"] > 90.0


def test_held_out_digits_are_in_no_other_part():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    problem = models.problem("3-5", "standard", 1)
    parts = (problem.train, problem.validation, problem.test)
    assert sum(len(part.y) for part in parts) + len(problem.shared["elsewhere"]) == 1797
    assert set(problem.train.y) == set(range(8)) and problem.train.X.max() == 1.0
    rows = {tuple(row) for part in parts for row in part.X}
    assert not rows & {tuple(row) for row in problem.shared["elsewhere"]}
    other = models.problem("3-5", "standard", 2)
    assert not np.array_equal(other.test.X, problem.test.X)


@pytest.mark.thorough
def test_the_table_is_written_and_bad_settings_are_refused(tmp_path, few, monkeypatch):
    monkeypatch.setattr(models, "problem", few)
    settings = settings_of(
        "digits", rows=["8-9"], models=["svgp", "ensemble"], inducing_points=8, steps=50, particles=2
    )
    table = run_table(settings, tmp_path, workers=1)
    assert len(table.scores) == 4 and "8 and 9" in table.markdown() and "DE" in table.markdown()
    refuse(lambda: settings_of("digits", rows=["8-8"]), "row of the table")
    refuse(lambda: settings_of("digits", models=["cnn"]), "model of the table")
    refuse(lambda: settings_of("digits", particles=0), "particles must be")
