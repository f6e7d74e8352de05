"""Likelihoods against scipy's densities, differences and sums over the targets."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from scipy.stats import norm

from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.prediction.class_probabilities import class_probabilities

from ...refusals import refused

RNG = np.random.default_rng(20)
F = np.concatenate([RNG.normal(size=200) * 2.0, [-6.0, 6.0, 0.01, -0.01]])
LABELS = RNG.integers(0, 2, len(F)).astype(float)
COUNTS = RNG.poisson(2.0, len(F)).astype(float)
REALS = RNG.normal(size=len(F)) * 2.0
T = likelihoods.StudentT(degrees_of_freedom=3.5, scale=0.6)
SHIFTED = likelihoods.ShiftedMixture(shift=-1.7, noise_variance=0.3, probability=0.35)


def label(y, log_probability, f):
    return y * log_probability(f) + (1.0 - y) * log_probability(-f)


# (likelihood, targets, log p(y|f) by scipy)
CASES = [
    (likelihoods.Gaussian(0.4), REALS, lambda y, f: stats.norm.logpdf(y, f, np.sqrt(0.4))),
    (likelihoods.Bernoulli(), LABELS, lambda y, f: label(y, special.log_expit, f)),
    (likelihoods.Bernoulli(steepness=2.5), LABELS, lambda y, f: label(y, special.log_expit, 2.5 * f)),
    (likelihoods.Poisson(), COUNTS, lambda y, f: stats.poisson.logpmf(y, f * f)),
    (likelihoods.Poisson("log", exposure=0.7), COUNTS, lambda y, f: stats.poisson.logpmf(y, 0.7 * np.exp(f))),
    (T, REALS, lambda y, f: stats.t.logpdf(y, 3.5, loc=f, scale=0.6)),
    (
        SHIFTED,
        REALS,
        lambda y, f: np.logaddexp(
            np.log(0.65) + stats.norm.logpdf(y, f, np.sqrt(0.3)),
            np.log(0.35) + stats.norm.logpdf(y, f - 1.7, np.sqrt(0.3)),
        ),
    ),
]
NAMES = [f"{case[0].name}-{number}" for number, case in enumerate(CASES)]
every = pytest.mark.parametrize(("likelihood", "y", "log_density"), CASES, ids=NAMES)


@every
def test_density_cost_and_derivatives(likelihood, y, log_density):
    """The density is scipy's; the cost is minus its logarithm up to a function of the target; then differences."""
    np.testing.assert_allclose(likelihood.log_density(y, F), log_density(y, F), rtol=1e-9, atol=1e-11)
    for target in np.unique(y)[:5]:
        rest = likelihood.cost(F, target) + log_density(target, F)
        np.testing.assert_allclose(rest, rest[0], atol=1e-9)
    width = 1e-5 * np.maximum(np.abs(F), 0.01)
    up, down = F + width, F - width
    for function, derivative in ((likelihood.cost, likelihood.slope), (likelihood.slope, likelihood.curvature)):
        rates = (function(up, y) - function(down, y)) / (up - down)
        np.testing.assert_allclose(derivative(F, y), rates, rtol=1e-6, atol=1e-7)


@every
def test_what_is_said_of_convexity_and_bounds(likelihood, y, log_density):
    f = np.linspace(-30.0, 30.0, 20001)[None]
    targets = np.unique(y)[:, None]
    curvature, slope = likelihood.curvature(f, targets), likelihood.slope(f, targets)
    chords = 0.5 * (likelihood.cost(f, targets) + likelihood.cost(-f, targets))
    below = likelihood.cost(np.zeros(1), targets) <= chords + 1e-9  # chords across 0, where a pole may be
    assert (curvature.min() >= 0.0 and bool(np.all(below))) == likelihood.convex
    if np.isfinite(likelihood.curvature_bound):
        assert 0.95 * likelihood.curvature_bound < curvature.max() <= likelihood.curvature_bound * (1 + 1e-9)
    if np.isfinite(likelihood.slope_bound):
        assert 0.95 * likelihood.slope_bound < np.abs(slope).max() <= likelihood.slope_bound * (1 + 1e-9)
        low, high = likelihood.slope_range(targets)
        at_least, at_most = slope.min(axis=1, keepdims=True), slope.max(axis=1, keepdims=True)
        assert np.all((low - 1e-12 <= at_least) & (at_least < low + 0.02))
        assert np.all((high - 0.02 < at_most) & (at_most <= high + 1e-12))
    assert likelihood.quadratic == (np.ptp(curvature) < 1e-12)
    assert likelihood.even == np.allclose(likelihood.cost(f, targets), likelihood.cost(-f, targets))


