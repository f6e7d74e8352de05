"""Split conformal intervals keep their promise: the coverage theory gives for n points, and no less."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from particlegvi.metrics import gaussian_nll
from particlegvi.metrics.calibration import conformal_radius, variance_factor

from ..refusals import refuse

REPEATS = 4000


def misses(n: int, coverage: float, radius) -> tuple[float, float]:
    """The coverage of a new point over many fresh validation sets of n, and its standard error.

    The predictions are bad (a constant mean, a wrong sd) and the noise has heavy tails: the promise asks for neither.
    """
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(REPEATS):
        x = rng.uniform(1.0, 3.0, size=n + 1)
        y = x + x * rng.standard_t(3.0, size=n + 1)
        r = radius(y[:-1], 1.0, np.sqrt(x[:-1]), coverage)
        hits += abs(y[-1] - 1.0) <= r * math.sqrt(x[-1])
    share = hits / REPEATS
    return share, math.sqrt(coverage * (1.0 - coverage) / REPEATS)


@pytest.mark.parametrize(("n", "coverage"), [(9, 0.9), (19, 0.9), (25, 0.8), (40, 0.5)])
def test_coverage_lies_between_the_bounds_of_the_theory(n, coverage):
    share, error = misses(n, coverage, conformal_radius)
    assert coverage - 3.5 * error <= share <= coverage + 1.0 / (n + 1) + 3.5 * error


def test_the_plain_quantile_of_the_scores_breaks_the_promise():
    def plain(y, mean, sd, coverage):
        return np.quantile(np.abs(y - mean) / sd, coverage)

    share, error = misses(9, 0.9, plain)
    assert share < 0.9 - 3.5 * error


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


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.1, math.nan])
def test_an_impossible_coverage_is_refused(coverage):
    refuse(lambda: conformal_radius([1.0], [1.0], 1.0, coverage), "coverage must be a number between 0 and 1, not")


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


def test_the_right_spread_is_left_as_it_is():
    rng = np.random.default_rng(1)
    n = 20_000
    sd = rng.gamma(3.0, size=n)
    error = math.sqrt(2.0 / n)  # of the mean of n squared standard normals
    assert abs(variance_factor(sd * rng.normal(size=n), 0.0, sd) - 1.0) < 4.0 * error
    assert abs(variance_factor(1.1 * sd * rng.normal(size=n), 0.0, sd) - 1.0) > 4.0 * error


def test_exact_predictions_have_no_best_factor():
    refuse(lambda: variance_factor([1.0, 2.0], [1.0, 2.0], 1.0), "equals its y exactly")
    refuse(lambda: variance_factor([1.0, 2.0], [1.0, 2.0], -1.0), "sd must be positive numbers from 1e-75, not -1")
