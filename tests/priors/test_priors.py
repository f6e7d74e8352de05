"""Densities, gradients and samples of the priors against scipy and theory."""

import math

import numpy as np
import pytest
from scipy import stats

from particlegvi import priors
from particlegvi.engine.numerics import noise
from particlegvi.engine.terms import evaluate

from ..differences import slopes
from ..refusals import refused
from .expectations import gradients, values

CASES = {
    "normal on the line": priors.Normal(-0.5, 1.7),
    "normal in three dimensions": priors.Normal([0.0, 1.0, -2.0], [1.0, 0.2, 3.0]),
    "uniform on the line": priors.Uniform(-1.0, 3.0),
    "uniform in two dimensions": priors.Uniform([-1.0, 2.0], [1.0, 2.5]),
    "laplace on the line": priors.Laplace(0.4, 0.7),
    "laplace in two dimensions": priors.Laplace([0.0, -2.0], [1.5, 0.3]),
    "student-t on the line": priors.StudentT(4.5, -1.0, 0.8),
    "student-t in two dimensions": priors.StudentT(7.0, [1.0, 0.0], [0.5, 2.0]),
    "flat": priors.Flat(2),
}


@pytest.fixture(params=sorted(CASES))
def prior(request):
    return CASES[request.param]


def proper(prior):
    return prior.name != "flat"


def marginal(prior, i):
    if prior.name == "normal":
        return stats.norm(prior.mean[i], prior.sd[i])
    if prior.name == "laplace":
        return stats.laplace(prior.location[i], prior.scale[i])
    if prior.name == "student-t":
        return stats.t(prior.degrees_of_freedom, prior.location[i], prior.scale[i])
    return stats.uniform(prior.low[i], prior.high[i] - prior.low[i])


def some_points(prior, n=25):
    rng = np.random.default_rng(n)
    return (
        rng.normal(size=(n, prior.dim))
        if not proper(prior)
        else prior.mean + prior.sd * rng.normal(size=(n, prior.dim))
    )


def test_the_log_density_is_that_of_scipy(prior):
    x = some_points(prior)
    expected = np.zeros(len(x))
    if proper(prior):
        expected = sum(marginal(prior, i).logpdf(x[:, i]) for i in range(prior.dim))
    got = prior.log_density(x)
    assert got.shape == (len(x),)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_the_gradient_is_that_of_the_log_density(prior):
    x = some_points(prior)
    x = x[np.isfinite(prior.log_density(x))]
    got = prior.gradient(x)
    assert got.shape == x.shape
    np.testing.assert_allclose(got, slopes(prior.log_density, x, 1e-6), atol=1e-6)


