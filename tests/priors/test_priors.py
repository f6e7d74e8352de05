"""Densities, gradients, samples and mean embeddings of the priors against scipy, quadrature and theory."""

import math

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi import priors
from particlegvi.engine.terms import evaluate
from particlegvi.kernels import SquaredExponential

from ..differences import slopes
from ..refusals import refused
from .expectations import embedded, gradients, values

CASES = {
    "normal on the line": priors.Normal(-0.5, 1.7),
    "normal in three dimensions": priors.Normal([0.0, 1.0, -2.0], [1.0, 0.2, 3.0]),
    "uniform on the line": priors.Uniform(-1.0, 3.0),
    "uniform in two dimensions": priors.Uniform([-1.0, 2.0], [1.0, 2.5]),
    "laplace on the line": priors.Laplace(0.4, 0.7),
    "laplace in two dimensions": priors.Laplace([0.0, -2.0], [1.5, 0.3]),
    "student-t on the line": priors.StudentT(4.5, -1.0, 0.8),
    "student-t in two dimensions": priors.StudentT(7.0, [1.0, 0.0], [0.5, 2.0]),
    "exponential on the line": priors.Exponential(1.5),
    "exponential in two dimensions": priors.Exponential([0.2, 3.0]),
    "half-normal on the line": priors.HalfNormal(0.7),
    "gamma in two dimensions": priors.Gamma([1.0, 3.5], [2.0, 0.1]),
    "log-normal on the line": priors.LogNormal(-0.5, 0.4),
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
    if prior.name == "exponential":
        return stats.expon(scale=prior.scale[i])
    if prior.name == "half-normal":
        return stats.halfnorm(scale=prior.scale[i])
    if prior.name == "gamma":
        return stats.gamma(prior.shape[i], scale=prior.scale[i])
    if prior.name == "log-normal":
        return stats.lognorm(prior.log_sd[i], scale=math.exp(prior.log_mean[i]))
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


MIXTURE = priors.GaussianMixture([-2.0, 1.0], [0.5, 1.5], [1.0, 3.0])
PLANE = priors.GaussianMixture([[0.0, 1.0], [2.0, -1.0]], [[0.5, 1.0], [1.0, 0.3]])
BANANA = pg.Prior.from_formula("exp(-x^2/2 - 2*(y - x^2/3)^2)")
GAMMA, CAUCHY = pg.Prior.from_formula("t*exp(-t)", low=0.0), priors.StudentT(1.0)
OTHERS = {
    "mixture": MIXTURE, "mixture in the plane": PLANE, "formula": GAMMA, "formula in the plane": BANANA,
    "student-t without mean": CAUCHY,
}  # fmt: skip


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


LINES = [
    priors.Laplace(0.3, 0.7), priors.Laplace(0.0, 30.0), priors.StudentT(3.0, 0.2, 0.5), CAUCHY, MIXTURE,
    pg.Prior.from_formula("exp(-abs(t)**3)", ["t"]), GAMMA, priors.Exponential(0.6), priors.HalfNormal(1.7),
    priors.Gamma(2.5, 0.4), priors.LogNormal(0.2, 0.4),
]  # fmt: skip


@pytest.mark.parametrize("prior", LINES, ids=repr)
@pytest.mark.sample("GaussianMixture*")
def test_the_mean_embedding_is_that_of_quadrature(prior):
    kernel = SquaredExponential(0.8)
    found = priors.embedding(prior, kernel)
    x = np.array([[-4.03], [-0.53], [0.31], [2.03], [9.03]])  # not at edges of panels, where differences would err
    expected = embedded(prior, kernel, x[:, 0])
    assert found.error <= 1e-9
    np.testing.assert_allclose(evaluate.values(found.term, x), expected, atol=1e-10)
    np.testing.assert_allclose(values(found.term, x), expected, atol=1e-10)
    differences = slopes(lambda at: evaluate.values(found.term, at), x)
    np.testing.assert_allclose(evaluate.gradients(found.term, x), differences, atol=1e-9)
    assert np.abs(evaluate.values(found.term, x + 0.01) - expected).max() > 1e-5  # control


@pytest.mark.parametrize(
    "prior",
    [priors.Laplace([0.0, 1.0], [1.0, 0.4]), priors.StudentT(5.0, [0.0, 1.0], [1.0, 0.4]), PLANE, BANANA],
    ids=repr,
)
@pytest.mark.sample("Laplace*", "StudentT*")
def test_in_the_plane_too(prior, rng):
    """Against the mean over many draws: four and a half standard errors."""
    kernel = SquaredExponential(1.2)
    found = priors.embedding(prior, kernel)
    if prior is BANANA:  # found once, for each kernel
        assert priors.embedding(prior, kernel).term is found.term
    draws = prior.sample(40_000, seed=7)
    for x in rng.normal(size=(4, 2)):
        each = np.exp(-0.5 * ((x - draws) ** 2).sum(axis=1) / 1.2**2)
        assert abs(found.term.value(x) - each.mean()) < 4.5 * each.std() / 200.0
    x = rng.normal(size=(3, 2))
    differences = slopes(lambda at: values(found.term, at), x)
    np.testing.assert_allclose(gradients(found.term, x), differences, atol=1e-8)


@pytest.mark.parametrize(
    ("formula", "more", "integral", "law"),
    [
        ("exp(-t^2/2)", {}, math.sqrt(2.0 * math.pi), stats.norm()),
        ("1/(1 + t^2)", {}, math.pi, stats.cauchy()),
        ("exp(-abs(t - 3)/2)", {}, 4.0, stats.laplace(3.0, 2.0)),
        ("exp(-((t - 1000)/0.01)^2/2)", {}, 0.01 * math.sqrt(2.0 * math.pi), stats.norm(1000.0, 0.01)),
        ("t^2*exp(-t)", {"low": 0.0}, 2.0, stats.gamma(3.0)),
        ("t^2*(1 - t)", {"low": 0.0, "high": 1.0}, 1.0 / 12.0, stats.beta(3.0, 2.0)),
        ("exp(-4*(t + 3)^2) + exp(-(t - 5)^2)", {}, 1.5 * math.sqrt(math.pi), None),
    ],
)
def test_a_formula_is_normalised(formula, more, integral, law):
    prior = pg.Prior.from_formula(formula, **more)
    assert prior.log_normaliser == pytest.approx(math.log(integral), abs=1e-11) and prior.error < 1e-11
    if law is None:
        return
    x = prior.sample(5000, seed=1)
    np.testing.assert_allclose(prior.log_density(x), law.logpdf(x[:, 0]), atol=1e-9)
    assert kolmogorov(x[:, 0], law) < 2.2
    assert stats.ks_1samp(x[:, 0] + 0.2 * law.std() if np.isfinite(law.std()) else x[:, 0] + 1.0, law.cdf).pvalue < 1e-6
    if np.isfinite(law.std()):
        assert (prior.mean[0], prior.sd[0]) == pytest.approx((law.mean(), law.std()), rel=1e-6)
    else:
        assert not hasattr(prior, "sd")


@pytest.mark.thorough
def test_a_formula_in_the_plane():
    """x is standard normal, and y given x is N(x^2/3, 1/4)."""
    assert BANANA.log_normaliser == pytest.approx(math.log(2.0 * math.pi * 0.5), abs=1e-8)
    x = BANANA.sample(5000, seed=2)
    assert stats.ks_1samp(x[:, 0], stats.norm.cdf).statistic * math.sqrt(5000) < 2.2
    rest = (x[:, 1] - x[:, 0] ** 2 / 3.0) / 0.5
    assert stats.ks_1samp(rest, stats.norm.cdf).statistic * math.sqrt(5000) < 2.2
    assert stats.ks_1samp(x[:, 1], stats.norm.cdf).statistic * math.sqrt(5000) > 2.2  # control
    np.testing.assert_allclose(BANANA.gradient(x[:9]), slopes(BANANA.log_density, x[:9], 1e-6), atol=1e-6)


test_what_is_no_density = refused(
    lambda formula: pg.Prior.from_formula(formula),
    ("exp(t)", "finite integral"),
    ("1/(1 + abs(t))", "finite integral"),
    ("t*exp(-t^2)", "negative or undefined"),
    ("x + y + z", "one or two names"),
    ("2*t*", "column"),
    ("5", "with a variable"),
)


@pytest.mark.thorough
def test_gaussians_that_a_mixture_has_twice_are_one(rng):
    """2,000 equal ones cost as much as one; where all differ nothing is changed, which keeps the bytes."""
    x = rng.normal(size=(50, 1)) * 3.0
    many, one = priors.GaussianMixture(np.zeros(2000), 0.7), priors.Normal(0.0, 0.7)
    assert len(many.distinct.weights) == 1 and len(many.weights) == 2000
    np.testing.assert_allclose(many.log_density(x), one.log_density(x), rtol=1e-12)
    np.testing.assert_allclose(many.gradient(x), one.gradient(x), rtol=1e-12)
    twice = priors.GaussianMixture([3.0, -1.0, 3.0], [1.0, 2.0, 1.0], [0.2, 0.5, 0.3])
    assert twice.distinct.means.ravel().tolist() == [3.0, -1.0]
    np.testing.assert_allclose(twice.log_density(x), -evaluate.values(twice.term(), x), rtol=1e-12)
    np.testing.assert_allclose(twice.gradient(x), -evaluate.gradients(twice.term(), x), rtol=1e-12, atol=1e-12)
    assert MIXTURE.distinct is not MIXTURE and len(MIXTURE.distinct.means) == len(MIXTURE.means)  # control
    assert priors.GaussianMixture([0.0, 0.0], [1.0, 2.0]).distinct.sds.ravel().tolist() == [1.0, 2.0]


@pytest.mark.slow
def test_a_mixture_is_that_of_scipy(rng):
    x = rng.normal(size=(30, 2)) * 2.0
    expected = 0.5 * sum(
        stats.multivariate_normal(mean, np.diag(sd**2)).pdf(x) for mean, sd in zip(PLANE.means, PLANE.sds, strict=True)
    )
    np.testing.assert_allclose(PLANE.log_density(x), np.log(expected), atol=1e-12)
    np.testing.assert_allclose(evaluate.values(PLANE.term(), x), -np.log(expected), atol=1e-12)
    np.testing.assert_allclose(evaluate.gradients(PLANE.term(), x), -PLANE.gradient(x), atol=1e-10)
    draws = MIXTURE.sample(5000, seed=3)[:, 0]

    def cdf(t):
        return 0.25 * stats.norm(-2.0, 0.5).cdf(t) + 0.75 * stats.norm(1.0, 1.5).cdf(t)

    assert stats.ks_1samp(draws, cdf).statistic * math.sqrt(5000) < 2.2
    assert stats.ks_1samp(draws, stats.norm(MIXTURE.mean[0], MIXTURE.sd[0]).cdf).statistic * math.sqrt(5000) > 2.2
    assert (MIXTURE.mean[0], MIXTURE.sd[0]) == pytest.approx((0.25, math.sqrt(0.25 * 0.25 + 0.75 * 2.25 + 27.0 / 16.0)))


def test_cauchy_has_no_moments_but_a_place():
    cauchy = priors.StudentT(1.0, 5.0, 2.0)
    assert not hasattr(cauchy, "mean") and cauchy.location[0] == 5.0
    target = pg.target(pg.Loss.from_formula("t^2/50", ["t"]), pg.methods.DLE(), cauchy)
    assert 0.0 < target.mean < 5.0


def test_heavy_tails_fall_into_their_basins():
    """Half of a t law with few degrees of freedom starts on either side."""
    loss = pg.losses.get("double-well")
    target = pg.target(loss, pg.methods.DE(), priors.Normal(), priors.StudentT(2.5, 0.3, 1.0))
    share = stats.t(2.5, 0.3, 1.0).sf(0.0)
    assert target.weights == pytest.approx([1.0 - share, share], abs=1e-9)


test_bad_values_are_refused_in_one_sentence = refused(
    (lambda: priors.Normal(0.0, 0.0), r"sd must be a positive number from 1e-150 .*, not 0\.0"),
    (lambda: priors.StudentT(3.0, 0.0, 5e-324), "scale must be a positive number from 1e-150 .*, not 5e-324"),
    (lambda: priors.Normal([0.0, 0.0, 0.0], [1.0, 1.0]), "mean and sd must have the same number.*, not 3 and 2"),
    (lambda: priors.Uniform(1.0, 1.0), r"low must be below high by a finite width, not 1\.0 and 1\.0"),
    (lambda: priors.Uniform(-math.inf, 0.0), "low must be a finite number .*, not -inf; for a half-line there are Exp"),
    (lambda: priors.Flat(3).sample(10), "flat prior cannot be sampled; give `initial`"),
    (lambda: priors.Normal([0.0, 0.0]).log_density(np.zeros((4, 3))), r"x must .*, not an array of the shape \(4,"),
    (lambda: priors.get("normal", std=1.0), 'parameter of the prior normal "std"; did you mean "sd"'),
    (lambda: priors.Gamma(0.5), r"shape must be a number from 1 .*, not 0\.5; below 1 the density is infinite at 0"),
    (lambda: priors.LogNormal(0.0, 5.0), r"log_sd must be a positive number of at most 3.*, not 5\.0"),
    (lambda: priors.GaussianMixture([0.0, 1.0], [1.0, -1.0]), "sds of gaussian-mixture must be positive"),
)
