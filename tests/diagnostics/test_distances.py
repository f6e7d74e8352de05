"""Distances and counts against scipy, closed forms and exact laws."""

import numpy as np
import pytest
from scipy import stats

from particlegvi import diagnostics


class Density:
    """A scipy distribution with a target's face; ``partial_mean`` is the integral of (t - mean) q(t) up to x."""

    dim, kind = 1, "density"

    def __init__(self, law, partial_mean):
        self.law, self.mean, self.variance = law, law.mean(), law.var()
        self.cdf, self.quantile, self.partial_mean = law.cdf, law.ppf, partial_mean


def normal(mean=0.0, sd=1.0):
    law = stats.norm(mean, sd)
    return Density(law, lambda x: -(sd**2) * law.pdf(x))


LAWS = {
    "normal": normal(1.0, 2.0),
    "uniform": Density(
        stats.uniform(-3, 5), lambda x: (np.clip(np.abs(np.asarray(x) + 0.5), 0, 2.5) ** 2 - 6.25) / 10.0
    ),
    "exponential": Density(stats.expon(), lambda x: -np.maximum(x, 0.0) * np.exp(-np.maximum(x, 0.0))),
}


class Atoms:
    dim, kind = 1, "atoms"

    def __init__(self, atoms, weights):
        self.atoms, self.weights = np.asarray(atoms, dtype=float)[:, None], np.asarray(weights)


@pytest.mark.parametrize("name", LAWS)
def test_wasserstein1_equals_the_quantile_formula(name):
    target = LAWS[name]
    x = np.sort(np.random.default_rng(0).normal(1.0, 2.0, 57))
    u = (np.arange(57 * 4000) + 0.5) / (57 * 4000)
    expected = np.mean(np.abs(np.repeat(x, 4000) - target.law.ppf(u)))
    assert abs(diagnostics.wasserstein1(x[:, None], target) - expected) < 2e-4 * target.law.std()


def test_wasserstein1_has_the_closed_form_of_a_shift():
    n = 200_000
    x = stats.norm.ppf((np.arange(n) + 0.5) / n)
    assert abs(diagnostics.wasserstein1(x + 0.7, normal()) - 0.7) < 1e-4
    assert diagnostics.wasserstein1(x, normal()) < 1e-4


def test_wasserstein1_to_atoms_equals_scipy():
    random = np.random.default_rng(1)
    for _ in range(5):
        x, atoms, weights = random.normal(size=40), random.normal(size=7), random.dirichlet(np.ones(7))
        expected = stats.wasserstein_distance(x, atoms, None, weights)
        assert abs(diagnostics.wasserstein1(x, Atoms(atoms, weights)) - expected) < 1e-13


@pytest.mark.parametrize("n", [50, 300, 20_000])
def test_floor_is_the_law_of_the_distance_of_exact_draws(n):
    target = normal(-1.0, 0.9)
    low, high = diagnostics.wasserstein1_floor(target, n, (0.05, 0.95), replicates=400)
    random = np.random.default_rng(2)
    draws = [random.normal(-1.0, 0.9, n) for _ in range(125)]
    distances = [diagnostics.wasserstein1(x, target) for x in draws[:120]]
    inside = sum(low <= distance <= high for distance in distances)
    # 90 per cent, within the limits of a binomial count and 2 per cent for the estimated quantiles
    lowest, highest = diagnostics.binomial_limits(120, 0.88, 0.999)[0], diagnostics.binomial_limits(120, 0.92, 0.999)[1]
    assert lowest <= inside <= highest
    assert all(diagnostics.wasserstein1(x + 8 * high, target) > high for x in draws[120:])  # negative control


def test_floor_of_atoms_is_binomial():
    """Two atoms at distance 3: W1 is 3 |count/n - weight|, whose law is known."""
    n = 300
    quantile = diagnostics.wasserstein1_floor(Atoms([-2.0, 1.0], [0.5, 0.5]), n, (0.95,), replicates=4000)[0]
    law = stats.binom(n, 0.5)
    counts = np.arange(n + 1)
    exceeding = law.pmf(counts)[3 * np.abs(counts / n - 0.5) > quantile + 1e-12].sum()
    assert 0.03 < exceeding <= 0.06


def test_kolmogorov_smirnov_equals_scipy():
    x = np.random.default_rng(3).normal(size=200)
    assert np.isclose(diagnostics.kolmogorov_smirnov(x, normal()), stats.kstest(x, "norm").statistic)


def test_occupancy_counts_nearest_modes():
    modes = np.array([[3.0, 3.0], [-3.0, 3.0], [3.0, -3.0], [-3.0, -3.0]])
    points = modes[[0, 0, 1, 3, 3, 3]] + np.random.default_rng(4).normal(size=(6, 2))
    assert diagnostics.mode_occupancy(points, modes).tolist() == [2, 1, 0, 3]
    assert diagnostics.mode_occupancy([0.1, 3.2, 3.1], [0.0, 3.14]).tolist() == [1, 2]


@pytest.mark.parametrize("n, p", [(300, 0.5), (20, 0.01), (5, 0.0), (5, 1.0), (1000, 0.2)])
def test_binomial_limits_hold_the_level(n, p):
    low, high = diagnostics.binomial_limits(n, p, 0.99)
    law = stats.binom(n, p)
    assert law.cdf(low - 1) <= 0.005 and law.sf(high) <= 0.005
    assert law.cdf(low) > 0.005 or low == n
    assert law.sf(high - 1) > 0.005 or high == 0


@pytest.mark.parametrize("bad", [np.zeros((3, 2)), np.array([]), np.array([1.0, np.nan])])
def test_bad_particles_are_named(bad):
    with pytest.raises(ValueError, match=r"particles must be an array \(n,\) or \(n, 1\) of finite numbers .*, not"):
        diagnostics.wasserstein1(bad, normal())
