"""The bandwidth rules against closed forms, within the sampling error that theory gives."""

import math

import numpy as np
import pytest

from particlegvi import kernels, priors
from particlegvi.kernels import bandwidth

SAMPLES = bandwidth.PRIOR_SAMPLES


def test_in_higher_dimensions_it_is_the_median_of_euclidean_distances():
    prior = priors.Normal([0.0, 1.0, -2.0], [1.0, 2.0, 0.5])
    x = prior.sample(SAMPLES, seed=7, role="prior")
    distances = [np.linalg.norm(a - b) for i, a in enumerate(x[:80]) for b in x[:i]]
    np.testing.assert_allclose(np.sort(bandwidth.pair_distances(x[:80])), np.sort(distances), rtol=1e-13)
    number, _ = bandwidth.median_lengthscale(prior, seed=7)
    full = np.linalg.norm(x[:, None] - x[None], axis=-1)[np.triu_indices(SAMPLES, 1)]
    assert number == pytest.approx(np.median(full), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-160, 1e100])
def test_no_scale_overflows_or_underflows(scale):
    plain, _ = bandwidth.median_lengthscale(priors.Uniform(-1.0, 1.0))
    scaled, _ = bandwidth.median_lengthscale(priors.Uniform(-scale, scale))
    assert scaled == pytest.approx(plain * scale, rel=1e-12)


def authors_kernel_matrix(x):
    """As their code computes it: averages over coordinates, all ordered pairs, a bandwidth in place of 2 sigma^2."""
    d2 = ((x[:, None] - x) ** 2).mean(axis=-1)
    s = np.median(d2) / (2.0 * math.log(len(x) + 1))
    return np.exp(-d2 / (2.0 * s))


@pytest.mark.parametrize("dim", [1, 2, 6])
def test_the_authors_rule_gives_the_authors_kernel(dim):
    rng = np.random.default_rng(dim)
    x = rng.normal(size=(30, dim))
    kernel = kernels.SquaredExponential(bandwidth.authors_lengthscale(x)[0])
    got = [[kernel.value(np.sum((a - b) ** 2)) for b in x] for a in x]
    np.testing.assert_allclose(got, authors_kernel_matrix(x), atol=1e-12)


@pytest.mark.parametrize("points", [np.zeros((5, 2)), np.full((1, 3), 7.0), np.full(9, -2.0)])
def test_coincident_points_have_the_floor_of_one(points):
    number, how = bandwidth.authors_lengthscale(points)
    assert number == pytest.approx(1.0 / math.sqrt(2.0 * math.log(len(points) + 1)))
    assert "floor where all points coincide" in how


def test_a_zero_median_has_the_documented_floor():
    points = np.zeros((40, 1))
    points[:4, 0] = 5.0
    distances = np.abs(points - points.T)
    assert np.median(distances) == 0.0
    number, how = bandwidth.authors_lengthscale(points)
    floor = 1e-3 * math.sqrt(np.mean(distances**2)) / math.sqrt(2.0 * math.log(41))
    assert number == pytest.approx(floor, rel=1e-12)
    assert "floor" in how


def test_a_rule_is_resolved_and_a_number_taken_as_it_is_and_the_sentence_says_so():
    given = kernels.Matern52(0.25, 2.0)
    assert bandwidth.resolve(given, priors.Normal()) == (given, "lengthscale 0.25, as given")
    kernel, sentence = bandwidth.resolve(kernels.Matern32("median", 2.0), priors.Normal(), seed=4)
    number, _ = bandwidth.median_lengthscale(priors.Normal(), seed=4)
    assert type(kernel) is kernels.Matern32 and kernel == (number, 2.0)
    assert sentence == f"lengthscale {number:.6g} by the median heuristic on 1000 prior samples (seed 4)"
    kernel, sentence = bandwidth.resolve(kernels.SquaredExponential("median"), priors.Flat(2))
    assert kernel.lengthscale == 1.0 and "flat" in sentence


def test_the_authors_rule_needs_particles():
    kernel = kernels.SquaredExponential("authors")
    with pytest.raises(ValueError, match='lengthscale must be a number.*, not the rule "authors", where'):
        bandwidth.resolve(kernel, priors.Flat(2))
    chosen, sentence = bandwidth.resolve(kernel, priors.Flat(2), np.random.default_rng(0).normal(size=(20, 2)))
    assert isinstance(chosen.lengthscale, float)
    assert "authors' rule on 20 initial particles" in sentence


@pytest.mark.parametrize(
    ("prior", "rule"),
    [
        (priors.Normal(0.0, 1.0), "median"),
        (priors.Normal([0.0, 0.0], 1e6), "median"),
        (priors.Uniform(-3.0, 3.0), "median"),
        (priors.Uniform(-1000 * math.pi, 1000 * math.pi), 1.0),
        (priors.Uniform([-1.0, -1e100], [1.0, 1e100]), 1.0),
        (priors.Flat(2), 1.0),
    ],
)
def test_the_default_kernel(prior, rule):
    assert kernels.default_kernel(prior) == kernels.SquaredExponential(rule)
    kernel, sentence = kernels.resolve(None, prior, seed=1)
    assert isinstance(kernel, kernels.SquaredExponential)
    if rule == "median":
        assert kernel.lengthscale == bandwidth.median_lengthscale(prior, seed=1)[0]
        assert "median heuristic" in sentence
    else:
        assert kernel.lengthscale == 1.0
        assert sentence.startswith("lengthscale 1, the default, because")
