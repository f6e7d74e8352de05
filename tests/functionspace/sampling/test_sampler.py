"""Projected Langevin sampling for labels, its predictions and what it refuses."""

import numpy as np
import pytest
from scipy import special, stats

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.sampling.cost import DataCost

from ...refusals import refused
from ..references import metropolis, sine_labels

KERNEL = pg.kernels.SquaredExponential(0.8, 2.0)
SIX = np.linspace(-2.0, 2.0, 6)[:, None]


def labels(seed=0, rows=60):
    return sine_labels(np.random.default_rng(seed), rows)


def drawn(likelihood, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (40, 1))
    return X, likelihood.sample(1.5 * np.sin(2.0 * X[:, 0]), rng)


LOGISTIC = likelihoods.Bernoulli()
COUNTS, OUTLIERS = likelihoods.Poisson("log"), likelihoods.StudentT(3.0, 0.2)
WIDE, OTHER = pg.kernels.SquaredExponential(0.8, 64.0), pg.kernels.SquaredExponential(0.7, 2.0)
X60 = np.linspace(-2.0, 2.0, 60)[:, None]
SEPARABLE = X60, (X60[:, 0] > 0.1).astype(float)
LAWS = {
    "rkhs": (KERNEL, LOGISTIC, labels(0), {"particles": 4000, "seed": 0}),
    "gp": (KERNEL, LOGISTIC, labels(1), {"particles": 4000, "prior": "gp", "seed": 1}),
    "separable": (WIDE, LOGISTIC, SEPARABLE, {"particles": 1000, "prior": "gp", "seed": 3}),
    "counts": (OTHER, COUNTS, drawn(COUNTS, 1), {"particles": 1000, "seed": 1}),
    "outliers": (OTHER, OUTLIERS, drawn(OUTLIERS, 2), {"particles": 1000, "seed": 2}),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.sample("outliers")
@pytest.mark.often("counts")
def test_the_law_is_that_of_metropolis(name):
    """Mean and standard deviation of the function, and what the run says of itself."""
    kernel, likelihood, (X, y), settings = LAWS[name]
    pls = ProjectedLangevinSampler(kernel, likelihood, SIX, **settings).fit(X, y)
    E, variances = pls.basis(X), pls.basis_.prior_variances(pls.prior)

    def energy(u):
        return -likelihood.log_density(y, u @ E.T).sum(axis=1) + 0.5 * np.sum(u * u / variances, axis=1)

    potential = pls.potential(pls.coefficients_[:9]) - energy(pls.coefficients_[:9])
    np.testing.assert_allclose(potential, potential[0], atol=1e-7)  # but for a constant of the targets
    new = pls.basis(np.linspace(-2.5, 2.5, 21)[:, None])
    reference = metropolis(energy, pls.coefficients_[:400], 1600, settings["seed"]) @ new.T
    f, error = pls.coefficients_ @ new.T, reference.std(axis=0) / np.sqrt(len(pls.coefficients_))
    assert np.all(np.abs(f.mean(axis=0) - reference.mean(axis=0)) < 6.0 * error)
    np.testing.assert_allclose(f.std(axis=0), reference.std(axis=0), rtol=0.15 if kernel is OTHER else 0.1)
    told = pls.info_["equilibrium"]
    assert told["reached"]
    assert pls.info_["plan"] == "mixing" and pls.info_["steps"] <= 2000
    if kernel is KERNEL:
        assert 0.8 < told["excess_energy"] / told["expected_excess"] < 1.25


def test_a_run_that_is_too_short_says_so():
    X, y = labels()
    far = np.tile([30.0, -30.0, 30.0, 0.0, 0.0, 0.0], (100, 1))
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), SIX, steps=16, initial=far).fit(X, y)
    assert not pls.info_["equilibrium"]["reached"]
    assert "drifts" in pls.info_["equilibrium"]["because"]


def test_costs_and_gradients_are_sums_over_rows():
    likelihood, rng = likelihoods.Bernoulli(), np.random.default_rng(1)
    features, y = rng.normal(size=(50, 3)), (rng.random(50) < 0.5).astype(float)
    cost = DataCost(likelihood, features, y)
    z = rng.normal(size=(7, 3))
    full = likelihood.slope(z @ features.T, y) @ features
    np.testing.assert_allclose(cost.gradients(z), full, rtol=1e-12)
    np.testing.assert_allclose(cost.forces(z)[1], likelihood.cost(z @ features.T, y).sum(axis=1), rtol=1e-12)


