"""Predictions of a model for rows that it has not seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Numbers(NamedTuple):
    """Predicted observations, noise included: means and standard deviations, on the test and the validation rows."""

    mean: np.ndarray
    sd: np.ndarray
    validation_mean: np.ndarray
    validation_sd: np.ndarray


class Classes(NamedTuple):
    """The probability of label 1 on the test rows."""

    probability: np.ndarray
