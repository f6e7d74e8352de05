"""Mean embeddings against quadrature by scipy, their gradients against differences, and the sign of the attraction."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import integrate

from particlegvi import kernels, priors
from particlegvi.engine.terms import evaluate
from particlegvi.priors import gaussian_sums

from ..refusals import refused

KERNELS = [
    kernels.SquaredExponential(0.8, 1.5),
    kernels.InverseMultiquadric(0.6, 2.0),
    kernels.Matern32(1.1, 0.7),
    kernels.Matern52(0.5),
]
LINE = [priors.Normal(0.4, 1.3), priors.Uniform(-2.0, 1.0)]
PLANE = [priors.Normal([0.4, -1.0], [1.3, 0.5]), priors.Uniform([-2.0, 0.0], [1.0, 0.7])]


class Cauchy(NamedTuple):
    """A kernel that a user might add, without a mixing density."""

    lengthscale: float
    name = "cauchy"

    def value(self, r2):
        return 1.0 / (1.0 + r2 / self.lengthscale**2)

    def slope(self, r2):
        return -1.0 / self.lengthscale**2 / (1.0 + r2 / self.lengthscale**2) ** 2


class Logistic:
    """A prior that a user might add: independent standard logistic coordinates, and nothing in closed form."""

    name = "logistic"

    def __init__(self, dim):
        self.dim = dim
        self.low, self.high = np.full(dim, -np.inf), np.full(dim, np.inf)
        self.mean, self.sd = np.zeros(dim), np.full(dim, math.pi / math.sqrt(3.0))

    def log_density(self, x):
        return np.sum(-x - 2.0 * np.log1p(np.exp(-x)), axis=-1)

    def sample(self, particles, seed=0, role="start"):
        u = priors.Uniform(np.zeros(self.dim), 1.0).sample(particles, seed, role)
        return np.log(u / (1.0 - u))


def mean_of(function, prior, x):
    """E function(T) on the line by scipy's adaptive rule, split where the kernel may have a kink."""
    low = max(prior.low[0], prior.mean[0] - 12.0 * prior.sd[0])
    high = min(prior.high[0], prior.mean[0] + 12.0 * prior.sd[0])
    middle = min(max(x, low), high)
    density = lambda t: math.exp(float(prior.log_density(np.array([[t]]))[0]))
    parts = [(low, middle), (middle, high)]
    return sum(integrate.quad(lambda t: function(t) * density(t), *p, epsabs=1e-12, limit=200)[0] for p in parts)


def values(term, points):
    """In plain Python: nothing is compiled, so that the tests of the mathematics are quick."""
    return np.array([term.value(point) for point in points])


def gradients(term, points):
    out = np.full(points.shape, np.nan)
    for point, row in zip(points, out, strict=True):
        term.gradient(point, row)
    return out


def gradient_error(term, points, sign=1.0, h=1e-5):
    """Largest difference between a term's gradient, times a sign, and central differences of its value."""
    got = sign * gradients(term, points)
    worst = 0.0
    for i in range(points.shape[1]):
        step = np.zeros(points.shape[1])
        step[i] = h
        differences = (values(term, points + step) - values(term, points - step)) / (2.0 * h)
        worst = max(worst, float(np.abs(got[:, i] - differences).max()))
    return worst


@pytest.mark.parametrize("prior", LINE, ids=repr)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_on_the_line_value_and_gradient_are_expectations(prior, kernel):
    made = priors.embedding(prior, kernel)
    x = np.array([-6.0, -2.0, -0.7, 0.0, 0.4, 1.0, 1.9, 5.0])
    exact = isinstance(kernel, kernels.SquaredExponential)
    assert (made.error == 0.0) == exact
    assert made.error <= 1e-9 * kernel.variance
    expected = [mean_of(lambda t, a=a: kernel.value((a - t) ** 2), prior, a) for a in x]
    slopes = [mean_of(lambda t, a=a: 2.0 * kernel.slope((a - t) ** 2) * (a - t), prior, a) for a in x]
    # quad was asked for 1e-12 in each of two parts.
    np.testing.assert_allclose(values(made.term, x[:, None]), expected, rtol=0, atol=made.error + 1e-11)
    np.testing.assert_allclose(gradients(made.term, x[:, None])[:, 0], slopes, rtol=0, atol=2e-9)


@pytest.mark.parametrize("prior", PLANE, ids=repr)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_in_the_plane_the_value_is_an_expectation(prior, kernel):
    made = priors.embedding(prior, kernel)
    for point in np.array([[-1.0, 0.3], [0.9, 0.1]]):
        low = np.maximum(prior.low, prior.mean - 9.0 * prior.sd)
        high = np.minimum(prior.high, prior.mean + 9.0 * prior.sd)
        # Polar coordinates around the point: there every kernel is smooth.
        reach = np.linalg.norm(np.maximum(np.abs(point - low), np.abs(point - high)))
        nodes, weights = np.polynomial.legendre.leggauss(200)
        if prior.name == "uniform":
            # In a box the angular part jumps, so each coordinate is split at the point instead.
            axes = [split_rule(low[i], high[i], point[i]) for i in range(2)]
            r2 = (axes[0][0][:, None] - point[0]) ** 2 + (axes[1][0][None] - point[1]) ** 2
            expected = axes[0][1] @ np.vectorize(kernel.value)(r2) @ axes[1][1] / np.prod(high - low)
        else:
            r = reach * (nodes + 1.0) / 2.0
            angles = 2.0 * math.pi * np.arange(400) / 400
            at = np.stack([point[0] + np.outer(r, np.cos(angles)), point[1] + np.outer(r, np.sin(angles))], axis=-1)
            density = np.exp(prior.log_density(at.reshape(-1, 2))).reshape(at.shape[:2]).mean(axis=1) * 2.0 * math.pi
            expected = np.sum(weights * reach / 2.0 * r * density * [kernel.value(a * a) for a in r])
        got = values(made.term, point[None])[0]
        assert got == pytest.approx(expected, abs=1e-7)


