"""Tables of small made data sets, so that what computes, keeps and draws them is tested without any download."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.datasets import Dataset, MissingData, load
from particlegvi.scenario.tables import TableSettings
from particlegvi.scenario.tables.problem import Classes, Numbers


def made(name: str) -> Dataset:
    """A line with noise, or labels that follow its sign; the inputs are in units of a hundred."""
    rng = np.random.default_rng(len(name))
    X = 100.0 * rng.normal(size=(80, 2)) + 300.0
    signal = (X[:, 0] - 300.0) / 100.0 + 0.3 * rng.normal(size=80)
    task = "classification" if name in ("heart", "heart-1025", "yeast") else "regression"
    y = (signal > 0.0).astype(float) if task == "classification" else 7.0 * signal + 5.0
    return Dataset(name, task, X, y, ("a", "b"), "y", "", "here", "none")


def first_input(problem, settings):
    """A model of the first input, whose errors depend on a setting, so that a test can tell cells apart."""
    if problem.task == "classification":
        return Classes(1.0 / (1.0 + np.exp(-problem.test.X[:, 0])))
    parts = (problem.test, problem.validation)
    (mean, sd), (validation_mean, validation_sd) = ((part.X[:, 0], np.full(len(part.y), 0.5)) for part in parts)
    return Numbers(mean + 1e-3 * settings.seed, sd, validation_mean, validation_sd)


def least_squares_rmse(task) -> float:
    """The error of a line with an intercept on the rows that test, in the units of the targets."""
    A, B = (np.column_stack([part.X, np.ones(len(part.y))]) for part in (task.train, task.test))
    weights = np.linalg.lstsq(A, task.train.y, rcond=None)[0]
    return task.scale * np.sqrt(np.mean((task.test.y - B @ weights) ** 2))


def needed(*names: str) -> None:
    """Skips the test where one of these data sets is not on this machine."""
    try:
        for name in names:
            load(name)
    except MissingData as missing:
        pytest.skip(str(missing))


def wave(name: str) -> Dataset:
    """A hundred rows of a sine of the first input with noise; the inputs are far from 0 and 1."""
    rng = np.random.default_rng(len(name))
    X = 50.0 + 7.0 * rng.standard_normal((100, 3))
    y = 5.0 + 2.0 * np.sin(X[:, 0] / 7.0) + 0.1 * rng.standard_normal(100)
    return Dataset(name, "regression", X, y, ("a", "b", "c"), "y", "", "here", "none")


def settings_of(table: str, **given) -> TableSettings:
    """The settings of a table."""
    return TableSettings.of({"table": table, **given})
