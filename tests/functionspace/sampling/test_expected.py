"""Sampling with the expected cost: the averages, their derivatives, the law of (6.22), and what it refuses."""

import numpy as np
import pytest
from scipy import integrate

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.likelihoods.expected import expected

from ...refusals import refuse
from ..references import sine_labels

KERNEL = pg.kernels.SquaredExponential(0.8, 4.0)
Z = np.array([[-1.0], [1.0]])
F = np.array([-7.0, -1.3, -0.2, 0.0, 0.4, 2.1])
CASES = [
    (likelihoods.Bernoulli(steepness=1.5), 1.0),
    pytest.param(likelihoods.StudentT(4.0, 1.2), 0.7, marks=pytest.mark.thorough),
    pytest.param(likelihoods.Poisson("log"), 3.0, marks=pytest.mark.thorough),
]


@pytest.mark.parametrize(("likelihood", "y"), CASES)
@pytest.mark.parametrize("sd", [0.0, 0.05, 1.1])
def test_averages_and_their_derivatives(likelihood, y, sd):
    of_rows, number = expected(likelihood, np.full(len(F), sd**2), np.full(len(F), y))
    found = of_rows.cost(F, number)

    def average(at):
        def summand(z):
            return np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * float(likelihood.cost(at + sd * z, y))

        return integrate.quad(summand, -9.0, 9.0, limit=200)[0]

    np.testing.assert_allclose(found, [average(at) for at in F], rtol=2e-5, atol=1e-7)
    width = 1e-5
    for function, derivative in ((of_rows.cost, of_rows.slope), (of_rows.slope, of_rows.curvature)):
        rates = (function(F + width, number) - function(F - width, number)) / (2.0 * width)
        np.testing.assert_allclose(derivative(F, number), rates, rtol=1e-5, atol=2e-5)


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
    refuse(lambda: expected(likelihoods.Poisson(), np.ones(5), y), "one whose cost has no pole")
    gaussian = likelihoods.Gaussian(0.3)
    assert expected(gaussian, np.ones(5), y)[0] is gaussian  # its cost changes by a constant only