@pytest.fixture(scope="module")
def fitted():
    return ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), SIX, 2000, prior="gp").fit(*labels(4))


class TestPrediction:
    X, y = labels(4)
    new = np.linspace(-4.0, 4.0, 17)[:, None]

    @pytest.mark.parametrize("prior", ["rkhs", "gp"])
    def test_far_from_the_data_is_the_prior(self, prior):
        pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), SIX, 500, prior=prior).fit(self.X, self.y)
        mean, sd = pls.predict([[30.0], [-50.0]], return_std=True)
        np.testing.assert_allclose(mean, 0.0, atol=1e-12)
        np.testing.assert_allclose(sd, np.sqrt(2.0), rtol=1e-12)
        np.testing.assert_allclose(pls.sample([[30.0], [-50.0]]).std(axis=0), np.sqrt(2.0), rtol=0.2)
        np.testing.assert_allclose(pls.predict_probability([[30.0]]), 0.5, atol=1e-9)

    @pytest.mark.thorough
    def test_moments_and_quantiles_are_those_of_the_samples(self, fitted):
        samples = fitted.sample(self.new)
        mean, sd = fitted.predict(self.new, return_std=True)
        quantiles = fitted.marginals(self.new).quantile([0.1, 0.5, 0.9])
        residual = np.sqrt(fitted.residual_.variance(self.new))
        # the coefficients are the same; only the residual is drawn
        assert np.all(np.abs(samples.mean(axis=0) - mean) < 5.0 * residual / np.sqrt(2000) + 1e-9)
        np.testing.assert_allclose(samples.std(axis=0), sd, rtol=0.08)
        for probability, quantile in zip([0.1, 0.5, 0.9], quantiles, strict=True):
            share = np.mean(samples <= quantile, axis=0)
            assert np.all(np.abs(share - probability) < 5.0 * np.sqrt(probability * (1 - probability) / 2000))
        assert np.array_equal(samples, fitted.sample(self.new))

    def test_probabilities_targets_and_densities_against_samples(self, fitted):
        rng = np.random.default_rng(8)
        residual = np.sqrt(fitted.residual_.variance(self.new))
        centres = fitted.coefficients_ @ fitted.basis(self.new).T
        draws = centres + residual * rng.normal(size=(50, *centres.shape))
        probabilities = special.expit(draws).mean(axis=(0, 1))
        np.testing.assert_allclose(fitted.predict_probability(self.new), probabilities, atol=0.005)
        mean, sd = fitted.predict(self.new, return_std=True, of="target")
        np.testing.assert_allclose(mean, fitted.predict_probability(self.new), rtol=1e-12)
        np.testing.assert_allclose(sd, np.sqrt(mean * (1.0 - mean)), rtol=1e-9)
        ones = fitted.log_predictive_density(self.new, np.ones(17))
        np.testing.assert_allclose(ones, np.log(mean), rtol=1e-9)

    def test_a_gaussian_density_is_exact(self):
        X, y = self.X, np.sin(self.X[:, 0])
        pls = ProjectedLangevinSampler(KERNEL, likelihoods.Gaussian(0.2), SIX, 300).fit(X, y)
        centres = pls.coefficients_ @ pls.basis(self.new).T
        variance = 0.2 + pls.residual_.variance(self.new)
        logs = -0.5 * (0.4 - centres) ** 2 / variance - 0.5 * np.log(2.0 * np.pi * variance)
        direct = special.logsumexp(logs, axis=0) - np.log(300)
        np.testing.assert_allclose(pls.log_predictive_density(self.new, np.full(17, 0.4)), direct, rtol=1e-6)
        sd = pls.predict(self.new, return_std=True, of="target")[1]
        np.testing.assert_allclose(sd**2, centres.var(axis=0) + variance, rtol=1e-9)

    @pytest.mark.thorough
    def test_a_density_much_narrower_than_the_residual(self):
        noise = likelihoods.ShiftedMixture(shift=0.5, noise_variance=1e-3, probability=0.3)
        pls = ProjectedLangevinSampler(KERNEL, noise, SIX, 50, steps=8).fit(self.X, np.sin(self.X[:, 0]))
        centres = pls.coefficients_ @ pls.basis(self.new).T
        sd = np.sqrt(1e-3 + pls.residual_.variance(self.new))
        direct = 0.7 * stats.norm.pdf(0.4, centres, sd) + 0.3 * stats.norm.pdf(0.4, centres + 0.5, sd)
        found = pls.log_predictive_density(self.new, np.full(17, 0.4))
        np.testing.assert_allclose(found, np.log(direct.mean(axis=0)), rtol=1e-5)

    def test_the_thesiss_residual(self):
        pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), SIX, 500, residual="thesis").fit(self.X, self.y)
        mean, sd = pls.predict(self.new, return_std=True)
        samples = pls.sample(self.new)
        np.testing.assert_allclose(samples.std(axis=0), sd, rtol=0.15)
        assert np.all(sd[[0, -1]] < 0.9)  # r(x, x) far away is not k's variance


