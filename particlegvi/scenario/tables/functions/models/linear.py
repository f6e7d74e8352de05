"""The linear baseline of all other models."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace import LinearRegression, LogisticRegression
from particlegvi.scenario.tables.functions.models.model import table_model
from particlegvi.scenario.tables.functions.settings import ProjectedSettings
from particlegvi.scenario.tables.problem import Classes, Numbers, Problem


@table_model("linear")
def linear(problem: Problem, settings: ProjectedSettings) -> Numbers | Classes:
    """Ordinary least squares with Gaussian errors; in classification logistic regression with a small penalty."""
    X, y = problem.train
    if problem.task == "classification":
        return Classes(LogisticRegression(penalty=1.0).fit(X, y).predict(problem.test.X))
    model = LinearRegression().fit(X, y)
    (mean, error), (v_mean, v_error) = (model.predict(p.X, return_std=True) for p in (problem.test, problem.validation))
    noise = math.sqrt(model.noise_variance)
    return Numbers(mean, np.hypot(error, noise), v_mean, np.hypot(v_error, noise))
