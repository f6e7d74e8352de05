"""The variance factor is where the validation likelihood is highest, found here by a search that knows no formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from particlegvi.metrics import gaussian_nll
from particlegvi.metrics.calibration import variance_factor


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    mean, sd = rng.normal(size=150), rng.gamma(3.0, size=150)
    return mean + 1.7 * sd * rng.normal(size=150), mean, sd


def test_no_other_factor_does_better_on_the_validation_data(case):
    y, mean, sd = case
    found = optimize.minimize_scalar(
        lambda log: gaussian_nll(y, mean, math.exp(0.5 * log) * sd), bounds=(-5.0, 5.0), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    assert variance_factor(y, mean, sd) == pytest.approx(math.exp(found.x), rel=1e-6)


def test_twice_the_factor_costs_what_theory_says(case):
    y, mean, sd = case
    a = variance_factor(y, mean, sd)
    loss = gaussian_nll(y, mean, math.sqrt(2.0 * a) * sd) - gaussian_nll(y, mean, math.sqrt(a) * sd)
    assert loss == pytest.approx(0.5 * math.log(2.0) - 0.25, abs=1e-12)


def test_a_tempered_prediction_needs_no_more_tempering(case):
    y, mean, sd = case
    assert variance_factor(y, mean, math.sqrt(variance_factor(y, mean, sd)) * sd) == pytest.approx(1.0, rel=1e-13)


def test_the_right_spread_is_left_as_it_is():
    rng = np.random.default_rng(1)
    n = 20_000
    sd = rng.gamma(3.0, size=n)
    error = math.sqrt(2.0 / n)  # of the mean of n squared standard normals
    assert abs(variance_factor(sd * rng.normal(size=n), 0.0, sd) - 1.0) < 4.0 * error
    assert abs(variance_factor(1.1 * sd * rng.normal(size=n), 0.0, sd) - 1.0) > 4.0 * error


def test_exact_predictions_have_no_best_factor():
    with pytest.raises(ValueError, match="equals its y exactly"):
        variance_factor([1.0, 2.0], [1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match="sd must be positive numbers from 1e-75, not -1"):
        variance_factor([1.0, 2.0], [1.0, 2.0], -1.0)