@pytest.mark.parametrize("prior", ["rkhs", "gp"])
def test_particles_start_as_draws_from_the_prior(prior):
    X, y = labels()
    settings = {"prior": prior, "steps": 1, "step_size": 1e-14, "particles": 4000}
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.Bernoulli(), SIX, **settings).fit(X, y)
    variances = pls.eigenvalues_ if prior == "rkhs" else np.ones(6)
    np.testing.assert_allclose(np.cov(pls.coefficients_.T / np.sqrt(variances)[:, None]), np.eye(6), atol=0.12)


X40, Y40 = labels(9, 40)


SETTINGS = {"kernel": KERNEL, "likelihood": likelihoods.Bernoulli(), "inducing_points": SIX}
test_what_is_refused = refused(
    lambda settings, data: ProjectedLangevinSampler(**{**SETTINGS, **settings}).fit(*data),
    ({}, (X40, Y40 * 2.0), "y must be labels 0 and 1, not 2"),
    ({}, (np.where(X40 > 1, np.nan, X40), Y40), r"X must be an array \(n, dim\).*, not one with NaN or infinity"),
    ({"particles": 0}, (X40, Y40), "particles must be a whole number of 1 or more, not 0"),
    ({"steps": 0}, (X40, Y40), "steps must be a whole number of 1 or more, not 0"),
    ({"step_size": np.nan}, (X40, Y40), "step_size must be a positive finite number from 1e-150 to 1e.*, not nan"),
    ({"seed": -1}, (X40, Y40), r"seed must be a whole number from 0 to 2\^64 - 1, not -1"),
    ({"prior": "gauss"}, (X40, Y40), "prior of the coefficients"),
    ({"residual": "none"}, (X40, Y40), "no residual"),
    ({"residual": "thesis", "prior": "gp"}, (X40, Y40), 'prior must be "rkhs" with residual'),
    ({"integrator": "euler"}, (X40, Y40), 'did you mean "euler-maruyama"'),
    ({"moves": "all"}, (X40, Y40), "kind of moves"),
    ({"moves": "mix", "integrator": "euler-maruyama"}, (X40, Y40), "leave integrator out"),
    ({"initial": "posterior"}, (X40, Y40), 'initial must be "prior" or an array of coefficients, not "posterior"'),
    ({"initial": np.zeros((100, 5))}, (X40, Y40), r"initial must be an arra.*, not an array of the shape \(10"),
    ({"inducing_points": 41}, (X40, Y40), "the number of inducing points must be at most 40, the r.*, not 41"),
    ({"likelihood": "bernoulli"}, (X40, Y40), 'likelihood must be one of particlegv.*, not "bernoulli"'),
    ({"kernel": "rbf"}, (X40, Y40), r'kernel must be a covariance of particlegvi\.functionspace\..*, not "rbf"'),
)


def test_inducing_points_that_coincide_and_columns_that_are_constant():
    X = np.column_stack([X40[:, 0], np.full(40, 3.0)])
    Z = np.column_stack([np.repeat(SIX[:, 0], 2), np.full(12, 3.0)])
    pls = ProjectedLangevinSampler(KERNEL, likelihoods.Gaussian(0.1), Z, prior="gp").fit(X, Y40)
    once = ProjectedLangevinSampler(KERNEL, likelihoods.Gaussian(0.1), SIX, prior="gp").fit(X40, Y40)
    assert pls.coefficients_.shape == (100, 6)
    np.testing.assert_allclose(pls.predict(X), once.predict(X40), atol=0.15)