def test_the_term_is_minus_the_log_density_compiled_and_plain(prior):
    x = some_points(prior)
    x = x[np.isfinite(prior.log_density(x))]
    term, density, slope = prior.term(), prior.log_density(x), prior.gradient(x)
    for of_values, of_gradients in ((evaluate.values, evaluate.gradients), (values, gradients)):
        np.testing.assert_allclose(of_values(term, x), -density, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(of_gradients(term, x), -slope, rtol=1e-13, atol=1e-300)


def kolmogorov(sample, law):
    """Kolmogorov's distance times sqrt(n): above 2.2 with probability 2 exp(-2 * 2.2^2) = 1e-4."""
    return stats.ks_1samp(sample, law.cdf).statistic * math.sqrt(len(sample))


@pytest.mark.parametrize("name", sorted(name for name in CASES if name != "flat"))
@pytest.mark.parametrize("seed", [0, 11])
def test_samples_follow_the_law(name, seed):
    prior = CASES[name]
    n = 5000
    x = prior.sample(n, seed=seed)
    assert x.shape == (n, prior.dim)
    assert x.flags.c_contiguous
    assert np.all(np.isfinite(prior.log_density(x)))
    z = (x - prior.mean) / prior.sd
    kurtosis = 3.0 + float(marginal(prior, 0).stats(moments="k"))
    assert np.all(np.abs(z.mean(axis=0)) < 4.5 / math.sqrt(n))
    assert np.all(np.abs((z**2).mean(axis=0) - 1.0) < 4.5 * math.sqrt((kurtosis - 1.0) / n))
    for i in range(prior.dim):
        assert kolmogorov(x[:, i], marginal(prior, i)) < 2.2
        # Negative control: the same test refuses a scale that is wrong by a quarter.
        assert kolmogorov(prior.mean[i] + 1.25 * (x[:, i] - prior.mean[i]), marginal(prior, i)) > 2.2
        for j in range(i):
            assert abs(np.mean(z[:, i] * z[:, j])) < 4.5 / math.sqrt(n)


def test_samples_are_counter_based():
    prior, box = CASES["normal in three dimensions"], CASES["uniform in two dimensions"]
    np.testing.assert_array_equal(prior.sample(9, seed=5), prior.mean + prior.sd * noise.normals(5, "start", 9, 3))
    u = noise.uniforms(5, "prior", 7, 2)
    np.testing.assert_array_equal(box.sample(7, seed=5, role="prior"), box.low + (box.high - box.low) * u)


OTHERS = {
    "mixture": priors.GaussianMixture([-2.0, 1.0], [0.5, 1.5], [1.0, 3.0]),
    "mixture in the plane": priors.GaussianMixture([[0.0, 1.0], [2.0, -1.0]], [[0.5, 1.0], [1.0, 0.3]]),
    "formula": priors.Prior.from_formula("t*exp(-t)", low=0.0),
    "formula in the plane": priors.Prior.from_formula("exp(-x^2/2 - 2*(y - x^2/3)^2)"),
    "student-t without mean": priors.StudentT(1.0),
}


@pytest.mark.parametrize("name", [*CASES, *OTHERS])
def test_a_prior_comes_back_from_its_parameters_and_draws_are_functions_of_the_seed(name):
    prior = (CASES | OTHERS)[name]
    again = priors.get(prior.name, **prior.parameters())
    assert repr(again) == repr(prior) and type(again) is type(prior)
    if not proper(prior):
        return
    x = prior.sample(50, seed=4)
    np.testing.assert_array_equal(again.sample(20, seed=4), x[:20])
    assert not np.any(prior.sample(50, seed=5) == x) and not np.any(prior.sample(50, seed=4, role="prior") == x)


def test_attributes_and_broadcasting():
    prior = priors.Normal([1, 2, 3], 2)
    assert prior.dim == 3
    np.testing.assert_array_equal(prior.sd, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(prior.high, [np.inf] * 3)
    assert prior.parameters() == {"mean": [1.0, 2.0, 3.0], "sd": [2.0, 2.0, 2.0]}
    line = priors.Normal(mean=0, sd=1)
    assert (line.dim, line.mean.shape) == (1, (1,))
    assert repr(line) == "Normal(mean=0.0, sd=1.0)"
    box = priors.Uniform(-1, [1, 2])
    np.testing.assert_array_equal(box.low, [-1.0, -1.0])
    np.testing.assert_allclose(box.sd, np.array([2.0, 3.0]) / math.sqrt(12.0))
    np.testing.assert_allclose(priors.Uniform(-1e308, 7e307).mean, [-1.5e307])
    with pytest.raises(ValueError, match="read-only"):
        box.low[0] = 0.0


def test_names():
    assert priors.names() == ["flat", "formula", "gaussian-mixture", "laplace", "normal", "student-t", "uniform"]


test_bad_values_are_refused_in_one_sentence = refused(
    (lambda: priors.Normal(0.0, 0.0), r"sd must be a positive number, or positive numbers, not 0\.0"),
    (lambda: priors.Normal([0.0, 0.0], [1.0, -1.0]), r"sd must be a positive number.*, not \[1\.0, -1\.0\]"),
    (lambda: priors.Normal(math.nan, 1.0), "mean must be a finite number or a list of finite numbers, not nan"),
    (lambda: priors.Normal(True, 1.0), "mean must be a finite number or a list of finite numbers, not True"),
    (lambda: priors.Normal(0.0, math.inf), "sd must be a finite number or a list of finite numbers, not inf"),
    (lambda: priors.Normal([[0.0], 1.0], 1.0), "mean must be a finite number or a list of finite numbers, not"),
    (lambda: priors.Normal([0.0, 0.0, 0.0], [1.0, 1.0]), "mean and sd must have the same number.*, not 3 and 2"),
    (lambda: priors.Uniform(1.0, 1.0), r"low must be below high by a finite width, not 1\.0 and 1\.0"),
    (lambda: priors.Uniform(-1e308, 1e308), r"low must be below high by a finite width, not -1e\+308 and 1e\+308"),
    (lambda: priors.Uniform(-math.inf, 0.0), "low must be a finite number or a list of finite numbers, not -inf"),
    (lambda: priors.Flat(3).sample(10), "flat prior cannot be sampled; give `initial`"),
    (lambda: priors.Flat(0), "dim must be a whole number from 1 to 16777216, not 0"),
    (lambda: priors.Normal().sample(0), "particles must be a whole number of 1 or more, not 0"),
    (lambda: priors.Normal().sample(10, seed=-1), r"seed must be a whole number from 0 to 2\^64 - 1, not -1"),
    (lambda: priors.Normal([0.0, 0.0]).log_density(np.zeros((4, 3))), r"x must .*, not an array of the shape \(4,"),
    (lambda: priors.get("gaussian"), 'there is no prior "gaussian"'),
    (lambda: priors.get("Normal", std=1.0), 'there is no prior "Normal"; did you mean "normal"'),
    (lambda: priors.get("normal", std=1.0), 'parameter of the prior normal "std"; did you mean "sd"'),
    (lambda: priors.get("uniform", low=1.0), "high of the prior uniform must be given, not left out"),
)
