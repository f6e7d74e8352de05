"""The sorted scan against sums over pairs whose terms are exactly rounded."""

import math

import numba
import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import threads, vectors
from particlegvi.engine.numerics.compiled import OPTIONS
from particlegvi.engine.pairs.direct import Direct
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.pairs.sorted_scan import Scan
from particlegvi.engine.pairs.stein import stein_sum

from ...flows import by_pairs
from .clouds import CLOUDS

RANDOM = np.random.default_rng(11)
SCANNED = CLOUDS | {
    "opposite outliers": np.array([-1e150, 0.0, 0.5, 1e150]),
    "coinciding in groups": RANDOM.integers(-3, 3, 200).astype(float),
}
KERNELS = [pg.kernels.Matern32, pg.kernels.Matern52]


def pairs(kernel, x):
    """1/N sum_j grad_1 kappa by exact sums of the pairs' terms."""
    with np.errstate(over="ignore", invalid="ignore"):
        difference = x[:, None] - x[None, :]
        slope = np.vectorize(kernel.slope)(difference**2)
        terms = np.where(slope == 0.0, 0.0, 2.0 * slope * difference)
    return np.array([math.fsum(row) for row in terms]) / len(x)


@pytest.mark.parametrize("cloud", SCANNED)
@pytest.mark.parametrize("lengthscale", [0.05, 0.7, 300.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_it_is_the_sum_over_pairs(cloud, lengthscale, kernel):
    x = SCANNED[cloud]
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


@numba.njit(**OPTIONS)
def reduced(a, b, out):
    vectors.store(out, 0, vectors.minimum(vectors.load(a, 0), vectors.load(b, 0)))
    vectors.store(out, 8, vectors.maximum(vectors.load(a, 0), vectors.load(b, 0)))
    return vectors.total(vectors.load(a, 0))


def test_lanes(rng):
    a, b, out = rng.normal(size=8), rng.normal(size=8), np.empty(16)
    total = reduced(a, b, out)
    assert np.array_equal(out, np.concatenate([np.minimum(a, b), np.maximum(a, b)]))
    quarter = a[:4] + a[4:]
    assert total == (quarter[0] + quarter[2]) + (quarter[1] + quarter[3])
    assert reduced(np.full(8, np.nan), b, out) != total and np.array_equal(out, np.concatenate([b, b]))


SMOOTHED = [pg.kernels.SquaredExponential(0.7, 1.3), pg.kernels.Matern52(0.9)]


@pytest.mark.sample("1-1-matern-52")
@pytest.mark.parametrize("kernel", SMOOTHED, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("number", [1, 31, 33])
def test_is_the_sum_over_pairs(kernel, dim, number):
    random = np.random.default_rng(dim)
    x, vectors = random.normal(size=(number, dim)), random.normal(size=(number, dim))
    got = stein_sum(kernel, x, vectors, 0.4)
    values = np.vectorize(kernel.value)(((x[:, None] - x) ** 2).sum(axis=2)) @ vectors / number
    np.testing.assert_allclose(got, values + 0.4 * by_pairs(kernel, x), rtol=1e-12, atol=1e-13)
    if number > 1:  # control: the sum of the other sign of the repulsion is another one
        assert np.abs(got - values + 0.4 * by_pairs(kernel, x)).max() > 1e-3


@pytest.mark.thorough
def test_threads_change_no_bit(monkeypatch):
    random = np.random.default_rng(7)
    x, vectors = random.normal(size=(1300, 2)), random.normal(size=(1300, 2))
    found = []
    for count in (1, 3, 8):
        monkeypatch.setattr(threads, "count", lambda count=count: count)
        found.append(stein_sum(SMOOTHED[0], x, vectors, 1.0).tobytes())
    assert len(set(found)) == 1
