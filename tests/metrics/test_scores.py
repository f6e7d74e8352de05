"""Scores against their definitions and scipy's densities; calibration against the theory of conformal intervals."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.metrics import roc_auc_score

from particlegvi import metrics
from particlegvi.metrics.calibration import conformal_radius, variance_factor
from particlegvi.metrics.mixtures import Mixture

from ..refusals import refused


@pytest.mark.parametrize("values", [2, 5, 1000])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_area_is_the_share_of_ordered_pairs_with_and_without_ties(values, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(83) < 0.3).astype(float)
    score = rng.integers(values, size=83) / 7.0
    assert metrics.area_under_curve(y, score) == pytest.approx(roc_auc_score(y, score), rel=1e-14)
    assert metrics.area_under_curve(1.0 - y, -score) == pytest.approx(roc_auc_score(y, score), rel=1e-14)


def test_the_other_scores_against_their_definitions():
    rng = np.random.default_rng(3)
    y, p = (rng.random(61) < 0.4).astype(float), rng.random(61)
    assert metrics.bernoulli_nll(y, p) == pytest.approx(-stats.bernoulli(p).logpmf(y).mean(), rel=1e-13)
    assert metrics.brier_score(y, p) == pytest.approx(sum((a - b) ** 2 for a, b in zip(y, p, strict=True)) / 61)
    assert metrics.accuracy(y, p) == pytest.approx(np.mean([round(b) == a for a, b in zip(y, p, strict=True)]))


def test_certainty_costs_nothing_where_right_and_everything_where_wrong():
    assert metrics.bernoulli_nll([0, 1], [0.0, 1.0]) == 0.0
    assert metrics.bernoulli_nll([0, 1], [0.0, 0.0]) == math.inf
    assert metrics.accuracy([0, 1], [0.5, 0.5]) == 0.5


test_bad_arguments_are_named = refused(
    (lambda: metrics.area_under_curve([1, 1], [0.0, 1.0]), "0 zeros and 2 ones"),
    (lambda: metrics.area_under_curve([0, 1], [0.0, np.nan]), "score must .*, not one with NaN or infinity"),
    (lambda: metrics.accuracy([0, 2], [0.5, 0.5]), "y must be labels 0 and 1, not 2"),
    (lambda: metrics.brier_score([0, 1], [0.5, 1.5]), r"probability must be probabilities from 0 to 1, not 1\.5"),
    (lambda: metrics.bernoulli_nll([0, 1], [0.5]), r"probability must .*, not an array of the shape \(1,"),
)


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
    samples, own = mean + np.random.default_rng(1).normal(size=(9, 57)), np.linspace(0.5, 2.0, 9)[:, None] * sd
    score = [-np.log(stats.norm(samples, sds).pdf(y).mean(axis=0)).mean() for sds in (sd, own)]
    assert [metrics.mixture_nll(y, samples, sd), Mixture(samples, own).nll(y)] == pytest.approx(score, rel=1e-12)


def test_the_mixture_score_is_finite_far_from_every_particle():
    far = metrics.mixture_nll([1000.0], [[0.0], [1.0]], 1.0)
    # the nearer particle gives half of all there is: (999^2)/2 + log 2 + log sqrt(2 pi), the other e^-999 of it
    assert far == pytest.approx(999.0**2 / 2.0 + math.log(2.0) + 0.5 * math.log(2.0 * math.pi), rel=1e-14)


def test_errors_in_the_units_of_y():
    y, mean = [1.0, 2.0, 6.0], [2.0, 2.0, 2.0]
    assert metrics.mean_absolute_error(y, mean) == pytest.approx(5.0 / 3.0)
    assert metrics.root_mean_squared_error(y, mean) == pytest.approx(math.sqrt(17.0 / 3.0))


def test_coverage_counts_the_ends_of_an_interval():
    assert metrics.coverage([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 4.0], [0.0, 0.5, np.inf, 5.0]) == 0.5
    assert metrics.coverage([0.0, 1.0], -np.inf, np.inf) == 1.0


test_bad_arguments_of_regression_are_named = refused(
    (lambda: metrics.gaussian_nll([1.0], [1.0, 2.0], 1.0), r"mean must .*, not an array of the shape \(2,"),
    (lambda: metrics.gaussian_nll([np.nan], [1.0], 1.0), "y must .*, not one with NaN or infinity"),
    (lambda: metrics.mean_absolute_error([], []), "at least 1"),
    (lambda: metrics.mixture_nll([1.0], [1.0], 1.0), r"samples must be an arra.*, not an array of the shape \(1,"),
    (lambda: metrics.mixture_nll([1.0], [[1.0]], -1.0), "noise_sd must be positive numbers from 1e-75, not -1"),
    (lambda: metrics.coverage([1.0], [np.nan], [1.0]), "low must be a number or infinity, or an.*, not NaN"),
)


# Calibration ----------------------------------------------------------------------------------------------------------


def test_coverage_given_the_validation_set_has_its_beta_law():
    n, coverage = 30, 0.9
    rank = math.ceil((n + 1) * coverage)
    rng = np.random.default_rng(8)
    given = [2.0 * stats.norm.cdf(conformal_radius(rng.normal(size=n), 0.0, 1.0, coverage)) - 1.0 for _ in range(1000)]
    assert stats.kstest(given, stats.beta(rank, n + 1 - rank).cdf).pvalue > 0.01
    assert stats.kstest(given, stats.beta(rank - 1, n + 2 - rank).cdf).pvalue < 1e-6


def test_the_rank_is_exact_where_floating_point_is_not():
    assert math.ceil(100 * 0.55) == 56
    scores = np.arange(1.0, 100.0)
    for percent in range(1, 100):
        assert conformal_radius(scores, 0.0, 1.0, percent / 100) == percent


def test_too_few_points_give_an_endless_interval():
    assert conformal_radius(np.zeros(8), 1.0, 1.0, 0.9) == math.inf
    assert conformal_radius(np.zeros(9), 1.0, 1.0, 0.9) == 1.0


@pytest.fixture
def spread():
    rng = np.random.default_rng(0)
    mean, sd = rng.normal(size=150), rng.gamma(3.0, size=150)
    return mean + 1.7 * sd * rng.normal(size=150), mean, sd


def test_no_other_factor_does_better_on_the_validation_data(spread):
    y, mean, sd = spread
    found = optimize.minimize_scalar(
        lambda log: metrics.gaussian_nll(y, mean, math.exp(0.5 * log) * sd), bounds=(-5.0, 5.0), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    assert variance_factor(y, mean, sd) == pytest.approx(math.exp(found.x), rel=1e-6)


test_bad_arguments_of_calibration_are_named = refused(
    *((lambda coverage=coverage: conformal_radius([1.0], [1.0], 1.0, coverage),
       "coverage must be a number between 0 and 1, not") for coverage in (0.0, 1.0, -0.1, math.nan)),
    (lambda: variance_factor([1.0, 2.0], [1.0, 2.0], 1.0), "equals its y exactly"),
    (lambda: variance_factor([1.0, 2.0], [1.0, 2.0], -1.0), "sd must be positive numbers from 1e-75, not -1"),
)  # fmt: skip
