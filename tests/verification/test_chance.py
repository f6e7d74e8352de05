"""The distances against scipy's, and the bounds against the laws that they come from."""

import numpy as np
import pytest
from scipy import stats

from particlegvi.engine.terms.evaluate import values
from particlegvi.priors import embedding
from particlegvi.verification import chance, problems


def test_distances_are_those_of_scipy():
    random = np.random.default_rng(0)
    a, b = random.normal(size=301), np.round(random.normal(size=200), 1)
    assert chance.ks_between(a, b) == pytest.approx(stats.ks_2samp(a, b).statistic, abs=1e-14)
    assert chance.ks_to_cdf(a, stats.norm.cdf) == pytest.approx(stats.kstest(a, "norm").statistic, abs=1e-14)


@pytest.mark.parametrize("looks", [1, 5])
def test_the_kolmogorov_smirnov_bound_is_exceeded_once_in_a_thousand(looks):
    """Massart's inequality is sharp for many draws: the true probability is at most the allowed one, and near it."""
    n = 10_000
    probability = looks * stats.kstwo.sf(chance.kolmogorov_smirnov(n, looks), n)
    assert 0.9e-3 < probability <= 1e-3


def test_students_bound():
    assert chance.student(24, looks=10) == pytest.approx(stats.t.ppf(1.0 - 0.5e-4, 23))
    assert chance.student(10_000) == chance.ERRORS  # never less than four


def test_the_w1_bound_lies_above_exact_draws_and_not_far():
    target = problems.target(problems.DLE)
    bound = chance.w1(target, 100)
    random = np.random.default_rng(1)
    from particlegvi.diagnostics import wasserstein1

    distances = [wasserstein1(target.quantile(random.random(100)), target) for _ in range(100)]
    assert np.max(distances) < 1.2 * bound and np.median(distances) < 0.6 * bound
    assert np.max(distances) > 0.5 * bound


def test_the_largest_correlation_is_found_and_chance_stays_below_four_errors():
    draws = np.random.default_rng(2).normal(size=(2500, 5))
    assert chance.largest_correlation(draws) < chance.ERRORS
    draws[:, 3] = 0.2 * draws[:, 1] + np.sqrt(1.0 - 0.04) * draws[:, 3]
    assert chance.largest_correlation(draws) == pytest.approx(0.2 * 50.0, abs=4.0)


def test_seeds_differ_and_repeat():
    seeds = chance.seeds(2**64 - 1, 50)
    assert len(set(seeds)) == 50 and seeds == chance.seeds(2**64 - 1, 50)
    assert all(0 <= seed < 2**64 for seed in seeds)


T = np.linspace(-4.0, 4.0, 41)


def test_loss_embedding_and_potential():
    np.testing.assert_allclose(problems.loss(T), problems.LOSS.value(T[:, None]), atol=1e-12)
    mean = values(embedding(problems.PRIOR, problems.KERNEL).term, T[:, None])
    np.testing.assert_allclose(problems.embedding(T), mean, atol=1e-15)
    method = problems.STRONG
    by_parts = problems.LOSS.value(T[:, None]) - 2.0 * 1.0 * mean - 0.5 * problems.PRIOR.log_density(T[:, None])
    gap = problems.potential(T, method) - by_parts
    np.testing.assert_allclose(gap, gap[0], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coefficient-law", "coefficient-law-euler", "exact-process", "gaussian-projection"])
def test_false_alarms_are_rare(name):
    """At most 2 of 200 seeds, where a probability of 1e-3 gives more than that once in a thousand tests."""
    from particlegvi.verification import claims

    claim = claims.registry[name]()
    assert sum(not claim.experiment(seed, wrong=False).holds for seed in chance.seeds(5, 200)) <= 2
