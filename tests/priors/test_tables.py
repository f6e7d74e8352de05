"""Tables in place of slow mean embeddings, on the line and in the plane, against quadratures of their own."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from particlegvi import kernels, priors
from particlegvi.engine.terms import evaluate
from particlegvi.priors import mean_embedding, product_table
from particlegvi.priors.gaussian_sums import gaussian_sum
from particlegvi.priors.plane_table import PlaneTable
from particlegvi.priors.product_table import ProductTable

from .expectations import Cauchy

pytestmark = pytest.mark.thorough

PRIORS = [
    lambda place, scale: priors.Laplace(place, scale),
    lambda place, scale: priors.StudentT(3.9, place, scale),
    lambda place, scale: priors.StudentT(0.7, place, scale),
    lambda place, scale: priors.Prior.from_formula(f"exp(-abs((t - {place})/{scale})^3)"),
    priors.Normal,
    lambda place, scale: priors.Uniform(place - scale, place + 2.0 * scale),
    lambda place, scale: priors.GaussianMixture([place, place + 3.0 * scale], scale),
]
KERNELS = [kernels.Matern32, kernels.Matern52, kernels.InverseMultiquadric]
UNIT, SHARES = np.polynomial.legendre.leggauss(20)
FINE, FINE_SHARES = np.polynomial.legendre.leggauss(160)


class Bell(NamedTuple):
    """The squared exponential as the kernel of a user, of which the package knows no closed form."""

    lengthscale: float = 1.0
    name, variance = "bell", 1.0

    def value(self, r2):
        return math.exp(-0.5 * r2 / self.lengthscale**2)

    def slope(self, r2):
        return -0.5 / self.lengthscale**2 * math.exp(-0.5 * r2 / self.lengthscale**2)


def by_quadrature(prior, kernel, x, place=None):
    """E kappa(x, T) by 20 nodes in each of the panels around x and around the centre."""
    away = 2.0 ** np.arange(-12.0, 90.0)
    place = float(prior.location[0]) if place is None else place
    at = [centre + side * away for centre in (x, place) for side in (-1.0, 1.0)]
    edges = np.unique(np.clip(np.concatenate([*at, [x, place]]), prior.low[0], prior.high[0]))
    half = 0.5 * np.diff(edges)[:, None]
    nodes = edges[:-1, None] + half * (1.0 + UNIT)
    density = np.exp(prior.log_density(nodes.reshape(-1, 1))).reshape(nodes.shape)
    return float(np.sum(half * SHARES * density * np.vectorize(kernel.value)((nodes - x) ** 2)))


def worst(prior, kernel, term, place=None, scale=None):
    place = float(prior.location[0]) if place is None else place
    x = place + (float(prior.scale[0]) if scale is None else scale) * np.array([-20.0, -1.3, 0.01, 0.8, 3.0])
    return max(abs(term.value(np.array([each])) - by_quadrature(prior, kernel, each, place)) for each in x)


@pytest.mark.parametrize(
    "number", [2, pytest.param(20, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.slow)]
)
def test_random_pairs_err_by_less_than_they_state(number, rng):
    shares = []
    for k in range(number):
        place, scale, lengthscale = rng.normal(), 10.0 ** rng.uniform(-1.0, 1.0), 10.0 ** rng.uniform(-1.0, 1.0)
        prior, kernel = PRIORS[k % len(PRIORS)](place, scale), KERNELS[rng.integers(3)](lengthscale)
        found = priors.embedding(prior, kernel)
        assert found.error < 1e-6
        if k % len(PRIORS) < 4:
            assert isinstance(found.term, ProductTable)
        assert worst(prior, kernel, found.term, place, scale) <= found.error + 1e-12
        aside = by_quadrature(prior, kernel, place + 0.1 * scale, place)
        shares.append(abs(found.term.value(np.array([place])) - aside))
    assert np.median(shares) > 1e-4  # control: a tenth of a scale away the quadrature disagrees


def averages(prior, kernel, points):
    """Values and gradients (n, dim) of the mean embedding at points (n, dim), as a sum of products of averages."""
    gaussians = gaussian_sum(kernel)
    values, gradients = np.zeros(len(points)), np.zeros(points.shape)
    for scale, weight in zip(gaussians.lengthscales, gaussians.weights, strict=True):
        each = [prior.average(i, float(scale), points[:, i]) for i in range(prior.dim)]
        values += weight * np.prod([level for level, _ in each], axis=0)
        for j in range(prior.dim):
            gradients[:, j] += weight * np.prod([both[i == j] for i, both in enumerate(each)], axis=0)
    return values, gradients


@pytest.mark.slow
def test_a_table_of_few_panels_says_so_and_is_seen(monkeypatch):
    """Control: the quadrature sees a rough table, and the rough table states its error."""
    prior, kernel = priors.Laplace(0.3, 0.7), kernels.Matern32(0.8)
    fine = priors.embedding(prior, kernel)
    x = np.linspace(-3.0, 3.0, 41)[:, None]
    _, slopes = averages(prior, kernel, x)
    assert np.abs(evaluate.gradients(fine.term, x) - slopes).max() <= fine.term.slope_error
    monkeypatch.setattr(product_table, "FIT", 1e-2)
    monkeypatch.setattr(product_table, "WORST_SLOPE", np.inf)
    rough = mean_embedding._made(prior, kernel, "auto").term
    assert 1e-4 < worst(prior, kernel, rough) <= rough.error
    assert 1e-4 < np.abs(evaluate.gradients(rough, x) - slopes).max() <= rough.slope_error


def test_many_points_have_the_bits_of_one(rng):
    """A step reads the slopes of many particles side by side: at edges, beyond both ends, and where one is lost."""
    table = priors.embedding(priors.Normal(0.3, 0.7), kernels.Matern32(0.8)).term
    assert isinstance(table, ProductTable)
    edges = table.edges[0]
    x = np.concatenate([edges, np.nextafter(edges, -np.inf), 3.0 * rng.normal(size=100), [-1e300, 1e300, np.nan]])
    found, alone = np.empty((1, len(x))), np.empty((1, len(x)))
    table.gradients(x[None], found)
    for i in range(len(x)):
        table.gradient(x[i : i + 1], alone[:, i])
    assert found.tobytes() == alone.tobytes() and np.isnan(found[0, -1])
    assert np.array_equal(evaluate.gradients(table, x[:, None]).T, found, equal_nan=True)  # compiled


@pytest.mark.parametrize("make", [priors.Laplace, lambda a, b: priors.StudentT(4.0, a, b), priors.Uniform])
def test_in_the_plane_a_table_is_the_product(make, rng):
    prior, kernel = make([-1.0, 0.5], [0.4, 2.0]), kernels.Matern52(0.6)
    found = priors.embedding(prior, kernel).term
    assert isinstance(found, ProductTable)
    x = rng.normal(size=(50, 2)) * 2.0
    values, slopes = averages(prior, kernel, x)
    assert np.abs(evaluate.values(found, x) - values).max() <= found.error
    assert np.abs(evaluate.gradients(found, x) - slopes).max() <= 2.0 * found.slope_error
    assert np.abs(slopes).max() > 1e3 * found.slope_error


def test_heavy_tails_count_under_the_kernel_of_a_user():
    """A box of some standard deviations would lose 5e-4 of this prior."""
    for freedom in (3.0, 1.0):
        prior, kernel = priors.StudentT(freedom), Cauchy(0.7)
        found = priors.embedding(prior, kernel)
        assert found.error < 1e-4
        assert abs(found.term.value(np.array([9.0])) - by_quadrature(prior, kernel, 9.0)) <= found.error
        assert abs(by_quadrature(prior, kernel, 9.0) - by_quadrature(prior, kernel, 9.1)) > found.error  # control


def points(rng):
    return np.concatenate([scale * rng.normal(size=(200, 2)) for scale in (0.3, 2.0, 10.0, 1e3)])


@pytest.mark.slow
def test_the_kernel_of_a_user_has_the_closed_form_of_the_same_kernel(rng):
    """Under a Normal prior, whose mean embedding is known; the gradient too, and beyond the whole square."""
    prior, x = priors.Normal([0.3, -0.2], 0.8), points(rng)
    found = priors.embedding(prior, Bell(0.9))
    exact = priors.embedding(prior, kernels.SquaredExponential(0.9))
    assert isinstance(found.term, PlaneTable) and found.error < 1e-7
    assert f"in a table with a further error of {found.term.error:.1e}" in found.description
    values, gradients = evaluate.values(exact.term, x), evaluate.gradients(exact.term, x)
    miss = np.abs(evaluate.values(found.term, x) - values).max()
    slope_miss = np.abs(evaluate.gradients(found.term, x) - gradients).max()
    assert miss <= found.error and slope_miss <= found.term.slope_error + 1e-8
    assert np.abs(values).max() > 1e5 * found.error  # the control: the errors are no excuse for a zero
    assert found.term.value(x[0]) == evaluate.values(found.term, x[:1])[0]
    far = np.full((1, 2), 1e9)
    assert abs(evaluate.values(found.term, far)[0]) <= found.term.error
    assert np.all(evaluate.gradients(found.term, far) == 0.0)


@pytest.mark.parametrize(
    ("formula", "kernel"),
    [
        ("exp(-(abs(x)^3 + y^4)/8)", kernels.SquaredExponential(0.7)),
        ("1/(1 + x^2 + y^2)^3", Bell(1.3)),
        ("exp(-abs(x) - abs(y))", kernels.Matern32(0.8)),
        ("exp(-(x^2 - 2)^2 - y^2)", kernels.InverseMultiquadric(1.0)),
    ],
)
@pytest.mark.slow
def test_a_formula_errs_by_less_than_is_stated(formula, kernel, rng):
    """Against a product rule of 160 by 160 nodes in each quarter, which knows nothing of the prior's own nodes."""
    prior, x = priors.Prior.from_formula(formula, ["x", "y"]), rng.normal(size=(12, 2)) * 1.5
    found = priors.embedding(prior, kernel)
    assert isinstance(found.term, PlaneTable)
    reach = 30.0 if "exp" in formula else 4e3
    side = reach * np.sinh(4.0 * (FINE + 1.0)) / np.sinh(8.0)
    share = FINE_SHARES * reach * 4.0 * np.cosh(4.0 * (FINE + 1.0)) / np.sinh(8.0)
    axis, weights = np.concatenate([-side[::-1], side]), np.concatenate([share[::-1], share])
    nodes = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    masses = np.exp(prior.log_density(nodes)) * np.outer(weights, weights).ravel()
    assert masses.sum() == pytest.approx(1.0, abs=1e-6)
    r2 = ((x[:, None] - nodes) ** 2).sum(axis=2)
    exact = evaluate.profile_values(kernel, r2) @ masses
    assert np.abs(evaluate.values(found.term, x) - exact).max() <= found.error + 1e-6
