"""Mean embeddings against quadrature by scipy, their gradients against differences, and the sign of the attraction."""

import math

import numpy as np
import pytest
from scipy import integrate

from particlegvi import kernels, priors
from particlegvi.engine.terms import evaluate
from particlegvi.priors import gaussian_sums

from ..differences import slopes
from ..refusals import refused
from .expectations import Cauchy, Own, embedded, gradients, mean_of, values

pytestmark = pytest.mark.thorough

KERNELS = [
    kernels.SquaredExponential(0.8, 1.5),
    kernels.InverseMultiquadric(0.6, 2.0),
    kernels.Matern32(1.1, 0.7),
    kernels.Matern52(0.5),
]
LINE = [priors.Normal(0.4, 1.3), priors.Uniform(-2.0, 1.0)]
PLANE = [priors.Normal([0.4, -1.0], [1.3, 0.5]), priors.Uniform([-2.0, 0.0], [1.0, 0.7])]


@pytest.mark.parametrize("prior", LINE, ids=repr)
@pytest.mark.parametrize("kernel", [*KERNELS, Cauchy(0.7)], ids=lambda k: k.name)
@pytest.mark.sample("squared-exponential-*", "matern-*-Uniform*", "inverse-*-Uniform*")
def test_on_the_line_value_and_gradient_are_expectations(prior, kernel):
    made = priors.embedding(prior, kernel)
    x = np.array([-6.0, -2.0, -0.7, 0.0, 0.4, 1.0, 1.9, 5.0])
    assert (made.error == 0.0) == isinstance(kernel, kernels.SquaredExponential)
    assert ("quadrature with" in made.description) == isinstance(kernel, Cauchy)
    assert made.error <= (1e-8 if isinstance(kernel, Cauchy) else 1e-9 * kernel.variance)
    # quad was asked for 1e-13 in each part
    expected = embedded(prior, kernel, x)
    np.testing.assert_allclose(values(made.term, x[:, None]), expected, rtol=0, atol=made.error + 1e-11)
    right = [mean_of(lambda t, a=a: 2.0 * kernel.slope((a - t) ** 2) * (a - t), prior, float(a)) for a in x]
    np.testing.assert_allclose(gradients(made.term, x[:, None])[:, 0], right, rtol=0, atol=2e-9 + 10.0 * made.error)


@pytest.mark.parametrize("prior", [*PLANE, priors.Normal([0.0] * 5, 0.7), priors.Uniform([-1.0] * 5, 1.5)], ids=repr)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
@pytest.mark.sample("squared-exponential-*", "matern-52-*")
@pytest.mark.often("*Normal*", "matern-32-*")
def test_in_more_dimensions_it_is_a_sum_of_products_over_the_coordinates(prior, kernel):
    """A kernel is a sum of Gaussians, and the embedding of a Gaussian a product of embeddings on the line."""
    scales, weights = [kernel.lengthscale], [kernel.variance]
    if not isinstance(kernel, kernels.SquaredExponential):
        found = gaussian_sums.gaussian_sum(kernel)
        scales, weights = found.lengthscales, found.weights
    x, expected = np.array([[-1.0, 0.3, 0.1, -0.7, 1.1], [0.9, 0.1, 0.0, 0.4, -0.2]])[:, : prior.dim], np.zeros(2)
    marginals = [type(prior)(*each) for each in zip(*prior.parameters().values(), strict=True)]
    for scale, weight in zip(np.ravel(scales), weights, strict=True):
        terms = [priors.embedding(each, kernels.SquaredExponential(float(scale))).term for each in marginals]
        expected += weight * np.prod([values(term, x[:, i, None]) for i, term in enumerate(terms)], axis=0)
    made = priors.embedding(prior, kernel)
    np.testing.assert_allclose(values(made.term, x), expected, rtol=1e-10, atol=made.error + 1e-12)


