"""DRLE's fixed point against damped iteration on grids, an optimiser of the free energy, and wrong equations."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import particlegvi as pg
from particlegvi.priors.weighted_points import WeightedPoints
from particlegvi.targets.fixed_point import solve
from particlegvi.targets.minimisers import attraction_of
from particlegvi.targets.quadrature.mesh import Interaction

from .references import l1_between, line_loss, picard, plane_loss, tilted

NORMAL = pg.priors.Normal(0.0, 1.0)
GRID = np.linspace(-7.0, 6.0, 1301)
STEP = GRID[1] - GRID[0]
KERNELS = {
    "squared-exponential": lambda r, l: np.exp(-0.5 * (r / l) ** 2),
    "inverse-multiquadric": lambda r, l: 1.0 / np.sqrt(1.0 + (r / l) ** 2),
    "matern-32": lambda r, l: (1.0 + math.sqrt(3.0) * r / l) * np.exp(-math.sqrt(3.0) * r / l),
    "matern-52": lambda r, l: (
        (1.0 + math.sqrt(5.0) * r / l + 5.0 * (r / l) ** 2 / 3.0) * np.exp(-math.sqrt(5.0) * r / l)
    ),
}


def gaussian_embedding(x, lengthscale):
    """Mean embedding of N(0, 1) under the squared-exponential kernel."""
    return lengthscale / math.sqrt(lengthscale**2 + 1.0) * np.exp(-0.5 * x**2 / (lengthscale**2 + 1.0))


def figure(kl_weight=1.0, mmd_weight=0.5, kernel=None):
    kernel = kernel or pg.kernels.SquaredExponential(lengthscale=1.0)
    return pg.target(
        pg.losses.get("tilted-double-well"), pg.methods.DRLE(kl_weight, mmd_weight, kernel=kernel), prior=NORMAL
    )


def moments(q, x):
    h = x[1] - x[0]
    mean = np.sum(x * q) * h
    return mean, np.sum((x - mean) ** 2 * q) * h


@pytest.fixture(scope="module")
def settled():
    return figure()


def l1_between_arrays(first, second):
    return float(np.sum(np.abs(first - second)) * STEP)


LOG_WEIGHT = -tilted(GRID) - 0.5 * GRID**2


def test_figure_5_2(settled):
    q = picard(
        LOG_WEIGHT, gaussian_embedding(GRID, 1.0), lambda r: KERNELS["squared-exponential"](r, 1.0), 1.0, GRID, 0.5, 80
    )
    assert l1_between_arrays(settled.pdf(GRID), q) < 1e-9
    assert settled.mean == pytest.approx(-1.00858, abs=1e-5)
    assert settled.variance == pytest.approx(1.04258, abs=1e-5)
    assert settled.cdf(0.0) == pytest.approx(
        np.sum(q[GRID < -1e-9]) * STEP + 0.5 * STEP * q[np.argmin(abs(GRID))], abs=1e-6
    )
    assert settled.residual < 1e-9 and settled.error < 1e-9


def test_wrong_equations_are_told_apart(settled):
    """Normalised afterwards (C.128 and the authors' code), and with the wrong sign of the embedding."""
    matrix = np.exp(-0.5 * (GRID[:, None] - GRID) ** 2) * STEP
    mu = gaussian_embedding(GRID, 1.0)
    # The authors' start value u(-3) = -10 fixes the constant; the fixed point then is not a probability.
    q = np.full(len(GRID), 0.1)
    anchor = np.argmin(np.abs(GRID + 3.0))
    for _ in range(150):
        level = LOG_WEIGHT + mu - matrix @ q
        q = 0.7 * q + 0.3 * np.exp(level - level[anchor] - 10.0)
    mass = q.sum() * STEP
    assert mass == pytest.approx(1.335, abs=2e-3)
    q /= mass
    assert moments(q, GRID)[0] == pytest.approx(-0.9755, abs=2e-4)
    assert l1_between_arrays(settled.pdf(GRID), q) > 2e-3
    flipped = picard(LOG_WEIGHT, -mu, lambda r: np.exp(-0.5 * r**2), 1.0, GRID, 0.5, 80)
    assert l1_between_arrays(settled.pdf(GRID), flipped) > 2e-3


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sample("matern-32")
def test_every_kernel(name):
    """Strength 4, with the embedding by a sum over a fine grid."""
    assert set(pg.kernels.names()) == set(KERNELS)
    target = figure(0.5, 1.0, pg.kernels.get(name, lengthscale=0.7, variance=1.3))

    def kappa(r):
        return 1.3 * KERNELS[name](r, 0.7)

    prior = np.exp(-0.5 * GRID**2) / math.sqrt(2.0 * math.pi)
    mu = kappa(np.abs(GRID[:, None] - GRID)) @ prior * STEP
    q = picard(-tilted(GRID) / 0.5 - 0.5 * GRID**2, mu, kappa, 4.0, GRID, 0.25, 80)
    assert l1_between_arrays(target.pdf(GRID), q) < 2e-6


def test_the_free_energy_is_least():
    """BFGS on the discretised free energy, which knows nothing of fixed points."""
    target = figure(0.4, 2.0)
    x = np.linspace(-3.2, 2.7, 41)
    h = x[1] - x[0]
    matrix = np.exp(-0.5 * (x[:, None] - x) ** 2)
    potential = tilted(x) - 4.0 * gaussian_embedding(x, 1.0) + 0.4 * 0.5 * x**2

    def energy(theta):
        """(5.6) with lambda1 = 4, lambda2 = 0.4, over masses softmax(theta)."""
        a = np.exp(theta - theta.max())
        a /= a.sum()
        pull = matrix @ a
        slope = potential + 4.0 * pull + 0.4 * (np.log(np.maximum(a, 1e-300) / h) + 1.0)
        return a @ potential + 2.0 * a @ pull + 0.4 * a @ np.log(np.maximum(a, 1e-300) / h), a * (slope - a @ slope)

    found = minimize(energy, -potential / 0.4, jac=True, method="BFGS", options={"maxiter": 2000, "gtol": 1e-9})
    q = np.exp(found.x - found.x.max())
    q /= q.sum() * h
    assert np.sum(np.abs(target.pdf(x) - q)) * h < 1e-5
    ours = energy(np.log(target.pdf(x)))[0]
    assert ours <= found.fun + 1e-8
    for shift in (-0.05, 0.05):  # negative control: the energy of a shifted density is larger
        assert energy(np.log(target.pdf(x + shift)))[0] > ours + 1e-4


@pytest.mark.parametrize("strength", [1e-3, 30.0, 1e3, 1e4])
@pytest.mark.sample("0.001", "30.0")
def test_all_strengths_converge(strength):
    target = figure(1.0, strength / 2.0)
    assert target.residual < 1e-6 and target.error < 1e-4
    x = np.linspace(-2.2, 2.2, 12)
    s = np.linspace(-9.0, 9.0, 6001)
    density = target.pdf(s)
    assert np.sum(density) * (s[1] - s[0]) == pytest.approx(1.0, abs=1e-7)
    convolved = np.exp(-0.5 * (x[:, None] - s) ** 2) @ density * (s[1] - s[0])
    constants = target.log_pdf(x) + tilted(x) + 0.5 * x**2 + strength * (convolved - gaussian_embedding(x, 1.0))
    assert np.ptp(constants) < 1e-6 + 1e-9 * strength


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_random_losses_priors_and_weights(seed):
    draw = np.random.default_rng(7 + seed)
    a, b, c, d = draw.normal(size=4)
    mean, sd, lengthscale = draw.normal(), float(np.exp(draw.normal(0.0, 0.4))), float(np.exp(draw.normal(0.0, 0.5)))
    kl_weight, mmd_weight = float(np.exp(draw.normal(-0.5, 0.7))), float(np.exp(draw.normal(0.0, 0.7)))

    def loss(t):
        return 0.1 * t**4 + 0.3 * a * t**3 + b * t**2 + c * np.sin(4.0 * t + d)

    kernel = pg.kernels.SquaredExponential(lengthscale)
    target = pg.target(
        line_loss(loss), pg.methods.DRLE(kl_weight, mmd_weight, kernel=kernel), prior=pg.priors.Normal(mean, sd)
    )
    x = np.linspace(mean - 9.0 * sd - 2.0, mean + 9.0 * sd + 2.0, 1001)
    mu = lengthscale / math.hypot(lengthscale, sd) * np.exp(-0.5 * (x - mean) ** 2 / (lengthscale**2 + sd**2))
    strength = 2.0 * mmd_weight / kl_weight
    log_weight = -loss(x) / kl_weight - 0.5 * ((x - mean) / sd) ** 2
    damping = 1.0 / (1.0 + strength)
    q = picard(log_weight, mu, lambda r: np.exp(-0.5 * (r / lengthscale) ** 2), strength, x, damping, int(60 / damping))
    assert l1_between(target, lambda t: np.interp(t, x, q), x[0], x[-1], 1001) < 1e-7


def test_a_box_with_its_embedding():
    """Uniform prior: mu_P by a sum over a grid, trapezoidal at the box's sides."""
    box = pg.priors.Uniform(-2.0, 3.0)
    loss = line_loss(lambda t: np.sin(2.0 * t) / 3.0 + t / 4.0)
    target = pg.target(loss, pg.methods.DRLE(0.6, 0.8, kernel=pg.kernels.SquaredExponential(0.7)), prior=box)
    x = -2.0 + (np.arange(1000) + 0.5) * 0.005
    matrix = np.exp(-0.5 * ((x[:, None] - x) / 0.7) ** 2)
    mu = matrix.mean(axis=1)
    q = picard(
        -(np.sin(2.0 * x) / 3.0 + x / 4.0) / 0.6, mu, lambda r: np.exp(-0.5 * (r / 0.7) ** 2), 1.6 / 0.6, x, 0.3, 80
    )
    assert np.sum(np.abs(target.pdf(x) - q)) * 0.005 < 4e-6  # the midpoint rule's own error
    # Without a loss the prior itself is the minimiser.
    still = pg.target(
        line_loss(lambda t: 0.0 * t), pg.methods.DRLE(1.0, 50.0, kernel=pg.kernels.SquaredExponential(0.7)), prior=box
    )
    assert still.pdf(x) == pytest.approx(np.full(1000, 0.2), abs=1e-7)


def test_a_flat_prior_has_no_attraction():
    target = pg.target(
        line_loss(lambda t: 0.5 * t**2),
        pg.methods.DRLE(0.1, 5.0, kernel=pg.kernels.SquaredExponential(1.0)),
        prior=pg.priors.Flat(1),
    )
    x = np.linspace(-12.0, 12.0, 641)
    q = picard(-5.0 * x**2, 0.0, lambda r: np.exp(-0.5 * r**2), 100.0, x, 0.02, 1500)
    assert np.sum(np.abs(target.pdf(x) - q)) * (x[1] - x[0]) < 1e-6


@pytest.mark.thorough
def test_the_plane_against_damped_iteration():
    """Separable kernel on a tensor grid: exp(-x^2/2) exp(-y^2/2) applied from both sides."""
    loss = plane_loss(
        lambda x, y: (x**2 - 1.0) ** 2 + 0.5 * (y - 0.5 * x) ** 2,
        lambda x, y: (4.0 * x * (x**2 - 1.0) - 0.5 * (y - 0.5 * x), y - 0.5 * x),
    )
    prior = pg.priors.Normal([0.0, 0.3], [1.0, 1.5])
    target = pg.target(loss, pg.methods.DRLE(0.5, 0.75, kernel=pg.kernels.SquaredExponential(0.8)), prior=prior)
    x, y = np.linspace(-3.0, 3.0, 97), np.linspace(-5.5, 6.0, 129)
    cell = (x[1] - x[0]) * (y[1] - y[0])
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    left, right = (np.exp(-0.5 * ((axis[:, None] - axis) / 0.8) ** 2) for axis in (x, y))
    mu = np.outer(
        0.8 / math.hypot(0.8, 1.0) * np.exp(-0.5 * x**2 / (0.64 + 1.0)),
        0.8 / math.hypot(0.8, 1.5) * np.exp(-0.5 * (y - 0.3) ** 2 / (0.64 + 2.25)),
    )
    log_weight = (-loss.value(points) / 0.5).reshape(97, 129) - 0.5 * x[:, None] ** 2 - 0.5 * ((y - 0.3) / 1.5) ** 2
    q = np.exp(log_weight - log_weight.max())
    q /= q.sum() * cell
    for _ in range(100):
        new = np.exp(log_weight + 3.0 * (mu - cell * left @ q @ right))
        q = 0.7 * q + 0.3 * new / (new.sum() * cell)
    assert np.sum(np.abs(target.pdf(points).reshape(97, 129) - q)) * cell < 1e-6
    assert target.residual < 1e-6


def test_a_sum_over_many_points_of_the_plane_is_found_by_a_mesh(rng):
    """Against the sum itself, at the tolerance of the mesh, which is met but is not nothing; without a mesh exactly."""
    kernel = pg.kernels.SquaredExponential(1.0)
    term = WeightedPoints(rng.normal(size=(500, 2)), rng.dirichlet(np.ones(500)), kernel)
    x = 3.0 * rng.normal(size=(200, 2))
    exact = np.exp(-0.5 * ((x[:, None] - term.points) ** 2).sum(axis=2)) @ term.weights
    error = np.abs(attraction_of(term, kernel, 1.0)(x) - exact).max()
    assert 1e-14 < error < 1e-8
    wide = term._replace(points=1e9 * term.points)  # of no use for a mesh
    np.testing.assert_allclose(attraction_of(wide, kernel, 1.0)(wide.points), term.weights, rtol=1e-12)


def test_the_solver_bounds_its_error():
    """sqrt(2 gap) bounds the L1 distance, at nodes drawn at random with a kernel matrix in full."""
    draw = np.random.default_rng(3)
    x = np.sort(draw.normal(size=60))
    matrix = np.exp(-0.5 * (x[:, None] - x) ** 2)
    psi, log_volume = draw.normal(size=60), np.full(60, -4.0)
    best = solve(psi, log_volume, lambda a: matrix @ a, 300.0, np.full(60, 1.0 / 60.0), tolerance=1e-12)
    equation = psi + log_volume - 300.0 * matrix @ best.masses
    assert best.masses == pytest.approx(np.exp(equation - best.log_normaliser), rel=1e-6)
    for tolerance in (0.5, 1e-2, 1e-4):
        rough = solve(psi, log_volume, lambda a: matrix @ a, 300.0, np.full(60, 1.0 / 60.0), tolerance=tolerance)
        assert np.abs(rough.masses - best.masses).sum() <= rough.bound + 1e-9


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sample("*-1", "squared-exponential-2")
def test_the_mesh_sums_as_the_pairs_do(name, dim):
    draw = np.random.default_rng(5)
    x, weights = draw.normal(size=(300, dim)), draw.random(300)
    kernel = pg.kernels.get(name, lengthscale=0.9)
    mesh = Interaction(kernel, x, 1e-7, 1e-4)

    def direct(points):
        return KERNELS[name](np.linalg.norm(points[:, None] - x, axis=2), 0.9) @ weights

    assert mesh.apply(weights) == pytest.approx(direct(x), abs=300 * max(mesh.error, 1e-7))
    far = np.concatenate([draw.normal(size=(40, dim)) * scale for scale in (1.0, 10.0, 1e3)])
    assert mesh.field(weights)(far) == pytest.approx(direct(far), abs=300 * max(mesh.error, 1e-7))


def test_a_kernel_too_narrow_for_the_support_is_refused():
    with pytest.raises(ValueError, match="too narrow"):
        figure(1.0, 0.5, pg.kernels.SquaredExponential(1e-9))
