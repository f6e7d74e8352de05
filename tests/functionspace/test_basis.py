"""Bases that are stored and made again, and a basis without inducing points from outside the package."""

import numpy as np
import pytest

from particlegvi.functionspace import ProjectedLangevinSampler, basis, likelihoods, residuals
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.covariances import Matern52, SquaredExponential

from ..refusals import refuse
from .references import assert_law, gaussian_posterior

K = SquaredExponential(0.6, 1.3)
Z = np.linspace(-1.0, 1.0, 5)[:, None]
NOISE = 0.05


class Cosines:
    """sqrt(w_m) cos(m pi x / width), m = 0, 1, ..., with the spectral weights w of the squared exponential."""

    name = "cosines"
    inputs = 1

    def __init__(self, covariance, frequencies, width):
        self.covariance, self.frequencies, self.width = covariance, np.asarray(frequencies, dtype=np.float64), width
        weights = np.exp(-0.5 * (self.frequencies * np.pi / width * covariance.lengthscale) ** 2)
        self.roots = np.sqrt(covariance.variance * weights / weights.sum())

    @property
    def size(self):
        return len(self.frequencies)

    def features(self, X):
        return np.cos(np.pi / self.width * np.asarray(X)[:, :1] * self.frequencies) * self.roots

    def prior_variances(self, prior):
        return np.ones(self.size) if prior == "gp" else self.roots**2

    def state(self):
        return {"frequencies": self.frequencies, "width": self.width}

    def facts(self):
        return {"cosines": self.size}


def sampler(likelihood, **settings):
    return ProjectedLangevinSampler(K, likelihood, Cosines(K, np.arange(4), 2.5), **settings)


def data():
    rng = np.random.default_rng(4)
    X = rng.uniform(-1.5, 1.5, (50, 1))
    return X, np.cos(2.0 * X[:, 0]) + np.sqrt(NOISE) * rng.normal(size=50)


@pytest.mark.parametrize("prior", ["rkhs", "gp"])
def test_a_basis_without_inducing_points_is_sampled(prior):
    X, y = data()
    pls = sampler(likelihoods.Gaussian(NOISE), particles=4000, prior=prior, seed=2).fit(X, y)
    made = Cosines(K, np.arange(4), 2.5)
    E, variances = made.features(X), made.prior_variances(prior)
    assert_law(pls.coefficients_, *gaussian_posterior(E, y, NOISE, variances))
    with pytest.raises(AssertionError):  # the prior is not idle
        assert_law(pls.coefficients_, *gaussian_posterior(E, y, NOISE, 1e-3 * variances))
    assert (pls.info_["basis"], pls.info_["selection"]) == ({"cosines": 4}, {})
    at = np.linspace(-2.0, 2.0, 9)[:, None]
    mean, sd = pls.predict(at, return_std=True)
    e, rest = made.features(at), K.diagonal(at) - np.sum(made.features(at) ** 2, axis=1)
    np.testing.assert_allclose(mean, e @ pls.coefficients_.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(sd**2, (pls.coefficients_ @ e.T).var(axis=0) + np.maximum(rest, 0.0), rtol=1e-10)


@pytest.mark.parametrize("likelihood", [likelihoods.Bernoulli(), likelihoods.Poisson(), likelihoods.StudentT(4.0, 0.3)])
def test_every_plan_takes_such_a_basis(likelihood):
    X, y = data()
    y = {"bernoulli-logistic": y > 0.0, "poisson-square": np.round(4.0 * np.abs(y))}.get(likelihood.name, y)
    pls = sampler(likelihood, particles=6, steps=20).fit(X, y)
    assert pls.coefficients_.shape == (6, 4)
    assert np.all(np.isfinite(pls.sample(X[:5])))


def test_what_needs_inducing_points_says_so():
    X, y = data()
    sentence = 'needs a basis with inducing points, such as nystroem; the basis is "cosines"'
    with pytest.raises(ValueError, match='residual="thesis" ' + sentence):
        sampler(likelihoods.Gaussian(NOISE), residual="thesis").fit(X, y)
    with pytest.raises(ValueError, match="eigenvalues_ " + sentence):
        sampler(likelihoods.Gaussian(NOISE), particles=2, steps=1).fit(X, y).eigenvalues_  # noqa: B018
    refuse(lambda: residuals.get("thesis", Cosines(K, [0, 1], 2.0)), "needs a basis with inducing points")


MATERN = Matern52(0.5, 1.4)
UNION = fl.Intervals([0.0, 0.25], [0.25, 0.5]) + fl.Points([[1.0], [0.1]]) + fl.Slopes([[0.7]])
FOURIER = fl.Fourier(-0.5, 2.5, 6, ends=True)
OWN = [Cosines(K, np.arange(3), 1.7), basis.Mercer(K, 0.5, 1.3, 7)]
MADE = [
    (basis.Nystroem(K, Z), 5),
    *((basis.Projection(k, of), of) for k, of in ((K, UNION), (MATERN, FOURIER))),
    *zip(OWN, OWN, strict=True),
]


@pytest.mark.parametrize(("made", "choice"), MADE, ids=lambda each: getattr(each, "name", "choice"))
def test_packed_arrays_give_the_basis_back_with_the_same_bytes(made, choice):
    arrays, at = packed(made), np.linspace(-2.0, 3.0, 30)[:, None]
    assert all(each.dtype == np.float64 and each.ndim > 0 for each in arrays.values())
    again = unpacked(made.covariance, choice, {**arrays, "mean": np.zeros(3)})
    assert type(again) is type(made) and again.facts() == made.facts()
    assert again.features(at).tobytes() == made.features(at).tobytes()
    left = made.covariance.diagonal(at) - np.sum(made.features(at) ** 2, axis=1)
    assert left.min() > -1e-10  # no basis explains more than the prior has


def test_weights_of_other_functionals_are_refused():
    arrays = packed(basis.Projection(K, UNION))
    refuse(lambda: unpacked(K, fl.Points([[0.1]]), arrays), "weights must be an array .1, size., a row for each")
