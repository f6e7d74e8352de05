"""Distances and counts against scipy, closed forms and exact laws."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi import diagnostics
from particlegvi.diagnostics.distances import line_floors

from ..plain_parts import PlainAtoms
from ..refusals import refuse, refused

FLAT = pg.priors.Flat(1)


def line(value):
    return pg.Loss.from_numpy(lambda x: value(x[:, 0]), "differences", 1)


LAWS = {
    "normal": (stats.norm(1.0, 2.0), lambda t: 0.125 * (t - 1.0) ** 2, FLAT),
    "uniform": (stats.uniform(-3.0, 5.0), lambda t: 0.0 * t, pg.priors.Uniform(-3.0, 2.0)),
    "student": (stats.t(5), lambda t: 3.0 * np.log1p(t**2 / 5.0), FLAT),
    "far and narrow": (stats.norm(1e6, 1e-2), lambda t: 5e3 * (t - 1e6) ** 2, FLAT),
}


@pytest.fixture(scope="module")
def targets():
    return {name: pg.target(line(value), pg.methods.DLE(1.0), prior) for name, (_, value, prior) in LAWS.items()}


def test_wasserstein1_to_atoms_equals_scipy():
    random = np.random.default_rng(1)
    for _ in range(5):
        x, atoms, weights = random.normal(size=40), random.normal(size=7), random.dirichlet(np.ones(7))
        expected = stats.wasserstein_distance(x, atoms, None, weights)
        assert abs(diagnostics.wasserstein1(x, PlainAtoms(atoms[:, None], weights)) - expected) < 1e-13


def test_floor_of_atoms_is_binomial():
    """Two atoms at distance 3: W1 is 3 |count/n - weight|, whose law is known."""
    n = 300
    atoms = PlainAtoms(np.array([[-2.0], [1.0]]), np.array([0.5, 0.5]))
    quantile = diagnostics.wasserstein1_floor(atoms, n, (0.95,), replicates=4000)[0]
    law = stats.binom(n, 0.5)
    counts = np.arange(n + 1)
    exceeding = law.pmf(counts)[3 * np.abs(counts / n - 0.5) > quantile + 1e-12].sum()
    assert 0.03 < exceeding <= 0.06


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


@pytest.mark.parametrize("name", LAWS)
def test_wasserstein1_and_kolmogorov_smirnov_are_those_of_the_law(name, targets):
    law = LAWS[name][0]
    x = np.sort(np.random.default_rng(0).normal(law.mean(), 1.4 * law.std(), 57))
    u = (np.arange(57 * 4000) + 0.5) / (57 * 4000)
    expected = np.mean(np.abs(np.repeat(x, 4000) - law.ppf(u)))
    for given in (x, x[:, None], x[::-1]):
        assert diagnostics.wasserstein1(given, targets[name]) == pytest.approx(expected, abs=5e-5 * law.std())
    one = diagnostics.wasserstein1([law.mean()], targets[name])
    assert one == pytest.approx(np.mean(np.abs(law.ppf(u) - law.mean())), abs=1e-4 * law.std())
    distance = diagnostics.wasserstein1(x + 1e9 * law.std(), targets[name])
    assert distance == pytest.approx(1e9 * law.std() + x.mean() - law.mean(), rel=1e-9)
    assert np.isclose(diagnostics.kolmogorov_smirnov(x, targets[name]), stats.kstest(x, law.cdf).statistic)


def test_a_target_without_a_mean_is_infinitely_far():
    cauchy = pg.target(line(lambda t: np.log1p(t**2)), pg.methods.DLE(1.0))
    assert diagnostics.wasserstein1([0.0, 1.0], cauchy) == np.inf
    assert diagnostics.wasserstein1_floor(cauchy, 10) == (np.inf, np.inf)


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "samples"), [(40, 150), pytest.param(4000, 60, marks=pytest.mark.thorough)])
def test_floors_are_the_quantiles_of_the_distances_themselves(n, samples, targets):
    """All three floors on the line against distances of draws, whether counted one by one or by a multinomial law."""
    target, levels = targets["student"], (0.25, 0.5, 0.75)
    measures = {
        "w1": diagnostics.wasserstein1, "w2": diagnostics.wasserstein2, "energy": diagnostics.energy_distance,
    }  # fmt: skip
    floors = line_floors(target, n, levels, replicates=1000)
    draws = LAWS["student"][0].rvs(size=(samples, n), random_state=np.random.default_rng(n))
    for name, measure in measures.items():
        seen = np.array([measure(x, target) for x in draws])
        for level, floor in zip(levels, floors[name], strict=True):
            low, high = diagnostics.binomial_limits(samples, level, 0.999)
            room = 0.04 * samples  # for the floor's own noise and the trapezoidal rule
            assert low - room <= np.sum(seen < floor) <= high + room, (n, name, level)
            assert not low - room <= np.sum(seen < 1.5 * floor) <= high + room, (n, name, level)


PARTICLES = r"particles must be an array \(n,\) or \(n, 1\) of finite numbers .*, not"
test_bad_numbers_are_named = refused(
    lambda call: call(pg.target(line(lambda t: t**2), pg.methods.DLE(1.0))),
    (lambda target: diagnostics.wasserstein1_floor(target, 0), "n must be a whole number from 1 to 42.*, not 0"),
    (lambda target: diagnostics.wasserstein1_floor(target, 10, replicates=-1), "replicates must .*, not -1"),
    (lambda target: diagnostics.wasserstein1(np.zeros((3, 2)), target), PARTICLES),
    (lambda target: diagnostics.wasserstein1([1.0, np.nan], target), PARTICLES),
    (lambda _: diagnostics.binomial_limits(10, 1.2), r"p must be a probability from 0 to 1, not 1\.2"),
    (lambda _: diagnostics.binomial_limits(10, 0.5, 1.0), r"level must be a number between .*, not 1\.0"),
    (lambda _: diagnostics.mode_occupancy(np.zeros((3, 2)), [0.0, 1.0]), "modes"),
)


def test_a_plane_and_atoms_are_refused_where_they_have_no_distance():
    plane = pg.target(pg.losses.get("quadratic", dim=2), pg.methods.DLE(1.0))
    refuse(lambda: diagnostics.wasserstein1([0.0], plane), "target must be of dimension 1 for this distance, not 2")
    atom = pg.target(pg.losses.get("quadratic"), pg.methods.DE(), initial=pg.priors.Normal(0.0, 1.0))
    refuse(lambda: diagnostics.kolmogorov_smirnov([0.0], atom), "atoms")
    assert diagnostics.wasserstein1([0.5, -0.5, 1.0], atom) == pytest.approx(2.0 / 3.0)
