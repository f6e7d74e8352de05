"""The vectors of eight and the sums over modes against numpy."""

import numba
import numpy as np
import pytest

from particlegvi.engine.numerics import vectors
from particlegvi.engine.numerics.compiled import OPTIONS
from particlegvi.engine.pairs import series

RANDOM = np.random.default_rng(12)


@numba.njit(**OPTIONS)
def reduced(a, b, out):
    vectors.store(out, 0, vectors.minimum(vectors.load(a, 0), vectors.load(b, 0)))
    vectors.store(out, 8, vectors.maximum(vectors.load(a, 0), vectors.load(b, 0)))
    return vectors.total(vectors.load(a, 0))


@numba.njit(**OPTIONS)
def both_sums(x, origin, period, modes, weighted, sums, out):
    angles = np.empty((x.size + series.TILE - 1) // series.TILE * series.ANGLES)
    lane_sums = np.zeros(modes * 2 * 8)
    for start in range(0, x.size, series.TILE):
        stop = min(x.size, start + series.TILE)
        place = start // series.TILE * series.ANGLES
        series.turn_tile(x, start, stop, origin, 1.0 / period, angles, place)
        series.add_moments(angles, place, stop - start, modes, lane_sums)
        series.evaluate_tile(angles, place, stop - start, modes, weighted, 1.5, out, start)
    series.fold_lanes(lane_sums, modes, sums)


def test_lanes(rng):
    a, b, out = rng.normal(size=8), rng.normal(size=8), np.empty(16)
    total = reduced(a, b, out)
    assert np.array_equal(out, np.concatenate([np.minimum(a, b), np.maximum(a, b)]))
    quarter = a[:4] + a[4:]
    assert total == (quarter[0] + quarter[2]) + (quarter[1] + quarter[3])
    assert reduced(np.full(8, np.nan), b, out) != total and np.array_equal(out, np.concatenate([b, b]))


@pytest.mark.parametrize("number", [1, 7, 8, 31, 32, 33, 256, 257, 300, 1000])
@pytest.mark.parametrize("modes", [2, 18, 128])
def test_moments_and_series(number, modes, rng):
    """Rounding grows like the square of the mode at the ends of the circle, so that the tolerance does, too."""
    period, origin = 7.0, 0.3
    x = origin + rng.uniform(-0.49, 0.49, number) * period
    weighted = rng.normal(size=(2, modes)) * np.exp(-0.05 * np.arange(modes))
    sums, out = np.empty((2, modes)), np.full(number, np.nan)
    both_sums(x, origin, period, modes, weighted, sums, out)
    turns = np.arange(1, modes + 1)[:, None] * (2.0 * np.pi / period * (x - origin))
    mode = np.arange(1, modes + 1)
    exact = np.stack([np.cos(turns).sum(axis=1), np.sin(turns).sum(axis=1)])
    assert (np.abs(sums - exact) <= 2e-15 * number * mode**2).all()
    series_there = 1.5 * (weighted[1] @ np.cos(turns) - weighted[0] @ np.sin(turns))
    assert np.abs(out - series_there).max() <= 2e-15 * (np.abs(weighted) * mode**2).sum()
    # negative control: one particle counted twice, or a mode too few, is seen
    assert np.abs(sums - exact - np.cos(turns[:, -1])).max() > 1e-3
    assert np.abs(out - series_there + weighted[0, -1] * np.sin(turns[-1])).max() > 1e-9
