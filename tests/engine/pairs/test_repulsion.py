"""Every sum of repulsions against a sum over pairs in numpy."""

import sys
import warnings

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs import fourier
from particlegvi.engine.pairs.boxes import Boxes
from particlegvi.engine.pairs.direct import Direct
from particlegvi.engine.pairs.fourier import Series
from particlegvi.engine.pairs.nufft import Nufft
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.tools.errors import MissingLibrary

from ...flows import by_pairs
from .clouds import CLOUDS, RANDOM


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("lengthscale", [0.05, 0.7, 300.0])
@pytest.mark.parametrize("tolerance", [1e-12, 1e-6])
@pytest.mark.parametrize("algorithm", ["chosen", "transforms"])
@pytest.mark.sample("*-1e-12-*")
def test_error_is_below_the_tolerance_on_the_line(cloud, lengthscale, tolerance, algorithm):
    x = CLOUDS[cloud][:, None].copy()
    kernel = pg.kernels.SquaredExponential(lengthscale, variance=2.0)
    out = np.full_like(x, np.nan)
    if algorithm == "chosen":
        repulsion = Repulsion(kernel, 1, tolerance)
        repulsion.force(x, 1.0, out)
        assert len(repulsion.used) == 1
    else:
        transforms = Nufft(kernel, 1, tolerance)
        estimate = transforms.estimate(x)
        if estimate is None:
            assert cloud == "far outlier" and lengthscale < 300.0
            return
        transforms.force(x, estimate[1], 1.0, out)
    unit = 2.0 / lengthscale
    assert np.abs(out - by_pairs(kernel, x)).max() <= tolerance * unit


PLANES = {
    "normal": RANDOM.normal(size=(3000, 2)),
    "wide": RANDOM.uniform(-20, 20, size=(3000, 2)),
    "two clusters": np.concatenate([RANDOM.normal(-30, 0.5, (1500, 2)), RANDOM.normal(30, 0.5, (1500, 2))]),
    "outliers": np.concatenate([RANDOM.normal(size=(2990, 2)), RANDOM.normal(size=(10, 2)) * 1e5]),
    "coinciding": np.ones((3000, 2)),
    "a line": np.stack([np.linspace(-9, 9, 3000), np.zeros(3000)], axis=1),
    "far from the origin": 1e4 + RANDOM.normal(size=(3000, 2)),
    "few": RANDOM.normal(size=(5, 2)),
    "grid": np.stack(np.meshgrid(np.linspace(0, 8, 55), np.linspace(0, 8, 55)), -1).reshape(-1, 2),
    "heavy tails": RANDOM.standard_cauchy(size=(3000, 2)),
}


@pytest.mark.parametrize("cloud", PLANES)
@pytest.mark.parametrize("algorithm", [Boxes, Nufft])
@pytest.mark.parametrize("tolerance", [1e-12, 1e-5])
@pytest.mark.sample("1e-12-*")
def test_error_is_below_the_tolerance_in_the_plane(cloud, algorithm, tolerance, rng):
    x = np.ascontiguousarray(PLANES[cloud])
    kernel = pg.kernels.SquaredExponential(1.1, variance=2.0)
    out = np.full_like(x, np.nan)
    summed = algorithm(kernel, 2, tolerance)
    estimate = summed.estimate(x)
    if estimate is None:
        assert cloud in ("heavy tails", "outliers")
        return
    summed.force(x, estimate[1], 1.0, out)
    chosen = rng.choice(len(x), min(len(x), 50), replace=False)
    difference = x[chosen, None, :] - x[None, :, :]
    square = (difference**2).sum(-1)
    exact = (-2.0 / 1.1**2 * np.exp(-square / (2 * 1.1**2))[..., None] * difference).mean(axis=1)
    assert np.abs(out[chosen] - exact).max() <= tolerance * 2.0 / 1.1


def test_the_widest_series_is_still_within_the_tolerance(rng):
    x = np.sort(rng.uniform(0, 95.0, 500))[:, None].copy()
    kernel = pg.kernels.SquaredExponential(1.0)
    series = Series(kernel, 1, 1e-12)
    out = np.empty_like(x)
    box = series.estimate(x)[1]
    assert 110 < box.modes <= fourier.MOST_MODES
    series.force(x, box, 1.0, out)
    assert np.abs(out - by_pairs(kernel, x)).max() < 1e-12