@pytest.mark.sample("*squared-exponential")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
@pytest.mark.parametrize("how", ["auto", "monte-carlo"])
@pytest.mark.often("monte-carlo-*", "auto-matern-*")
def test_the_gradient_is_that_of_the_value_and_a_wrong_sign_is_seen(kernel, how):
    rng = np.random.default_rng(2)
    for prior in (*LINE, *PLANE, priors.Normal([0.0] * 4, [0.5, 1.0, 2.0, 3.0]), priors.Uniform([-1.0] * 3, 1.0)):
        term = priors.embedding(prior, kernel, how=how, samples=30).term
        points = prior.mean + 1.5 * prior.sd * rng.normal(size=(20, prior.dim))
        found, right = gradients(term, points), slopes(lambda x, term=term: values(term, x), points)
        # Central differences err by h^2/6 times a third derivative (a few units here) and by rounding / h.
        assert np.abs(found - right).max() < 1e-8 < 1e-2 < np.abs(found + right).max()


def test_a_prior_without_closed_forms():
    prior, kernel = priors.Normal(0.2, 1.8), kernels.Matern32(1.0)
    line = priors.embedding(Own(prior), kernel)
    assert "quadrature with" in line.description
    expected = embedded(prior, kernel, [0.5])
    np.testing.assert_allclose(values(line.term, np.array([[0.5]])), expected, atol=max(line.error, 1e-9))
    space = priors.embedding(Own(priors.Normal([0.0] * 3)), kernel, samples=50)
    assert "Monte Carlo with 50" in space.description
    assert space.error > 0.0