def split_rule(low, high, at):
    nodes, weights = np.polynomial.legendre.leggauss(60)
    parts = [(low, at), (at, high)]
    return (
        np.concatenate([a + (b - a) * (nodes + 1.0) / 2.0 for a, b in parts]),
        np.concatenate([(b - a) * weights / 2.0 for a, b in parts]),
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
@pytest.mark.parametrize("how", ["auto", "monte-carlo"])
def test_the_gradient_is_that_of_the_value_and_a_wrong_sign_is_seen(kernel, how):
    rng = np.random.default_rng(2)
    for prior in (*LINE, *PLANE, priors.Normal([0.0] * 4, [0.5, 1.0, 2.0, 3.0]), priors.Uniform([-1.0] * 3, 1.0)):
        made = priors.embedding(prior, kernel, how=how, samples=30)
        points = prior.mean + 1.5 * prior.sd * rng.normal(size=(20, prior.dim))
        # Central differences err by h^2/6 times a third derivative (a few units here) and by rounding / h.
        assert gradient_error(made.term, points) < 1e-8
        assert gradient_error(made.term, points, sign=-1.0) > 1e-2


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_in_five_dimensions_against_plain_monte_carlo(kernel):
    rng = np.random.default_rng(8)
    x = np.full(5, 0.3)
    n = 400_000
    for prior, draws in (
        (priors.Normal([0.0] * 5, 0.7), 0.7 * rng.normal(size=(n, 5))),
        (priors.Uniform([-1.0] * 5, 1.5), rng.uniform(-1.0, 1.5, size=(n, 5))),
    ):
        made = priors.embedding(prior, kernel)
        sample = evaluate.profile_values(kernel, evaluate.squared_distances(x[None], draws))[0]
        got = values(made.term, x[None])[0]
        assert abs(got - sample.mean()) < 4.5 * sample.std() / math.sqrt(n)


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


@pytest.mark.parametrize("prior", LINE, ids=repr)
def test_a_kernel_without_a_mixing_density_is_integrated_by_nodes(prior):
    kernel = Cauchy(0.7)
    made = priors.embedding(prior, kernel)
    assert "quadrature with" in made.description
    x = np.array([-2.5, 0.1, 1.7])
    expected = [mean_of(lambda t, a=a: kernel.value((a - t) ** 2), prior, a) for a in x]
    np.testing.assert_allclose(values(made.term, x[:, None]), expected, atol=made.error + 1e-11)
    assert made.error < 1e-8


@pytest.mark.thorough
def test_a_prior_without_closed_forms():
    line = priors.embedding(Logistic(1), kernels.Matern32(1.0))
    assert "quadrature with" in line.description
    expected = mean_of(lambda t: kernels.Matern32(1.0).value((0.5 - t) ** 2), Logistic(1), 0.5)
    assert values(line.term, np.array([[0.5]]))[0] == pytest.approx(expected, abs=max(line.error, 1e-9))
    space = priors.embedding(Logistic(3), kernels.Matern32(1.0), samples=50)
    assert "Monte Carlo with 50" in space.description
    assert space.error > 0.0


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


def terms_to_compile():
    for prior in (*LINE, *PLANE):
        yield prior, priors.embedding(prior, kernels.SquaredExponential(0.8)).term
        yield prior, priors.embedding(prior, kernels.Matern52(0.8)).term
        yield prior, priors.embedding(prior, kernels.Matern32(0.8), how="monte-carlo", samples=7).term


@pytest.mark.thorough
def test_compiled_plain_and_block_forms_agree():
    for prior, term in terms_to_compile():
        x = prior.mean + prior.sd * np.random.default_rng(1).normal(size=(5, prior.dim))
        plain = gradients(term, x)
        np.testing.assert_allclose(evaluate.values(term, x), values(term, x), rtol=1e-12)
        np.testing.assert_allclose(evaluate.gradients(term, x), plain, rtol=1e-11, atol=1e-14)
        if hasattr(term, "gradients"):
            block = np.full((prior.dim, len(x)), np.nan)
            term.gradients(np.ascontiguousarray(x.T), block)
            np.testing.assert_allclose(block.T, plain, rtol=1e-12, atol=1e-15)


test_bad_requests_are_refused_in_one_sentence = refused(
    (
        lambda: priors.embedding(priors.Uniform(-1e100, 1e100), Cauchy(1.0)),  # which nodes cannot resolve
        'embedding must be "monte-carlo", or.*, not by quadrature, whose 4096',
    ),
    (
        lambda: priors.embedding(priors.Normal(), KERNELS[0], how="exact"),
        'embedding must be one of auto, closed-form, quadrature, monte-carlo, not "exact"',
    ),
    (
        lambda: priors.embedding(priors.Normal(), KERNELS[2], how="closed-form"),
        'embedding must be "auto", "quadrature" or "monte-carlo".*, not "closed-form", which the ',
    ),
    (
        lambda: priors.embedding(priors.Normal(), kernels.SquaredExponential("median")),
        'lengthscale of the kernel must be a number for an embedding, not "median"',
    ),
    (
        lambda: priors.embedding(priors.Normal(), KERNELS[0], how="monte-carlo", samples=0),
        "samples must be a whole number of 1 or more, not 0",
    ),
    (
        lambda: priors.embedding(priors.Normal([0.0] * 3), KERNELS[0], how="quadrature"),
        'embedding must be "auto" or "monte-carlo".*, not "quadrature", which the n',
    ),
)