def test_the_bound_is_not_idle():
    """Negative control: a plan for 1e-3 does make errors above 1e-6, so the bound is what gives the accuracy."""
    x = CLOUDS["uniform"][:, None].copy()
    kernel = pg.kernels.SquaredExponential(1.0)
    rough = Repulsion(kernel, 1, 1e-3)
    out = np.empty_like(x)
    rough.force(x, 1.0, out)
    error = np.abs(out - by_pairs(kernel, x)).max()
    assert 1e-6 < error < 1e-3


@pytest.mark.parametrize("name", ["squared-exponential", "inverse-multiquadric", "matern-32", "matern-52"])
@pytest.mark.parametrize("dim", [1, 2, 3, 7])
@pytest.mark.sample("2-matern-52", "3-matern-32", "7-squared-exponential")
def test_direct_sum(name, dim, rng):
    kernel = pg.kernels.get(name, lengthscale=0.9, variance=0.6)
    x = np.ascontiguousarray(rng.normal(size=(101, dim)))
    x[7] = x[8]  # coinciding particles
    out = np.empty_like(x)
    Direct(kernel, dim, 1e-12).force(x, None, 1.5, out)
    np.testing.assert_allclose(out, 1.5 * by_pairs(kernel, x), rtol=0, atol=2e-15)


@pytest.mark.parametrize("tolerance", [1e-12, 1e-9, 1e-6])
def test_nufft_in_three_dimensions(tolerance, rng):
    kernel = pg.kernels.SquaredExponential(1.3, variance=2.0)
    x = np.ascontiguousarray(rng.normal(size=(500, 3)) * 2 + 10.0)
    nufft = Nufft(kernel, 3, tolerance)
    for cloud in (x, 1e-3 * x):  # close together the errors of all particles are alike, and add up
        out = np.full_like(x, np.nan)
        nufft.force(cloud, nufft.estimate(cloud)[1], 1.0, out)
        assert np.abs(out - by_pairs(kernel, cloud)).max() <= 0.5 * tolerance * 2.0 / 1.3


def test_threads_change_no_bit(monkeypatch, rng):
    kernel = pg.kernels.SquaredExponential(1.0)
    used = set()
    for dim, spread in ((1, 1.0), (1, 100.0), (2, 1.0), (3, 1.0), (5, 1.0)):
        x = np.ascontiguousarray(rng.normal(size=(30_000 if dim < 3 else 2000, dim))) * spread
        results = []
        for workers in (1, 2, 3):
            monkeypatch.setattr(threads, "count", lambda workers=workers: workers)
            out = np.empty_like(x)
            repulsion = Repulsion(kernel, dim, 1e-12)
            repulsion.force(x, 1.0, out)
            results.append(out)
        used |= set(repulsion.used)
        assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])
    assert used == {"truncated Fourier series", "Chebyshev boxes", Nufft.name, "direct sum"}


def test_nobody_meets_a_long_sum_unaware(monkeypatch):
    """Where no faster sum is known a warning says what a step takes; where finufft is missing the error names it."""
    x = np.linspace(0.0, 1e5, 3000)[:, None].copy()
    repulsion, out = Repulsion(pg.kernels.SquaredExponential(1.0), 1, 1e-12), np.empty_like(x)
    monkeypatch.setattr("particlegvi.engine.pairs.repulsion.LONG", 1e6)
    with pytest.warns(UserWarning, match="3000 particles is a sum over all pairs"):
        repulsion.force(x, 1.0, out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        repulsion.force(x, 1.0, out)
        Repulsion(pg.kernels.SquaredExponential(1.0), 1, 1e-12).force(
            0.01 * x, 1.0, out
        )  # control: there is a faster sum
    monkeypatch.setitem(sys.modules, "finufft", None)
    with pytest.raises(MissingLibrary, match="finufft"):
        Repulsion(pg.kernels.SquaredExponential(1.0), 1, 1e-12).force(x, 1.0, out)
