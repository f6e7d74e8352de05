"""Scores of predictions in regression and in binary classification, each one number."""

from particlegvi.metrics.scores import (
    accuracy,
    area_under_curve,
    bernoulli_nll,
    brier_score,
    coverage,
    gaussian_nll,
    mean_absolute_error,
    mixture_nll,
    root_mean_squared_error,
)

__all__ = [
    "accuracy",
    "area_under_curve",
    "bernoulli_nll",
    "brier_score",
    "coverage",
    "gaussian_nll",
    "mean_absolute_error",
    "mixture_nll",
    "root_mean_squared_error",
]
