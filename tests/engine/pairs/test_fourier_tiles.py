"""Sums of weighted cosines and sines, against numpy, on any number of threads."""

import numpy as np
import pytest

from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.fourier_tiles import CHUNK, moments


@pytest.mark.parametrize(("number", "modes"), [(1, 0), (33, 3), (CHUNK + 5, 65), (3000, 300)])
def test_moments_are_sums_of_cosines_and_sines(number, modes, rng):
    t, weights = rng.uniform(-0.7, 3.0, number), rng.standard_normal(number)
    angle = 2.0 * np.pi * np.arange(modes + 1)[:, None] * t
    exact = np.array([np.cos(angle) @ weights, np.sin(angle) @ weights])
    assert np.abs(moments(t, weights, modes) - exact).max() < 1e-13 * np.abs(weights).sum()


def test_threads_change_no_bit(rng, monkeypatch):
    t = rng.uniform(0.0, 1.0, 3 * CHUNK + 7)
    both = [moments(t, np.ones(len(t)), 20)]
    monkeypatch.setattr(threads, "count", lambda: 1)
    assert np.array_equal(both[0], moments(t, np.ones(len(t)), 20))
