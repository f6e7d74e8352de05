"""The sorted scan against sums over pairs whose terms are exactly rounded."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.pairs.direct import Direct
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.pairs.scan import Scan

RANDOM = np.random.default_rng(11)
CLOUDS = {
    "normal": RANDOM.normal(size=300),
    "two clusters": np.concatenate([RANDOM.normal(-8, 0.1, 90), RANDOM.normal(8, 0.1, 111)]),
    "far outlier": np.concatenate([RANDOM.normal(size=200), [1e6]]),
    "opposite outliers": np.array([-1e150, 0.0, 0.5, 1e150]),
    "coinciding": np.zeros(77),
    "coinciding in groups": RANDOM.integers(-3, 3, 200).astype(float),
    "single": np.array([0.3]),
    "pair": np.array([0.0, 1.0]),
    "far from the origin": 1e4 + RANDOM.normal(size=150),
    "grid": np.linspace(-3, 3, 64),
}
KERNELS = [pg.kernels.Matern32, pg.kernels.Matern52]


def pairs(kernel, x):
    """1/N sum_j grad_1 kappa by exact sums of the pairs' terms."""
    with np.errstate(over="ignore", invalid="ignore"):
        difference = x[:, None] - x[None, :]
        slope = np.vectorize(kernel.slope)(difference**2)
        terms = np.where(slope == 0.0, 0.0, 2.0 * slope * difference)
    return np.array([math.fsum(row) for row in terms]) / len(x)


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("lengthscale", [0.05, 0.7, 300.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_it_is_the_sum_over_pairs(cloud, lengthscale, kernel):
    x = CLOUDS[cloud]
    made = kernel(lengthscale, variance=2.0)
    out = np.empty((x.size, 1))
    Scan(made, 1, 1e-12).force(x[:, None], None, 1.0, out)
    # far from the origin the positions themselves carry an error of eps |x|; and a scan of N adds N roundings at most
    finite = np.abs(x[np.abs(x) < 1e5]).max()
    allowed = 2.3e-16 * (10.0 + math.sqrt(x.size) + finite / lengthscale) * 2.0 / lengthscale
    assert np.abs(out[:, 0] - pairs(made, x)).max() <= allowed
    if cloud == "coinciding":
        assert not out.any()


def test_the_wrong_polynomial_is_found():
    class Wrong(pg.kernels.Matern52):
        def exponential_slope(self):
            rate, constant, linear = super().exponential_slope()
            return rate, constant, 0.99 * linear

    x = CLOUDS["normal"]
    out = np.empty((x.size, 1))
    Scan(Wrong(0.7), 1, 1e-12).force(x[:, None], None, 1.0, out)
    assert np.abs(out[:, 0] - pairs(pg.kernels.Matern52(0.7), x)).max() > 1e-5


def test_large_clouds_are_scanned_and_small_ones_are_not():
    kernel = pg.kernels.Matern32(0.5)
    for number, name in ((20, Direct.name), (20_000, Scan.name)):
        x = np.random.default_rng(1).normal(size=(number, 1))
        repulsion = Repulsion(kernel, 1, 1e-12)
        repulsion.force(x, 1.0, np.empty_like(x))
        assert list(repulsion.used) == [name]
        assert repulsion.facts()["repulsion_error_bound"] == 0.0


def test_a_particle_that_is_not_finite_shows():
    x = np.array([[0.0], [np.nan], [1.0]])
    out = np.zeros_like(x)
    Scan(pg.kernels.Matern32(0.5), 1, 1e-12).force(x, None, 1.0, out)
    assert np.isnan(out).any()
