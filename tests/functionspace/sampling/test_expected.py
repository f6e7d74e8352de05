"""Sampling with the expected cost: the averages, their derivatives, the law of (6.22), and what it refuses."""

import numpy as np
import pytest
from scipy import integrate, special

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.likelihoods.expected import expected, mean_log

from ...refusals import refuse
from ..references import sine_labels

KERNEL = pg.kernels.SquaredExponential(0.8, 4.0)
Z = np.array([[-1.0], [1.0]])
F = np.array([-7.0, -1.3, -0.2, 0.0, 0.4, 2.1])
CASES = [
    (likelihoods.Bernoulli(steepness=1.5), 1.0),
    pytest.param(likelihoods.StudentT(4.0, 1.2), 0.7, marks=pytest.mark.thorough),
    pytest.param(likelihoods.Poisson("log"), 3.0, marks=pytest.mark.thorough),
    (likelihoods.Poisson(), 2.0),
    (likelihoods.Poisson(), 0.0),
]


@pytest.mark.parametrize(("likelihood", "y"), CASES)
@pytest.mark.parametrize("sd", [0.0, 0.05, 1.1])
def test_averages_and_their_derivatives(likelihood, y, sd):
    of_rows, number = expected(likelihood, np.full(len(F), sd**2), np.full(len(F), y))
    found = of_rows.cost(F, number)
    f = F if sd or y == 0.0 or not likelihood.even else F[F != 0.0]

    def average(at):
        def summand(z):
            return np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * float(likelihood.cost(at + sd * z, y))

        ends = sorted({-9.0, 9.0, *([-at / sd] if sd and abs(at / sd) < 9.0 else [])})
        return sum(integrate.quad(summand, *pair, limit=200)[0] for pair in zip(ends, ends[1:], strict=False))

    there = np.isin(F, f)
    np.testing.assert_allclose(found[there], [average(at) for at in f], rtol=2e-5, atol=1e-7)
    width = 1e-5
    where = there & (np.abs(F) > 2.0 * width) if not sd else there
    for function, derivative in ((of_rows.cost, of_rows.slope), (of_rows.slope, of_rows.curvature)):
        rates = (function(F + width, number) - function(F - width, number)) / (2.0 * width)
        np.testing.assert_allclose(derivative(F, number)[where], rates[where], rtol=1e-5, atol=2e-5)


def test_the_mean_logarithm_is_the_integral_of_dawsons_function():
    for x in (0.0, 0.3, 2.0, 5.99, 6.0, 9.0):
        at_0 = -0.5 * (np.euler_gamma + np.log(2.0))
        grown = 2.0 * integrate.quad(special.dawsn, 0.0, x)[0]
        assert mean_log(x) == pytest.approx(at_0 + grown, abs=1e-13)


def test_a_row_knows_its_number_and_the_sign_of_its_count():
    y = np.array([0.0, 4.0, 1.0])
    of_rows, numbers = expected(likelihoods.Poisson(), np.array([0.1, 0.2, 0.3]), y)
    assert np.array_equal(numbers, [-1.0, 2.0, 3.0]) and of_rows.even and not of_rows.convex
    assert np.all(of_rows.tamed().spreads >= 0.23)
    slopes = np.abs(of_rows.tamed().slope(np.linspace(-1.0, 1.0, 301)[:, None], numbers) / np.maximum(y, 1.0))
    assert slopes.max() < 2.0 + 2.0 / 0.3  # as with a guard of 0.3
    gaussian = likelihoods.Gaussian(0.3)
    same, as_they_are = expected(gaussian, np.ones(3), y)
    assert same is gaussian and as_they_are is y


def grid_moments(X, cost, variances):
    """Mean and sd of the two coefficients under exp(-V*), with the average by 60 nodes of its own."""
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), Z)
    e = pls.make_basis(pg.functionspace.covariances.of(KERNEL), X)[0].features(X)
    t = np.linspace(-8.0, 8.0, 201)
    u = np.stack(np.meshgrid(t, t), axis=-1).reshape(-1, 2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    V = 0.5 * np.sum(u**2, axis=1)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        V += weight * cost(u @ e.T + node * np.sqrt(variances)).sum(axis=1)
    p = np.exp(V.min() - V)
    p /= p.sum()
    return p @ u, np.sqrt(p @ u**2 - (p @ u) ** 2)


@pytest.mark.slow
def test_particles_have_the_best_law_of_the_family():
    X, y = sine_labels(np.random.default_rng(0), 40)
    settings = {"particles": 800, "prior": "gp", "seed": 1}
    best, plain = (
        ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), Z, data_cost=each, **settings).fit(X, y)
        for each in ("expected", "mean")
    )
    mean, sd = grid_moments(X, lambda f: np.logaddexp(0.0, f) - f * y, best.residual_.variance(X))

    def far(pls):
        return np.abs(pls.coefficients_.mean(axis=0) - mean).max() / (sd / np.sqrt(800.0)).min()

    assert far(best) < 4.0 < far(plain)  # the control: the cost at the residual's mean
    np.testing.assert_allclose(best.coefficients_.std(axis=0), sd, rtol=0.1)
    assert best.certificate().projection == 0.0 < plain.certificate().projection
    assert best.info_["data_cost"] == "expected" and "data_cost" not in plain.info_


def test_what_is_refused():
    X, y = np.linspace(-1.0, 1.0, 5)[:, None], np.zeros(5)
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), Z, data_cost="best")
    refuse(lambda: pls.fit(X, y), 'no data_cost "best"')
    thesis = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), Z, data_cost="expected", residual="thesis")
    refuse(lambda: thesis.fit(X, y), 'data_cost must be "mean" with residual="thesis"')
