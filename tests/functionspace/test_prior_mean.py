"""Prior means other than zero: against the exact process, against quadrature, and what is refused."""

import numpy as np
import pytest
from scipy.special import expit

from particlegvi import functionspace as fs
from particlegvi.functionspace import divergences, likelihoods
from particlegvi.functionspace.covariances import SquaredExponential

from ..refusals import refuse

K = SquaredExponential(0.7, 1.5)
X = np.linspace(-1.0, 1.0, 7)[:, None]
Y = np.cos(3.0 * X[:, 0]) + 2.0
NEW = np.array([[-0.4], [0.3], [50.0]])
NOISE = likelihoods.Gaussian(0.1)


def line(x):
    return 2.0 - 0.1 * x[:, 0]


def test_with_gaussian_noise_all_models_are_the_exact_process_with_this_mean():
    mean, sd = fs.ExactGaussianProcess(K, 0.1, line).fit(X, Y).predict(NEW, return_std=True)
    assert mean[2] == pytest.approx(-3.0) and abs(fs.ExactGaussianProcess(K, 0.1).fit(X, Y).predict(NEW)[2]) < 1e-9
    sparse = fs.SparseGaussianProcess(K, NOISE, X, prior_mean=line).fit(X, Y)
    np.testing.assert_allclose(sparse.predict(NEW, return_std=True), [mean, sd], atol=1e-6)
    assert sparse.bound == pytest.approx(fs.ExactGaussianProcess(K, 0.1, line).fit(X, Y).log_marginal_likelihood())
    assert sparse.certify().kl < 1e-6
    normals = np.random.default_rng(0).normal(size=(4000, 10))
    np.testing.assert_allclose(sparse.sample(NEW, normals).mean(axis=0), mean, atol=5.0 * sd.max() / np.sqrt(4000))
    pls = fs.ProjectedLangevinSampler(K, NOISE, X, 2000, prior="gp", prior_mean=line).fit(X, Y)
    assert np.all(np.abs(pls.predict(NEW) - mean) < 5.0 * sd / np.sqrt(2000) + 1e-9)
    assert np.all(np.abs(pls.sample(NEW).mean(axis=0) - mean) < 5.0 * sd / np.sqrt(2000))
    for number, one in ((2.0, lambda x: np.full(len(x), 2.0)), (None, lambda x: np.zeros(len(x)))):
        by_number, by_function = (fs.GaussianWasserstein(K, NOISE, 5, prior_mean=each).fit(X, Y, (X, Y))
                                  for each in (number, one))  # fmt: skip
        assert np.array_equal(by_number.predict(NEW), by_function.predict(NEW))
    shifted = fs.GaussianWasserstein(K, NOISE, 5, prior_mean=line).fit(X, Y, (X, Y))
    centred = fs.GaussianWasserstein(K, NOISE, 5).fit(X, Y - line(X), (X, Y - line(X)))
    np.testing.assert_allclose(shifted.predict(NEW), centred.predict(NEW) + line(NEW))
    assert shifted.objective_ == pytest.approx(centred.objective_)
    assert shifted.variance_factor_ == pytest.approx(centred.variance_factor_)


@pytest.mark.thorough
def test_one_label_agrees_with_quadrature():
    """F(0) ~ N(1.5, k(0, 0)) and one label 0: the law of F(0) is a density on the line."""
    f = np.linspace(-9.0, 12.0, 4001)
    prior = np.exp(-0.5 * (f - 1.5) ** 2 / 1.5) / np.sqrt(2.0 * np.pi * 1.5)
    weight = prior * expit(-f) * (f[1] - f[0])
    evidence, share = weight.sum(), weight / weight.sum()
    mean, sd = share @ f, np.sqrt(share @ f**2 - (share @ f) ** 2)
    x, y = np.zeros((1, 1)), [0.0]
    pls = fs.ProjectedLangevinSampler(K, likelihoods.Bernoulli(), x, 4000, prior="gp", moves="mix", prior_mean=1.5)
    drawn = pls.fit(x, y).sample(x)[:, 0]
    assert abs(drawn.mean() - mean) < 5.0 * sd / np.sqrt(4000) and abs(drawn.std() / sd - 1.0) < 5.0 / np.sqrt(8000)
    assert abs(pls.predict_probability(x)[0] - share @ expit(f)) < 5.0 * 0.5 / np.sqrt(4000)
    sparse = fs.SparseGaussianProcess(K, likelihoods.Bernoulli(), x, prior_mean=1.5).fit(x, y)
    assert np.log(evidence) - 0.01 < sparse.bound <= np.log(evidence)
    np.testing.assert_allclose(np.ravel(sparse.predict(x, return_std=True)), [mean, sd], atol=0.03)
    other = fs.SparseGaussianProcess(K, likelihoods.Bernoulli(), x).fit(x, y)
    assert abs(other.predict(x)[0] - mean) > 0.3


def test_bad_prior_means_are_refused():
    for kind in (fs.ProjectedLangevinSampler, fs.SparseGaussianProcess, fs.GaussianWasserstein):
        refuse(lambda kind=kind: kind(K, NOISE, X, prior_mean="one").fit(X, Y), "prior_mean must be a number")
        wrong = kind(K, NOISE, X, prior_mean=lambda x: x)
        refuse(lambda wrong=wrong: wrong.fit(X, Y), r"prior_mean\(X\) must be")
    signs = fs.ProjectedLangevinSampler(K, likelihoods.Poisson(), X, prior_mean=1.0)
    refuse(lambda: signs.fit(X, np.arange(7.0)), "prior_mean must be None for PoissonSquare")
    sparse = fs.SparseGaussianProcess(K, NOISE, X, prior_mean=1.0).fit(X, Y)
    refuse(lambda: divergences.get("kl")(sparse, fs.ExactGaussianProcess(K, 0.1).fit(X, Y)), "prior mean 0")
