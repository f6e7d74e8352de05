"""W2, sliced distances, MMD, energy distance and KSD against closed forms, brute force and scipy; and their floors."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

import particlegvi as pg
from particlegvi import diagnostics
from particlegvi.diagnostics.distances import kolmogorov_smirnov_floor, limit_floor
from particlegvi.diagnostics.line_distances import spread_directions

from ..plain_parts import PlainAtoms
from ..refusals import refuse, refused

SE = pg.kernels.SquaredExponential
PRIOR = pg.priors.Normal(0.0, 1.0)
WELL = pg.losses.get("tilted-double-well")
LINE = pg.losses.get("quadratic", curvature=[1.0], centre=[0.5])
PLANE = pg.losses.get("quadratic", curvature=[1.0, 4.0], centre=[1.0, -2.0])


@pytest.fixture(scope="module")
def normal():
    return pg.target(LINE, pg.methods.DLE(4.0))  # N(0.5, 4)


@pytest.fixture(scope="module")
def plane():
    return pg.target(PLANE, pg.methods.DLE(1.0))  # N((1, -2), diag(1, 1/4))


def draws(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_w2_equals_the_quantile_formula(normal):
    x = np.sort(draws(53) * 3.0)
    u = (np.arange(53 * 5000) + 0.5) / (53 * 5000)
    exact = np.sqrt(np.mean((np.repeat(x, 5000) - stats.norm(0.5, 2.0).ppf(u)) ** 2))
    assert diagnostics.wasserstein2(x[::-1], normal) == pytest.approx(exact, rel=1e-5)
    assert diagnostics.wasserstein2([0.5], normal) == pytest.approx(2.0, rel=1e-9)
    many = 0.5 + 3.0 * stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000) + 1.0
    assert diagnostics.wasserstein2(many, normal) == pytest.approx(np.hypot(1.0, 1.0), rel=1e-3)  # of two Gaussians


def test_distances_to_points_are_those_along_each_direction():
    """W1 on the line is scipy's; sliced, it is the mean over directions. To atoms, each takes the nearest half."""
    x, y = draws((6, 2)), draws((6, 2), 1)
    angles = np.pi * (np.arange(16) + 0.5) / 16
    along = np.array([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose(spread_directions(2), along.T)
    line = [stats.wasserstein_distance(*pair) for pair in zip((x @ along).T, (y @ along).T, strict=True)]
    assert diagnostics.wasserstein1(x[:, 0], y[:, :1]) == pytest.approx(stats.wasserstein_distance(x[:, 0], y[:, 0]))
    assert diagnostics.sliced_wasserstein(x, y) == pytest.approx(np.mean(line), rel=1e-12)
    atoms = pg.target(WELL, pg.methods.DE(), initial=PRIOR)  # weights 1/2 at -2 and 1
    z = np.array([-1.0, 0.0, 0.5, 3.0])
    assert diagnostics.wasserstein2(z, atoms) == pytest.approx(np.sqrt((1.0 + 4.0 + 0.25 + 4.0) / 4), rel=1e-9)


def test_sliced_distances_on_the_line_and_of_a_shift(normal, plane):
    x = draws(200) * 2.0
    assert diagnostics.sliced_wasserstein(x, normal) == pytest.approx(diagnostics.wasserstein1(x, normal), rel=1e-3)
    # a shift by s moves every projection by s . direction, whose mean size is 2 |s| / pi
    shifted = plane.sample(4000) + [3.0, 4.0]
    assert diagnostics.sliced_wasserstein(shifted, plane) == pytest.approx(10.0 / np.pi, rel=1e-2)


def test_energy_distance_equals_scipys_and_the_integral(normal):
    x, y = draws(30) * 2.0, draws(40, 1)
    exact = stats.energy_distance(x, y)
    assert diagnostics.energy_distance(x, y) == pytest.approx(exact, rel=1e-9)
    law = stats.norm(0.5, 2.0)
    grid = np.linspace(-12.0, 13.0, 400_001)
    below = np.searchsorted(np.sort(x), grid, side="right") / 30
    exact = np.sqrt(2.0 * np.sum((below - law.cdf(grid)) ** 2) * (grid[1] - grid[0]))
    assert diagnostics.energy_distance(x, normal) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_mmd_is_the_plain_double_sum(dim):
    kernel, x, y = pg.kernels.Matern32(0.7, 2.0), draws((9, dim)), draws((13, dim), 1)

    def gram(a, b):
        return np.vectorize(kernel.value)(cdist(a, b, "sqeuclidean"))

    biased = gram(x, x).mean() - 2.0 * gram(x, y).mean() + gram(y, y).mean()
    assert diagnostics.maximum_mean_discrepancy(x, y, kernel) == pytest.approx(np.sqrt(biased), rel=1e-10)
    shares = np.random.default_rng(2).dirichlet(np.ones(13))
    to_atoms = gram(x, x).mean() - 2.0 * (gram(x, y) @ shares).mean() + shares @ gram(y, y) @ shares
    found = diagnostics.maximum_mean_discrepancy(x, PlainAtoms(y, shares), kernel)
    assert found == pytest.approx(np.sqrt(to_atoms), rel=1e-10)


@pytest.mark.slow
def test_mmd_of_gaussians(normal):
    """Draws from N(0, 1) against N(0.5, 4) under a squared exponential: every expectation is known."""
    x = draws((40, 500, 1))
    # the mean of the V-statistic exceeds MMD^2 by the self pairs
    found = [diagnostics.maximum_mean_discrepancy(one, normal, SE(1.0)) ** 2 for one in x]

    def overlap(variance, gap=0.0):
        return np.exp(-0.5 * gap**2 / (1.0 + variance)) / np.sqrt(1.0 + variance)

    exact = overlap(2.0) - 2.0 * overlap(5.0, 0.5) + overlap(8.0) + (1.0 - overlap(2.0)) / 500
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - exact) < 4.0 * error + 1e-4
    assert abs(np.mean(found) - 1.5 * exact) > 4.0 * error + 1e-4


@pytest.mark.parametrize("dim", [1, 3])
def test_the_stein_kernel_by_differences(dim):
    """The kernel's derivatives in u(x, y), by central differences of the inverse multiquadric."""
    x, c, h = draws((5, dim)), 0.8, 1e-4

    def score(points):
        return -points + np.sin(points)

    def kernel(a, b):
        return 1.0 / np.sqrt(1.0 + np.sum((a - b) ** 2) / c**2)

    exact = np.zeros((5, 5))
    for (i, a), (j, b) in itertools.product(enumerate(x), enumerate(x)):
        s, t = score(a), score(b)
        exact[i, j] = s @ t * kernel(a, b)
        for e in np.eye(dim):
            exact[i, j] += (s @ e) * (kernel(a, b + h * e) - kernel(a, b - h * e)) / (2 * h)
            exact[i, j] += (t @ e) * (kernel(a + h * e, b) - kernel(a - h * e, b)) / (2 * h)
            corners = [p * q * kernel(a + p * h * e, b + q * h * e) for p, q in itertools.product((1, -1), (1, -1))]
            exact[i, j] += sum(corners) / (4 * h * h)
    v = diagnostics.kernel_stein_discrepancy(x, score, c)
    assert v**2 == pytest.approx(exact.mean(), rel=1e-5)


def test_the_score_of_a_target():
    """Of DLE by the loss's own gradient, of DRLE by differences of the log density."""
    x = np.linspace(-2.5, 1.5, 7)[:, None]
    for method in (pg.methods.DLE(0.8), pg.methods.DRLE(0.8, 0.9, SE(0.7))):
        target = pg.target(WELL, method, prior=PRIOR)
        exact = [(target.log_pdf(p + 1e-3) - target.log_pdf(p - 1e-3)) / 2e-3 for p in x[:, 0]]
        found = diagnostics.target_score(target, WELL, method, PRIOR)(x)
        assert found[:, 0] == pytest.approx(exact, rel=1e-4, abs=1e-4)
    # Stein's identity with f(x) = x: E[s(X) X] = -1
    assert target.masses @ (diagnostics.target_score(target, WELL, method, PRIOR)(target.grid[:, None])[:, 0]
                            * target.grid) == pytest.approx(-1.0, abs=1e-6)  # fmt: skip
    refuse(lambda: diagnostics.target_score(target, WELL, method, pg.priors.Uniform(-3.0, 3.0)), "without edges")


@pytest.mark.parametrize("n", [8, 20, 300])
def test_kolmogorovs_floor_is_the_exact_law(n):
    low, *high = kolmogorov_smirnov_floor(n, (0.05, 0.95, 0.99))
    exact = stats.kstwo(n).ppf([0.05, 0.95, 0.99])
    assert low == pytest.approx(exact[0], rel=0.05)
    assert high == pytest.approx(exact[1:], rel=0.01)


@pytest.mark.thorough
def test_large_ensembles_are_thinned_and_say_so(plane):
    found = diagnostics.distances(plane.sample(120_000), plane, SE(1.0))
    assert found["sliced_w1"].particles == 100_000
    assert found["mmd"].particles == found["energy"].particles == 1000
    assert all(each.value < 1.5 * each.floor[2] for each in found.values())


def test_the_limit_law_of_a_kernel_with_one_eigenvalue():
    """u(x, y) = x y under N(0, 1): n V = (sum x / sqrt n)^2 is chi-squared with one degree of freedom."""
    x = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    found = limit_floor(np.outer(x, x), 50, (0.5, 0.95))
    assert found == pytest.approx(np.sqrt(stats.chi2(1).ppf([0.5, 0.95]) / 50), rel=0.06)


@pytest.mark.parametrize(("order", "distance"), [(1, diagnostics.wasserstein1), (2, diagnostics.wasserstein2)])
def test_transport_is_the_best_of_all_matchings(rng, order, distance):
    x, y = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)) + 0.5
    cost = np.linalg.norm(x[:, None] - y, axis=2) ** order
    best = min(cost[range(6), list(each)].mean() for each in itertools.permutations(range(6)))
    assert distance(x, y) == pytest.approx(best ** (1 / order))
    assert distance(x, x + [3.0, 4.0, 0.0]) == pytest.approx(5.0)
    assert distance(np.repeat(x, 2, axis=0), y) == pytest.approx(distance(x, y))  # 12 points and 6
    assert distance(x, y) < cost.mean() ** (1 / order)  # control: a plan that is not the best


