"""DRLE's fixed point against damped iteration on grids."""

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.priors.weighted_points import WeightedPoints
from particlegvi.targets.fixed_point import solve
from particlegvi.targets.minimisers import attraction_of
from particlegvi.targets.quadrature.mesh import MeshInteraction

from .references import line_loss, picard, plane_loss, tilted

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


LOG_WEIGHT = -tilted(GRID) - 0.5 * GRID**2


def l1_on_the_grid(first, second):
    return float(np.sum(np.abs(first - second)) * STEP)


def test_figure_5_2():
    settled = figure()
    mu, kappa = gaussian_embedding(GRID, 1.0), lambda r: KERNELS["squared-exponential"](r, 1.0)
    q, flipped = (picard(LOG_WEIGHT, sign * mu, kappa, 1.0, GRID, 0.5, 80) for sign in (1.0, -1.0))
    assert l1_on_the_grid(settled.pdf(GRID), q) < 1e-9
    assert l1_on_the_grid(settled.pdf(GRID), flipped) > 2e-3  # control
    assert settled.mean == pytest.approx(-1.00858, abs=1e-5)
    assert settled.variance == pytest.approx(1.04258, abs=1e-5)
    assert settled.cdf(0.0) == pytest.approx(
        np.sum(q[GRID < -1e-9]) * STEP + 0.5 * STEP * q[np.argmin(abs(GRID))], abs=1e-6
    )
    assert settled.residual < 1e-9 and settled.error < 1e-9


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.thorough
def test_every_kernel(name):
    """Strength 4, with the embedding by a sum over a fine grid."""
    assert set(pg.kernels.names()) == set(KERNELS)
    target = figure(0.5, 1.0, pg.kernels.get(name, lengthscale=0.7, variance=1.3))

    def kappa(r):
        return 1.3 * KERNELS[name](r, 0.7)

    prior = np.exp(-0.5 * GRID**2) / math.sqrt(2.0 * math.pi)
    mu = kappa(np.abs(GRID[:, None] - GRID)) @ prior * STEP
    q = picard(-tilted(GRID) / 0.5 - 0.5 * GRID**2, mu, kappa, 4.0, GRID, 0.25, 80)
    assert l1_on_the_grid(target.pdf(GRID), q) < 2e-6


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


@pytest.mark.thorough
def test_a_flat_prior_has_no_attraction():
    target = pg.target(
        line_loss(lambda t: 0.5 * t**2),
        pg.methods.DRLE(0.1, 5.0, kernel=pg.kernels.SquaredExponential(1.0)),
        prior=pg.priors.Flat(1),
    )
    x = np.linspace(-12.0, 12.0, 641)
    q = picard(-5.0 * x**2, 0.0, lambda r: np.exp(-0.5 * r**2), 100.0, x, 0.02, 1500)
    assert np.sum(np.abs(target.pdf(x) - q)) * (x[1] - x[0]) < 1e-6


@pytest.mark.slow
def test_the_plane_against_damped_iteration():
    """Separable kernel on a tensor grid: exp(-x^2/2) exp(-y^2/2) applied from both sides."""
    loss = plane_loss(lambda x, y: (x**2 - 1.0) ** 2 + 0.5 * (y - 0.5 * x) ** 2)
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
    mesh = MeshInteraction(kernel, x, 1e-7, 1e-4)

    def direct(points):
        return KERNELS[name](np.linalg.norm(points[:, None] - x, axis=2), 0.9) @ weights

    assert mesh.apply(weights) == pytest.approx(direct(x), abs=300 * max(mesh.error, 1e-7))
    far = np.concatenate([draw.normal(size=(40, dim)) * scale for scale in (1.0, 10.0, 1e3)])
    assert mesh.field(weights)(far) == pytest.approx(direct(far), abs=300 * max(mesh.error, 1e-7))


def test_a_kernel_too_narrow_for_the_support_is_refused():
    with pytest.raises(ValueError, match="too narrow"):
        figure(1.0, 0.5, pg.kernels.SquaredExponential(1e-9))


def test_a_huge_repulsion_ends_in_a_sentence_at_once():
    """Rounding alone keeps its bound above 1e-5: a stall ends the search, not two hundred steps."""
    steps = []
    x = np.linspace(-2.0, 2.0, 60)
    matrix = np.exp(-0.5 * (x[:, None] - x) ** 2)

    def apply(a):
        steps.append(1)
        return matrix @ a

    with pytest.raises(ValueError, match="did not converge"):
        solve(-(x**2), np.zeros(60), apply, 1e150, np.full(60, 1.0 / 60.0))
    assert len(steps) < 20 * 600  # of 200 steps with 600 each
