"""The coordinates without walls in which pg.sample works."""

import numpy as np
import pytest

from particlegvi.simulation.sampling.support import Support

SUPPORT = Support([0.0, -np.inf, 2.0, -np.inf], [np.inf, 1.0, 3.0, np.inf])
U = np.array([[-40.0, 3.0, -8.0, 5.0], [2.0, -1.0, 0.3, -7.0], [-600.0, 0.0, 4.0, 0.0]])


def test_points_keep_their_place_however_near_to_a_wall_at_zero():
    np.testing.assert_allclose(SUPPORT.coordinates(SUPPORT.inside(U)), U, rtol=1e-9, atol=1e-9)


def test_slopes_are_those_of_the_map():
    points = U[1:2]
    slope, logs, of_logs = SUPPORT.slopes(points)
    shift = 1e-6 * np.eye(4)
    ahead, behind = SUPPORT.inside(points + shift), SUPPORT.inside(points - shift)
    assert slope[0] == pytest.approx(np.diagonal(ahead - behind) / 2e-6, rel=1e-6)
    assert logs[0] == pytest.approx(np.log(np.abs(slope)).sum())
    apart = (SUPPORT.slopes(points + shift)[1] - SUPPORT.slopes(points - shift)[1]) / 2e-6
    assert of_logs[0] == pytest.approx(apart, abs=1e-6)
    assert of_logs[0] != pytest.approx(apart + 0.01, abs=1e-6)  # the tolerance sees a wrong derivative
