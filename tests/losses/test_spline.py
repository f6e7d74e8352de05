"""The drawn loss: against scipy's clamped spline, and that Q* stays inside the drawing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import particlegvi as pg


def test_it_is_the_clamped_cubic_spline(rng):
    heights = rng.normal(size=25)
    loss = pg.losses.get("spline", low=-3.0, high=2.28, heights=heights)
    known = CubicSpline(np.linspace(-3.0, 2.28, 25), heights, bc_type=((1, -8.0), (1, 8.0)))
    x = np.linspace(-3.0, 2.28, 1000)
    np.testing.assert_allclose(loss.value(x), known(x), atol=1e-11)
    np.testing.assert_allclose(loss.gradient(x)[:, 0], known(x, 1), atol=1e-10)
    outside = np.array([-4.0, 3.28])
    np.testing.assert_allclose(loss.value(outside), heights[[0, -1]] + 8.0 + 20.0)
    np.testing.assert_allclose(loss.gradient(outside)[:, 0], [-48.0, 48.0], atol=1e-9)
    control = CubicSpline(np.linspace(-3.0, 2.28, 25), heights)
    assert np.max(np.abs(loss.value(x) - control(x))) > 1e-3


@pytest.mark.parametrize("shape", ["falls to the right", "falls to the left", "flat", "hill"])
def test_the_truth_stays_inside_the_drawing(shape):
    """Also where an edge is the lowest place that was drawn, and the prior holds nothing back."""
    t = np.linspace(-1.0, 1.0, 25)
    heights = {"falls to the right": -4 * t, "falls to the left": 4 * t, "flat": 0 * t, "hill": 4 - 8 * t**2}[shape]
    loss = pg.losses.get("spline", low=-3.0, high=3.0, heights=heights)
    target = pg.target(loss, pg.methods.DLE(0.25))
    assert target.cdf(-3.0) + 1.0 - target.cdf(3.0) < 0.12
    free = CubicSpline(np.linspace(-3.0, 3.0, 25), heights, bc_type="natural")
    x = np.linspace(-6.0, 6.0, 2001)
    weights = np.exp(-(free(x) - free(x).min()) / 0.25)  # the control: a natural spline puts the truth outside
    assert weights[np.abs(x) > 3.0].sum() / weights.sum() > 0.4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"heights": [1.0, 2.0]}, "heights of spline must be a list of 3 to 1000 numbers"),
        ({"heights": [[1.0, 2.0, 3.0]]}, "heights of spline must be"),
        ({"low": 1.0, "high": 1.0}, "high of spline must be a number above low"),
        ({"heights": [1.0, np.nan, 2.0]}, "heights of spline must be"),
    ],
)
def test_bad_drawings(given, said):
    with pytest.raises(ValueError, match=said):
        pg.losses.get("spline", **given)
