"""The certificate of projected Langevin sampling: its suprema, its inversions, its bounds, and what it refuses."""

import itertools

import numpy as np
import pytest
from scipy import special

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.sampling.lipschitz import LipschitzSlopes, certificate_of, largest_form

from ...refusals import refuse
from ..references import sine_labels

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.9, variance=4.0)


def fitted(likelihood, y, X, points=5, prior="gp", **settings):
    Z = np.linspace(X.min(), X.max(), points)[:, None]
    sampler = ProjectedLangevinSampler(KERNEL, likelihood, Z, 20, steps=3, prior=prior, moves="none", **settings)
    return sampler.fit(X, y)


@pytest.fixture(scope="module")
def labels():
    return sine_labels(np.random.default_rng(0), 30)


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_form_is_at_a_corner_and_nearly_found(seed):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(10, rng.integers(1, 12)))
    S, low = half @ half.T, -rng.uniform(0.0, 2.0, 10)
    high = low + rng.uniform(0.0, 3.0, 10)
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=10))) * (high - low) + low
    exact = np.einsum("ci,ij,cj->c", corners, S, corners).max()
    found = largest_form(S, LipschitzSlopes(low, high))
    assert exact <= found <= 1.35 * exact
    # the plain bound, largest eigenvalue times squared length, is what the box sharpens
    assert found < 1.001 * np.linalg.eigvalsh(S)[-1] * np.sum(np.maximum(low**2, high**2))


@pytest.mark.parametrize("likelihood", [likelihoods.Bernoulli(steepness=2.0), likelihoods.StudentT(3.0, 0.5)])
def test_the_price_of_the_mean_is_formula_3(likelihood, labels):
    """Slopes and curvature on a fine grid of f, in the place of the likelihood's own bounds."""
    X, y = labels
    pls = fitted(likelihood, y, X)
    f = np.linspace(-30.0, 30.0, 60_001)
    slopes = likelihood.slope(f, np.zeros(len(f)))
    variances = 4.0 - np.sum(pls.basis(X) ** 2, axis=1)
    w = np.ptp(slopes) * np.sqrt(variances / (2.0 * np.pi))
    smooth = np.minimum(w, 0.5 * np.gradient(slopes, f).max() * variances)
    w = smooth if likelihood.convex else w + smooth
    assert pls.certificate().projection == pytest.approx(np.sum(w) ** 2 / 8.0, rel=1e-3)


def test_the_bounds_fall_with_more_points_and_are_below_those_of_the_thesis(labels):
    X, y = labels
    found = [fitted(likelihoods.Bernoulli(), y, X, points).certificate() for points in (3, 6, 12)]
    assert found[0].total > found[1].total > found[2].total > 0.0
    for each in found:
        assert each.total == each.family + each.projection == each.facts["total"]
        assert each.projection < each.facts["thesis"] / 6.2
    assert found[2].facts["informative"] and not found[0].facts["informative"]


def test_probabilities_are_those_that_the_divergence_of_coins_allows(labels):
    X, y = labels
    pls = fitted(likelihoods.Bernoulli(), y, X, 8)
    given, p = pls.certificate(), pls.predict_probability(X)
    low, high = given.probability_range(X)
    assert np.all((low < p) & (p < high))
    for end in (low, high):
        kl = special.rel_entr(p, end) + special.rel_entr(1.0 - p, 1.0 - end)
        np.testing.assert_allclose(kl, given.total, rtol=1e-6)
    assert np.all(high - p <= np.sqrt(0.5 * given.total))  # sharper than Pinsker's inequality


def test_the_band_widens_with_the_bound_until_it_is_infinite(labels):
    X, y = labels
    tight, loose = (fitted(likelihoods.Bernoulli(), y, X, points) for points in (14, 3))
    low, high = tight.certificate().band(X)
    own = tight.marginals(X).quantile([0.025, 0.975])
    assert np.all(low <= own[0]) and np.all(own[1] <= high) and np.all(high - low < 1.2 * (own[1] - own[0]))
    low, high = loose.certificate().band(X)
    assert np.all(low == -np.inf) and np.all(high == np.inf)


