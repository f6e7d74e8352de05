"""Scores of regression against scipy's densities and against exact expectations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from particlegvi import metrics


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    return rng.normal(size=57), rng.normal(size=57), rng.gamma(2.0, size=57)


def test_the_gaussian_score_is_minus_the_log_density(case):
    y, mean, sd = case
    assert metrics.gaussian_nll(y, mean, sd) == pytest.approx(-stats.norm(mean, sd).logpdf(y).mean(), rel=1e-13)
    assert metrics.gaussian_nll(y, mean, 0.3) == pytest.approx(-stats.norm(mean, 0.3).logpdf(y).mean(), rel=1e-13)


def test_the_mixture_score_is_minus_the_log_of_the_average_density(case):
    y, mean, sd = case
    samples = mean + np.random.default_rng(1).normal(size=(9, 57))
    density = np.mean([stats.norm(row, sd).pdf(y) for row in samples], axis=0)
    assert metrics.mixture_nll(y, samples, sd) == pytest.approx(-np.log(density).mean(), rel=1e-12)


def test_the_mixture_of_one_particle_is_the_gaussian(case):
    y, mean, sd = case
    assert metrics.mixture_nll(y, mean[None, :], sd) == pytest.approx(metrics.gaussian_nll(y, mean, sd), rel=1e-13)


def test_the_mixture_score_is_finite_far_from_every_particle():
    far = metrics.mixture_nll([1000.0], [[0.0], [1.0]], 1.0)
    # the nearer particle gives half of all there is: (999^2)/2 + log 2 + log sqrt(2 pi), the other e^-999 of it
    assert far == pytest.approx(999.0**2 / 2.0 + math.log(2.0) + 0.5 * math.log(2.0 * math.pi), rel=1e-14)


def test_a_bimodal_prediction_is_not_its_gaussian_summary():
    rng = np.random.default_rng(2)
    samples = np.sign(rng.normal(size=(100, 2000))) * 3.0
    y = np.sign(rng.normal(size=2000)) * 3.0 + 0.1 * rng.normal(size=2000)
    sd = np.sqrt(samples.var(axis=0) + 0.01)
    # The entropy of the mixture: log 2 + log(0.1 sqrt(2 pi e)); of the Gaussian with sd 3: log(3 sqrt(2 pi e)).
    entropy = 0.5 * math.log(2.0 * math.pi * math.e)
    assert metrics.mixture_nll(y, samples, 0.1) == pytest.approx(math.log(2.0) + math.log(0.1) + entropy, abs=0.1)
    assert metrics.gaussian_nll(y, samples.mean(axis=0), sd) == pytest.approx(math.log(3.0) + entropy, abs=0.1)


def test_errors_in_the_units_of_y():
    y, mean = [1.0, 2.0, 6.0], [2.0, 2.0, 2.0]
    assert metrics.mean_absolute_error(y, mean) == pytest.approx(5.0 / 3.0)
    assert metrics.root_mean_squared_error(y, mean) == pytest.approx(math.sqrt(17.0 / 3.0))


def test_coverage_counts_the_ends_of_an_interval():
    assert metrics.coverage([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 4.0], [0.0, 0.5, np.inf, 5.0]) == 0.5
    assert metrics.coverage([0.0, 1.0], -np.inf, np.inf) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.gaussian_nll([1.0], [1.0, 2.0], 1.0), r"mean must .*, not an array of the shape \(2,"),
        (lambda: metrics.gaussian_nll([1.0], [1.0], 0.0), "sd must be positive numbers from 1e-75, not 0"),
        (lambda: metrics.gaussian_nll([np.nan], [1.0], 1.0), "y must .*, not one with NaN or infinity"),
        (lambda: metrics.mean_absolute_error([], []), "at least 1"),
        (lambda: metrics.mixture_nll([1.0], [1.0], 1.0), r"samples must be an arra.*, not an array of the shape \(1,"),
        (lambda: metrics.mixture_nll([1.0], [[np.inf]], 1.0), "samples must .*, not one with NaN or infinity"),
        (lambda: metrics.mixture_nll([1.0], [[1.0]], -1.0), "noise_sd must be positive numbers from 1e-75, not -1"),
        (lambda: metrics.coverage([1.0], [np.nan], [1.0]), "low must be a number or infinity, or an.*, not NaN"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
