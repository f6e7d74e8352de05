"""The splits are those of the published tables: compared with the recipes' own programs."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.datasets import holdout, standard_splits, thesis_split

from ..refusals import refused


@pytest.mark.parametrize("rows", [308, 506, 1030, 1599, 11934])
def test_the_standard_splits_are_those_of_the_papers_program(rows):
    stream = np.random.RandomState(1)
    for train, test in standard_splits(rows, count=20):
        order = stream.choice(range(rows), rows, replace=False)
        end = round(np.floor(rows * 0.9 + 0.5))
        np.testing.assert_array_equal(train, order[:end])
        np.testing.assert_array_equal(test, order[end:])


@pytest.mark.parametrize("rows", [20, 302, 308, 351, 506, 768, 892, 1025, 1030, 1599, 9568])
@pytest.mark.parametrize("seed", [0, 4])
def test_the_thesis_splits_are_those_of_scikit_learn(rows, seed):
    selection = pytest.importorskip("sklearn.model_selection", reason="needs scikit-learn")
    every = np.arange(rows)
    ours = thesis_split(rows, seed, "classification")
    theirs = selection.train_test_split(every, test_size=0.25, random_state=seed)
    np.testing.assert_array_equal(ours.train, theirs[0])
    np.testing.assert_array_equal(ours.test, theirs[1])
    assert len(ours.validation) == 0

    ours = thesis_split(rows, seed, "regression")
    train, rest = selection.train_test_split(every, test_size=1 - 0.8, random_state=seed)
    tested = 1 - 0.8 - 0.1
    validation, test = selection.train_test_split(rest, test_size=tested / (tested + 0.1), random_state=seed)
    for mine, other in zip(ours, (train, validation, test), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("rows", [11, 308, 6497])
def test_every_row_has_one_place(task, rows):
    for seed in range(5):
        parts = thesis_split(rows, seed, task)
        np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(rows))
    first, second = thesis_split(rows, 0, task), thesis_split(rows, 1, task)
    assert not np.array_equal(first.test, second.test)


test_splits_that_leave_nothing_are_refused = refused(
    (lambda: holdout(3, 0.0, 0), r"test must be a fraction that leaves a row of 3 on each side, not 0\.0"),
    (lambda: holdout(3, 1.5, 0), r"test must be a fraction that leaves a row of 3 on each side, not 1\.5"),
    (lambda: holdout(1, 0.5, 0), r"test must be a fraction that leaves a row of 1 on each side, not 0\.5"),
    (lambda: thesis_split(100, 0, "ranking"), 'task must be "regression" or "classification", not "ranking"'),
    (lambda: next(standard_splits(5)), "rows must be at least 6 for a 90/10 split, not 5"),
)
