"""DLE's density in the plane against closed forms, products of line integrals, and a uniform grid."""

import math

import numpy as np
import pytest

import particlegvi as pg

from ..refusals import refuse, refused
from .references import integral, plane_loss

pytestmark = pytest.mark.thorough

FLAT = pg.priors.Flat(2)


def test_a_gaussian_with_correlation():
    matrix, centre = np.array([[30.0, 12.0], [12.0, 5.0]]), np.array([40.0, -7.0])
    loss = pg.Loss.from_numpy(
        lambda x: 0.5 * np.einsum("ni,ij,nj->n", x - centre, matrix, x - centre), lambda x: (x - centre) @ matrix, 2
    )
    prior = pg.priors.Normal([1.0, 2.0], [10.0, 3.0])
    target = pg.target(loss, pg.methods.DLE(0.1), prior=prior)
    precision = matrix / 0.1 + np.diag([0.01, 1.0 / 9.0])
    covariance = np.linalg.inv(precision)
    mean = covariance @ (matrix @ centre / 0.1 + np.array([1.0 / 100.0, 2.0 / 9.0]))
    assert target.mean == pytest.approx(mean, abs=1e-8)
    assert target.covariance == pytest.approx(covariance, rel=1e-7)
    assert target.variance == pytest.approx(np.diag(covariance), rel=1e-7)
    assert target.pdf(mean) == pytest.approx(math.sqrt(np.linalg.det(precision)) / (2.0 * math.pi), rel=1e-8)


def test_four_gaussians_are_a_product_of_two_lines():
    """The mixture at (+-3, +-3) factorises, and so does its Gibbs density."""
    target = pg.target(pg.losses.get("four-gaussians"), pg.methods.DLE(0.2), prior=FLAT)

    def weight(t):
        return np.exp(5.0 * (np.logaddexp(-0.5 * (t - 3.0) ** 2, -0.5 * (t + 3.0) ** 2)))

    total = integral(weight, -12.0, 12.0, [-3.0, 0.0, 3.0])
    x = np.linspace(-6.0, 6.0, 41)
    density = weight(x) / total
    points = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    assert target.pdf(points) == pytest.approx(np.outer(density, density).ravel(), rel=1e-8)
    second = integral(lambda t: t**2 * weight(t), -12.0, 12.0, [-3.0, 0.0, 3.0]) / total
    assert target.variance == pytest.approx([second, second], rel=1e-8)
    assert target.mean == pytest.approx([0.0, 0.0], abs=1e-10)


# x is Gaussian, and y given x as well
VALLEY = plane_loss(lambda x, y: (1.0 - x) ** 2 + 100.0 * (y - x**2) ** 2)
# v ~ N(0, 9), x given v ~ N(0, e^v): the neck is ten thousand times narrower than the mouth
FUNNEL = plane_loss(lambda v, x: v**2 / 18.0 + 0.5 * v + 0.5 * x**2 * np.exp(-v))
RING = plane_loss(lambda x, y: (np.hypot(x, y) - 3.0) ** 2)
AROUND = 2.0 * math.pi * integral(lambda r: r * math.exp(-((r - 3.0) ** 2) / 1e-3), 2.0, 4.0, [2.95, 3.0, 3.05])
SHAPES = [  # loss, kl_weight T, normaliser, and mean and variance of the coordinates where they are compared
    (VALLEY, 0.01, math.pi * 0.01 / 10.0, [1.0, 1.005], [0.005, 0.02 + 5e-5 + 5e-5]),
    (VALLEY, 1.0, math.pi / 10.0, [1.0, 1.5], [0.5, 2.0 + 0.5 + 0.005]),
    (FUNNEL, 1.0, 6.0 * math.pi, [0.0], [9.0]),
    (RING, 1e-3, AROUND, [0.0, 0.0], []),
]


@pytest.mark.parametrize(("loss", "kl_weight", "normaliser", "mean", "variance"), SHAPES)
@pytest.mark.sample("loss0-*", "loss3-*")
def test_narrow_shapes_have_their_closed_forms(loss, kl_weight, normaliser, mean, variance):
    target = pg.target(loss, pg.methods.DLE(kl_weight), prior=FLAT)
    assert target.log_normaliser == pytest.approx(math.log(normaliser), abs=1e-6)
    assert target.mean[: len(mean)] == pytest.approx(mean, rel=1e-7, abs=1e-5)
    assert target.variance[: len(variance)] == pytest.approx(variance, rel=1e-5)


def test_many_modes_in_a_box_against_a_uniform_grid():
    loss = plane_loss(lambda x, y: np.sin(3.0 * x) * np.cos(2.0 * y) + 0.2 * x)
    box = pg.priors.Uniform([-2.0, -3.0], [4.0, 3.0])
    target = pg.target(loss, pg.methods.DLE(0.15), prior=box)
    x = (np.arange(1500) + 0.5) / 1500.0 * 6.0
    points = np.stack(np.meshgrid(x - 2.0, x - 3.0, indexing="ij"), axis=-1).reshape(-1, 2)
    weight = np.exp(-loss.value(points) / 0.15)
    expected = weight / (weight.sum() * (6.0 / 1500.0) ** 2)
    assert np.sum(np.abs(target.pdf(points) - expected)) * (6.0 / 1500.0) ** 2 < 1e-5  # the midpoint rule's own error
    assert target.pdf(np.array([[4.1, 0.0]])).tolist() == [0.0]


test_what_is_not_integrable_is_refused = refused(
    lambda value: pg.target(plane_loss(value), pg.methods.DLE(1.0), prior=FLAT),
    (lambda x, y: (x - 2.3 * y) ** 2, "not integrable"),
    (lambda x, y: 0.0 * x, "not integrable"),
    (lambda x, y: 0.9 * np.log1p(x**2 + y**2), "not integrable"),
)


def test_the_line_has_what_the_plane_has_not():
    target = pg.target(plane_loss(lambda x, y: x**2 + y**2), pg.methods.DLE(1.0), prior=FLAT)
    for call in (lambda: target.cdf(0.5), lambda: target.quantile(0.5)):
        refuse(call, "is for one dimension; this target has 2$")
    refuse(lambda: target.pdf(np.zeros(3)))
    low, high = target.support
    assert np.all(target.grid >= low) and np.all(target.grid <= high) and target.grid.shape == (len(target.density), 2)