def test_means_of_two_rows_by_quadrature():
    """Student's cost, not convex: the mean of the exact posterior and of the one that is sampled, by sums."""
    X, y, u = np.array([[-0.3], [0.4]]), np.array([1.0, 2.5]), np.linspace(-9.0, 9.0, 401)
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.StudentT(3.0, 1.0), [[0.05]], prior="gp")
    given = certificate_of(pls.restored(Nystroem(KERNEL, [[0.05]]), np.zeros((1, 1))), X, y, "gp")
    f = np.stack(np.meshgrid(u, u), axis=-1) @ np.linalg.cholesky(pls.basis_.covariance(X)).T
    weights = np.exp(-0.5 * u[:, None] ** 2 - 0.5 * u**2 - pls.likelihood.cost(f, y).sum(axis=-1))
    exact = (weights[..., None] * f).sum(axis=(0, 1)) / weights.sum()
    e = pls.basis(X)
    law = np.exp(-0.5 * u**2 - pls.likelihood.cost(u[:, None] * e.T, y).sum(axis=1))
    error = np.abs(e[:, 0] * (law @ u) / law.sum() - exact)
    # the prior variance of f(x) times e^(2 asinh(pull / 2)), where the slopes' half range is 3 + 1 over 2 sqrt(3)
    pull = 2.0 / np.sqrt(3.0) * np.abs(pls.basis_.covariance(X)).sum(axis=0) / 2.0
    talagrand = np.sqrt(2.0 * given.total * 4.0 * np.exp(2.0 * np.arcsinh(0.5 * pull)))
    np.testing.assert_allclose(given.mean_error(X), talagrand, rtol=1e-9)
    assert np.all(error <= given.mean_error(X)) and np.any(error > 0.005 * given.mean_error(X))


@pytest.mark.thorough
def test_the_estimate_lies_between_the_exact_divergence_and_the_guarantee(labels):
    X, y = labels
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), 6, 400, prior="gp").fit(X, y)
    found = pls.certificate()
    normals = np.random.default_rng(1).normal(size=(1000, len(X)))
    G = pls.residual_.sample(X, np.concatenate([normals, -normals]))
    gaps = []
    for f in pls.coefficients_ @ pls.basis(X).T:
        cost = (np.logaddexp(0.0, f + G) - y * (f + G)).sum(axis=1)
        gaps.append(special.logsumexp(-cost) - np.log(len(G)) + cost.mean())
    kl = special.logsumexp(gaps) - np.log(len(gaps))
    f = pls.sample(X)
    slopes = special.expit(f) - y
    forms = np.einsum("jn,nm,jm->j", slopes, pls.residual_.covariance(X), slopes)
    sharper = special.logsumexp(0.5 * forms) - np.log(len(f)) + np.sqrt(8.0 * found.projection)
    assert found.estimate() == pytest.approx(sharper, rel=1e-9)
    assert kl < found.estimate() < 5.0 * kl and found.estimate() < 0.5 * found.family


def test_what_has_no_certificate(labels):
    X, y = labels
    no_slope = "the likelihood for a certificate must be one whose cost has a largest slope"
    basis = Nystroem(KERNEL, X[:3])
    for likelihood, prior, words in (
        (likelihoods.Poisson("log"), "gp", no_slope),
        (likelihoods.Gaussian(0.3), "gp", no_slope),
        (likelihoods.Bernoulli(), "rkhs", 'prior and residual must be "gp"'),
    ):
        pls = ProjectedLangevinSampler(KERNEL, likelihood, X[:3], prior=prior).restored(basis, np.zeros((1, 3)))
        refuse(lambda pls=pls, prior=prior: certificate_of(pls, X, y, prior), words)
    pls = fitted(likelihoods.Bernoulli(), y, X)
    refuse(lambda: pls.certificate().band(X, 1.0), "share must be above 0 and below 1")
    student = ProjectedLangevinSampler(KERNEL, likelihoods.StudentT(3.0, 1.0), X[:3]).restored(basis, np.zeros((1, 3)))
    refuse(certificate_of(student, X, y, "gp").estimate, "must be one with a convex cost and a largest slope")
    again = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), 3).restored(pls.basis_, pls.coefficients_)
    refuse(again.certificate, "call fit")
    pls.restored(basis, np.zeros((1, 3)))  # the data of the fit before say nothing of these coefficients
    refuse(pls.certificate, "call fit")
    refuse(lambda: pls.potential(np.zeros((1, 3))), "call fit")