@every
def test_fisher_information_is_the_mean_curvature(likelihood, y, log_density):
    f = np.array([-1.3, 0.4, 1.1])
    if likelihood in (T, SHIFTED) or likelihood.quadratic:
        mean = [
            integrate.quad(
                lambda t, at=at: float(np.exp(log_density(t, at)) * likelihood.curvature(at, t)),
                -60,
                60,
                points=[at, at - 1.7],
                limit=500,
            )[0]
            for at in f
        ]
    else:
        targets = np.arange(2.0) if hasattr(likelihood, "probability") else np.arange(60.0)
        weights = np.exp(log_density(targets[:, None], f))
        mean = np.sum(weights * likelihood.curvature(f, targets[:, None]), axis=0)
    if likelihood is SHIFTED:
        assert np.all(likelihood.information(f) >= mean)
    else:
        np.testing.assert_allclose(likelihood.information(f), mean, rtol=1e-7)


@every
def test_draws_have_the_mean_and_the_variance(likelihood, y, log_density):
    f = np.repeat([-0.8, 0.5, 1.4], 20000)
    draws = likelihood.sample(f, 3).reshape(3, -1)
    at = f.reshape(3, -1)[:, 0]
    mean, variance = likelihood.mean(at), likelihood.variance(at)
    assert np.all(np.abs(draws.mean(axis=1) - mean) < 5.0 * np.sqrt(variance / 20000))
    if likelihood is not T:  # whose fourth moment is infinite
        fourth = np.mean((draws - mean[:, None]) ** 4, axis=1)
        assert np.all(np.abs(draws.var(axis=1) - variance) < 6.0 * np.sqrt((fourth - variance**2) / 20000))
    again = likelihood.sample(f, np.random.default_rng(3)).reshape(3, -1)
    assert np.array_equal(draws, again)


def test_far_from_the_data_nothing_overflows():
    far = np.array([-1e4, -800.0, -40.0, -30.5, -29.5, 40.0, 800.0, 1e4])
    logistic = likelihoods.Bernoulli()
    np.testing.assert_allclose(logistic.cost(far, 1.0), -special.log_expit(far), rtol=1e-12)
    for likelihood in (logistic, T, SHIFTED):
        for y in (0.0, 1.0):
            assert np.all(np.isfinite(likelihood.slope(far, y)))
            assert np.all(np.isfinite(likelihood.curvature(far, y)))


def test_the_pole_of_the_squared_link_is_guarded():
    square = likelihoods.Poisson()
    near = np.array([0.0, -0.0, 1e-200, -1e-200, 1e-12, -1e-12])
    for array in (square.cost(near, 3.0), square.slope(near, 3.0), square.curvature(near, 3.0)):
        assert np.all(np.isfinite(array))
    assert np.all(square.slope(near, 3.0) * np.copysign(1.0, near) < 0.0)  # away from the pole, on either side
    np.testing.assert_array_equal(square.cost(near, 0.0), near**2)
    tamed = square.tamed()
    assert np.abs(tamed.slope(near, 3.0)).max() <= 2.0 * 3.0 / 0.3 + 1.0
    np.testing.assert_array_equal(tamed.cost(F, COUNTS), square.cost(F, COUNTS))  # only proposals are tamed


test_targets_that_are_refused = refused(
    lambda likelihood, y: likelihood.check_targets(y, 3),
    (likelihoods.Bernoulli(), [0.0, -1.0, 1.0], "y must be labels 0 and 1, not -1"),
    (likelihoods.Poisson(), [0.0, -1.0, 1.0], "y must be counts, whole numbers of at least 0, not -1"),
    (likelihoods.Poisson("log"), [0.0, 0.5, 1.0], r"y must be counts, whole numbers of at least 0, not 0\.5"),
    (likelihoods.Gaussian(1.0), [0.0, np.nan, 1.0], "NaN"),
    (likelihoods.Gaussian(1.0), [0.0, 1.0], r"\(3,\)"),
    (T, [["a", "b", "c"]], "an array"),
)


def test_they_sum_to_one_at_all_scales(rng):
    means, variances = 3.0 * rng.standard_normal((300, 8)), 10.0 ** rng.uniform(-6.0, 2.0, (300, 8))
    found = class_probabilities(means, variances)
    assert np.abs(found.sum(axis=1) - 1.0).max() < 1e-12 and found.min() >= 0.0
    assert np.array_equal(found[7], class_probabilities(means[7], variances[7]))
    order = rng.permutation(8)
    assert np.allclose(class_probabilities(means[:, order], variances[:, order]), found[:, order], atol=1e-14)


def test_two_classes_have_a_closed_form(rng):
    means, variances = rng.standard_normal((200, 2)), 10.0 ** rng.uniform(-6.0, 2.0, (200, 2))
    exact = norm.cdf((means[:, 0] - means[:, 1]) / np.sqrt(variances.sum(axis=1)))
    assert np.allclose(class_probabilities(means, variances)[:, 0], exact, rtol=0.0, atol=1e-12)
