"""Distances and counts against scipy, closed forms and exact laws."""

import warnings

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi import diagnostics

from ..refusals import refuse


class Density:
    """A scipy distribution with a target's face; ``partial_mean`` is the integral of (t - mean) q(t) up to x."""

    dim, kind = 1, "density"

    def __init__(self, law, partial_mean):
        self.law, self.mean, self.variance = law, law.mean(), law.var()
        self.cdf, self.quantile, self.partial_mean = law.cdf, law.ppf, partial_mean


def normal(mean=0.0, sd=1.0):
    law = stats.norm(mean, sd)
    return Density(law, lambda x: -(sd**2) * law.pdf(x))


class Atoms:
    dim, kind = 1, "atoms"

    def __init__(self, atoms, weights):
        self.atoms, self.weights = np.asarray(atoms, dtype=float)[:, None], np.asarray(weights)


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


def density(value, prior=None):
    """The target with density proportional to exp(-value(t)) p(t)."""

    def loss(x):
        with np.errstate(all="ignore"):
            return value(x[:, 0])

    def slope(x):
        return ((loss(x + 1e-6) - loss(x - 1e-6)) / 2e-6)[:, None]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # differences are a rough gradient, which is not used
        made = pg.Loss.from_numpy(loss, slope, 1)
    return pg.target(made, pg.methods.DLE(1.0), prior=prior or pg.priors.Flat(1))


LAWS = {
    "normal": (stats.norm(1.0, 2.0), lambda: density(lambda t: 0.125 * (t - 1.0) ** 2)),
    "uniform": (stats.uniform(-3.0, 5.0), lambda: density(lambda t: 0.0 * t, pg.priors.Uniform(-3.0, 2.0))),
    "student": (stats.t(5), lambda: density(lambda t: 3.0 * np.log1p(t**2 / 5.0))),
    "far and narrow": (stats.norm(1e6, 1e-2), lambda: density(lambda t: 5e3 * (t - 1e6) ** 2)),
}


@pytest.fixture(scope="module")
def targets():
    return {name: make() for name, (_, make) in LAWS.items()}


@pytest.mark.parametrize("name", LAWS)
def test_wasserstein1_equals_the_quantile_formula(name, targets):
    law = LAWS[name][0]
    x = np.sort(np.random.default_rng(0).normal(law.mean(), 1.4 * law.std(), 57))
    u = (np.arange(57 * 4000) + 0.5) / (57 * 4000)
    expected = np.mean(np.abs(np.repeat(x, 4000) - law.ppf(u)))
    for given in (x, x[:, None], x[::-1]):
        assert diagnostics.wasserstein1(given, targets[name]) == pytest.approx(expected, abs=5e-5 * law.std())
    one = diagnostics.wasserstein1([law.mean()], targets[name])
    assert one == pytest.approx(np.mean(np.abs(law.ppf(u) - law.mean())), abs=1e-4 * law.std())


def test_wasserstein1_equals_scipys_own(targets):
    x = np.random.default_rng(1).normal(size=300) - 0.3
    draws = targets["normal"].quantile((np.arange(200_000) + 0.5) / 200_000)
    expected = stats.wasserstein_distance(x, draws)
    assert diagnostics.wasserstein1(x, targets["normal"]) == pytest.approx(expected, abs=1e-5)
    assert diagnostics.wasserstein1(x + 1e9, targets["normal"]) == pytest.approx(1e9 - 1.3, rel=1e-9)


def test_wasserstein1_to_a_fitted_gaussian():
    loss = pg.Loss.from_numpy(lambda x: 0.5 * (x[:, 0] - 2.0) ** 2, lambda x: x - 2.0, 1)
    target = pg.target(loss, pg.methods.FDGVI(0.25), prior=pg.priors.Flat(1))
    law, x = stats.norm(2.0, 0.5), np.array([1.2, 2.1, 2.2, 4.0])
    expected = np.mean(np.abs(np.repeat(x, 50_000) - law.ppf((np.arange(200_000) + 0.5) / 200_000)))
    assert diagnostics.wasserstein1(x, target) == pytest.approx(expected, abs=1e-5)


