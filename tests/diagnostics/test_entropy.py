"""Entropies against scipy's closed forms and a plain loop, within standard errors from the estimators' variances."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma

from particlegvi import diagnostics

SPACINGS, NEIGHBOURS = diagnostics.entropy_spacings, diagnostics.entropy_nearest_neighbours
LAWS = {
    "normal": stats.norm(3.0, 2.0), "exponential": stats.expon(0.0, 0.5), "student": stats.t(5),
    "laplace": stats.laplace(-1.0, 3.0), "uniform": stats.uniform(2.0, 1e-3),
}  # fmt: skip


def mean_and_error(estimates):
    return np.mean(estimates), np.std(estimates, ddof=1) / np.sqrt(len(estimates))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("estimator", [SPACINGS, NEIGHBOURS])
def test_the_entropy_of_known_laws(name, estimator):
    """Without bias to a quarter of one sample's standard deviation, in the mean of 100 samples of 1000 draws."""
    law = LAWS[name]
    draws = law.rvs(size=(100, 1000), random_state=np.random.default_rng(0))
    estimates = [estimator(x) for x in draws]
    mean, error = mean_and_error(estimates)
    assert abs(mean - law.entropy()) < 4.0 * error + 0.25 * np.std(estimates)
    assert np.std(estimates) < 0.06
    doubled = np.mean([estimator(2.0 * x) for x in draws[:20]])  # negative control: log 2 more
    assert abs(doubled - law.entropy()) > 4.0 * error + 0.25 * np.std(estimates)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_spacings_are_unbiased_for_the_uniform_law(order):
    draws = np.random.default_rng(1).random((4000, 12))
    mean, error = mean_and_error([SPACINGS(x, order) for x in draws])
    assert abs(mean) < 4.0 * error < 0.03


@pytest.mark.parametrize("dim", [2, 3])
def test_nearest_neighbours_of_a_correlated_normal(dim):
    random = np.random.default_rng(dim)
    factor = np.tril(random.normal(size=(dim, dim))) + 2.0 * np.eye(dim)
    exact = stats.multivariate_normal(np.zeros(dim), factor @ factor.T).entropy()
    estimates = [NEIGHBOURS(random.normal(size=(2000, dim)) @ factor.T + 5.0) for _ in range(40)]
    mean, error = mean_and_error(estimates)
    assert abs(mean - exact) < 4.0 * error + 0.02 * dim  # the bias falls with n^(-2/dim)
    assert diagnostics.entropy(random.normal(size=(50, dim)))[1] == "nearest neighbours"


def test_nearest_neighbours_by_a_plain_loop():
    x = np.random.default_rng(5).normal(size=(40, 2))
    distances = np.sort(np.linalg.norm(x[:, None] - x, axis=2), axis=1)[:, 3]
    exact = digamma(40) - digamma(3) + np.log(np.pi) + 2.0 * np.mean(np.log(distances))
    assert NEIGHBOURS(x) == pytest.approx(exact, rel=1e-12)


def test_spacings_by_a_plain_loop():
    x = np.random.default_rng(6).normal(size=9)
    ordered, total = sorted(x), 0.0
    for i in range(9):
        low, high = max(i - 2, 0), min(i + 2, 8)
        total += np.log(ordered[high] - ordered[low]) - digamma(high - low)
    assert SPACINGS(x, order=2) == pytest.approx(total / 9 + digamma(10), rel=1e-12)
    assert diagnostics.entropy(x)[1] == "spacings"


def test_atoms_have_no_entropy():
    assert SPACINGS(np.repeat([1.0, 2.0], 10)) == -np.inf
    assert NEIGHBOURS(np.repeat([[1.0, 2.0], [3.0, 4.0]], 10, axis=0)) == -np.inf


@pytest.mark.parametrize("estimator", [SPACINGS, NEIGHBOURS])
def test_bad_arguments_are_named(estimator):
    with pytest.raises(ValueError, match="particles must be at least two for an entropy, not one"):
        estimator([1.0])
    with pytest.raises(ValueError, match="^(neighbours|order) must be a whole number of 1 or more, not 0"):
        estimator([1.0, 2.0], 0)
    with pytest.raises(ValueError, match=r"particles must be an array \(n,"):
        estimator([1.0, np.nan])