@pytest.mark.parametrize("prior", [*LINE, *PLANE], ids=repr)
def test_compiled_plain_and_block_forms_agree(prior):
    x = prior.mean + prior.sd * np.random.default_rng(1).normal(size=(5, prior.dim))
    for kernel, how in ((KERNELS[0], "auto"), (kernels.Matern52(0.8), "auto"), (KERNELS[2], "monte-carlo")):
        term = priors.embedding(prior, kernel, how=how, samples=7).term
        plain = gradients(term, x)
        np.testing.assert_allclose(evaluate.values(term, x), values(term, x), rtol=1e-12)
        np.testing.assert_allclose(evaluate.gradients(term, x), plain, rtol=1e-11, atol=1e-14)
        if hasattr(term, "gradients"):
            block = np.full((prior.dim, len(x)), np.nan)
            term.gradients(np.ascontiguousarray(x.T), block)
            np.testing.assert_allclose(block.T, plain, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("half", [50.0, 1000.0 * math.pi, 1e100, 1e140])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_a_huge_box_is_flat_inside(kernel, half):
    made = priors.embedding(priors.Uniform(-half, half), kernel)
    x = np.array([[-half / 3.0], [0.0], [1.234], [half / 2.0]])
    found, slopes = values(made.term, x), gradients(made.term, x)
    assert np.all(found >= 0.0)
    assert np.all(np.isfinite(found))
    # The kernel's integral over the line, where it has one, divided by the width.
    mass = {
        "squared-exponential": math.sqrt(2.0 * math.pi),
        "matern-32": 4.0 / math.sqrt(3.0),
        "matern-52": 16.0 / 3.0 / math.sqrt(5.0),
    }
    if kernel.name in mass:
        expected = kernel.variance * kernel.lengthscale * mass[kernel.name] / (2.0 * half)
        np.testing.assert_allclose(found, expected, rtol=1e-8)
        assert np.all(np.abs(slopes) <= 1e-9 * expected)
    else:
        assert np.all(np.abs(slopes) <= 2.0 * kernel.variance / (2.0 * half))


def test_far_outside_a_box_the_relative_error_stays_small():
    prior, kernel = priors.Uniform(-1.0, 1.0), kernels.SquaredExponential(0.5)
    term = priors.embedding(prior, kernel).term
    for x in (3.0, -3.0, 8.0, -12.0):
        # exp(-(x - t)^2 / (2 l^2)) relative to its largest value, at the nearer wall.
        gap = abs(x) - 1.0
        scaled = integrate.quad(lambda t, g=gap: math.exp(-((g + t) ** 2 - g * g) / 0.5), 0.0, 2.0, epsrel=1e-12)[0]
        expected = math.log(scaled / 2.0) - gap * gap / 0.5
        value, out = term.value(np.array([x])), np.empty(1)
        term.gradient(np.array([x]), out)
        assert math.log(value) == pytest.approx(expected, rel=1e-12)
        assert out[0] * x < 0.0
    term.gradient(np.array([1e6]), out)
    assert out[0] == 0.0


def test_a_flat_prior_has_a_constant_embedding():
    for how in ("auto", "closed-form", "quadrature", "monte-carlo"):
        made = priors.embedding(priors.Flat(3), kernels.Matern52(0.3), how=how)
        assert made.error == 0.0
        points = np.random.default_rng(0).normal(size=(5, 3))
        assert np.unique(values(made.term, points)).size == 1
        assert not gradients(made.term, points).any()
        assert "constant" in made.description


@pytest.mark.parametrize("samples", [20, 320])
def test_monte_carlo_is_a_mean_over_frozen_samples(samples):
    prior, kernel = PLANE[0], KERNELS[0]
    made = priors.embedding(prior, kernel, how="monte-carlo", samples=samples, seed=9)
    at = prior.sample(samples, seed=9, role="prior")
    x = np.random.default_rng(1).normal(size=(40, 2))
    plain = np.array([np.mean([kernel.value(np.sum((a - b) ** 2)) for b in at]) for a in x])
    np.testing.assert_allclose(values(made.term, x), plain, rtol=1e-12)
    exact = values(priors.embedding(prior, kernel).term, x)
    assert np.abs(plain - exact).max() < 4.5 * made.error
    assert 0.1 * kernel.variance / math.sqrt(samples) < made.error <= 0.5 * kernel.variance * 1.03 / math.sqrt(samples)
    assert f"{samples} prior samples (seed 9)" in made.description
    again = priors.embedding(prior, kernel, how="monte-carlo", samples=samples, seed=9)
    np.testing.assert_array_equal(again.term.points, made.term.points)
    other = priors.embedding(prior, kernel, how="monte-carlo", samples=samples, seed=10)
    assert not np.any(other.term.points == made.term.points)
    # Negative control: samples of another law are refused by the same bound.
    shifted = made.term._replace(points=made.term.points + 1.0)
    assert np.abs(values(shifted, x) - exact).max() > 4.5 * made.error or samples == 20


@pytest.mark.parametrize("lengthscale", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("name", ["inverse-multiquadric", "matern-32", "matern-52"])
def test_a_sum_of_gaussians_is_the_kernel_at_every_distance(name, lengthscale):
    kernel = kernels.get(name, lengthscale=lengthscale, variance=2.0)
    found = gaussian_sums.gaussian_sum(kernel)
    assert len(found.weights) < 150
    r = lengthscale * np.concatenate([[0.0], np.geomspace(1e-9, 1e14, 20_001)])  # not the distances it was fitted at
    exponents = np.minimum(0.5 * (r[:, None] / found.lengthscales) ** 2, 800.0)
    error = np.abs(np.exp(-exponents) @ found.weights - [kernel.value(a * a) for a in r]).max()
    assert error <= 1.05 * found.error + 1e-15
    assert found.error <= 2e-9


NODES = 'embedding must be "monte-carlo", or.*, not by quadrature, whose'
PLACES = 'embedding must be "auto" or "monte-carlo".*, not "quadrature", which the n'
test_bad_requests_are_refused_in_one_sentence = refused(
    lambda prior, kernel, more: priors.embedding(prior, kernel, **more),
    (priors.Uniform(-1e100, 1e100), Cauchy(1.0), {}, NODES),  # which nodes cannot resolve
    (LINE[0], KERNELS[0], {"how": "exact"}, 'one of auto, closed-form, quadrature, monte-carlo, not "exact"'),
    (LINE[0], KERNELS[2], {"how": "closed-form"}, 'or "monte-carlo".*, not "closed-form", which the '),
    (LINE[0], kernels.SquaredExponential("median"), {}, 'kernel must be a number for an embedding, not "median"'),
    (LINE[0], KERNELS[0], {"how": "monte-carlo", "samples": 0}, "samples must be a whole number of 1 or more, not 0"),
    (priors.Normal([0.0] * 3), KERNELS[0], {"how": "quadrature"}, PLACES),
)