def test_a_target_without_a_mean_is_infinitely_far():
    cauchy = density(lambda t: np.log1p(t**2))
    assert diagnostics.wasserstein1([0.0, 1.0], cauchy) == np.inf
    assert diagnostics.wasserstein1_floor(cauchy, 10) == (np.inf, np.inf)


@pytest.mark.parametrize(("n", "samples"), [(40, 150), pytest.param(4000, 150, marks=pytest.mark.slow)])
def test_floors_are_the_quantiles_of_the_distances_themselves(n, samples, targets):
    """All three floors on the line against distances of draws, whether counted one by one or by a multinomial law."""
    target, levels = targets["student"], (0.25, 0.5, 0.75)
    measures = {
        "w1": diagnostics.wasserstein1, "w2": diagnostics.wasserstein2, "energy": diagnostics.energy_distance,
    }  # fmt: skip
    floors = diagnostics.line_floors(target, n, levels, replicates=1000)
    draws = LAWS["student"][0].rvs(size=(samples, n), random_state=np.random.default_rng(n))
    for name, measure in measures.items():
        seen = np.array([measure(x, target) for x in draws])
        for level, floor in zip(levels, floors[name], strict=True):
            low, high = diagnostics.binomial_limits(samples, level, 0.999)
            room = 0.04 * samples  # for the floor's own noise and the trapezoidal rule
            assert low - room <= np.sum(seen < floor) <= high + room, (n, name, level)
            assert not low - room <= np.sum(seen < 1.5 * floor) <= high + room, (n, name, level)


def test_the_nearest_mode_and_the_shares():
    points = np.array([[2.0, 3.5], [3.0, 2.0], [-1.0, 0.5], [-3.0, -3.0]])
    modes = [[3.0, 3.0], [-3.0, 3.0], [-3.0, -3.0]]
    assert diagnostics.nearest_mode(points, modes).tolist() == [0, 0, 1, 2]
    assert diagnostics.mode_fractions(points, modes) == pytest.approx([0.5, 0.25, 0.25])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda target: diagnostics.wasserstein1_floor(target, 0), "n must be a whole number from 1 to 42.*, not 0"),
        (lambda target: diagnostics.wasserstein1_floor(target, 10, (0.5, 1.5)), "quantiles"),
        (lambda target: diagnostics.wasserstein1_floor(target, 10, replicates=-1), "replicates must .*, not -1"),
        (lambda target: diagnostics.binomial_limits(10, 1.2), r"p must be a probability from 0 to 1, not 1\.2"),
        (lambda target: diagnostics.binomial_limits(-1, 0.5), "n must be a whole number from 0 to 4294967296, not -1"),
        (lambda target: diagnostics.binomial_limits(10, 0.5, 1.0), r"level must be a number between .*, not 1\.0"),
        (lambda target: diagnostics.mode_occupancy(np.zeros((3, 2)), [0.0, 1.0]), "modes"),
    ],
)
def test_bad_numbers_are_named(call, words, targets):
    refuse(lambda: call(targets["normal"]), words)


def test_a_plane_and_atoms_are_refused_where_they_have_no_distance():
    loss = pg.Loss.from_numpy(lambda x: np.sum(x**2, axis=1), lambda x: 2.0 * x, 2)
    plane = pg.target(loss, pg.methods.DLE(1.0), prior=pg.priors.Flat(2))
    refuse(lambda: diagnostics.wasserstein1([0.0], plane), "target must be of dimension 1 for this distance, not 2")
    well = pg.Loss.from_numpy(lambda x: x[:, 0] ** 2, lambda x: 2.0 * x, 1)
    atom = pg.target(well, pg.methods.DE(), initial=pg.priors.Normal(0.0, 1.0))
    refuse(lambda: diagnostics.kolmogorov_smirnov([0.0], atom), "atoms")
    assert diagnostics.wasserstein1([0.5, -0.5, 1.0], atom) == pytest.approx(2.0 / 3.0)