def test_distances_to_draws_are_those_of_their_formulas(rng):
    x, y = rng.normal(size=(40, 3)), rng.normal(size=(80, 3)) + 1.0
    found = diagnostics.distances_to_draws(x, y, seed=5)
    assert list(found) == ["sliced_w1", "energy", "mmd"] and {each.particles for each in found.values()} == {40}
    one, other = diagnostics.distances_to_draws(y[:40], y), diagnostics.distances_to_draws(y[:40] + 2.0, y)
    for name in found:
        assert one[name].value <= one[name].floor[2] < found[name].floor[2] * 10 < other[name].value * 10
    # against all draws, of which a part is used: ratios have a standard deviation of 0.06
    assert found["energy"].value == pytest.approx(diagnostics.energy_distance(x, y), rel=0.3)
    assert found["sliced_w1"].value == pytest.approx(diagnostics.sliced_wasserstein(x, y), rel=0.3)


@pytest.mark.thorough
@pytest.mark.parametrize("dim", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_exact_draws_stay_below_the_quantiles_as_often_as_they_say(rng, dim):
    trials, above = 200, {}
    for _ in range(trials):
        scale = np.linspace(0.5, 2.0, dim)
        x, y = rng.normal(size=(30, dim)) * scale, rng.normal(size=(120, dim)) * scale
        for name, each in diagnostics.distances_to_draws(x, y).items():
            above[name] = above.get(name, 0) + (each.value > each.floor[1])
    low, high = stats.binom.ppf([0.0005, 0.9995], trials, 0.05)
    assert all(low - 2 <= count <= high + 2 for count in above.values()), above  # 2: the error of 400 parts


X = draws((5, 2))
test_bad_arguments_are_named = refused(
    lambda name, *given: getattr(diagnostics, name)(*given),
    ("maximum_mean_discrepancy", X, X[:, :1], SE(1.0), "target must be of dimension 2, as the particles are, not 1"),
    ("wasserstein1", X, np.zeros((4, 3)), "target"),
    ("wasserstein1", np.zeros((997, 2)), np.zeros((1009, 2)), "as many points"),
    ("distances_to_draws", X, np.zeros((4, 3)), "draws"),
)
