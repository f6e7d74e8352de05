"""Adaptive quadrature against closed forms."""

import math

import numpy as np
import pytest

from particlegvi.targets.quadrature.panels import integrate


@pytest.mark.parametrize(("sharpness", "odd"), [(40.0, 0.0), (40.0, 3.0)])
def test_the_mass_of_a_gaussian_in_one_symmetric_panel(sharpness, odd):
    """An even density has no odd coefficients: the last one alone would say that every panel is fine."""
    panels = integrate(lambda x: odd * x - sharpness * x**2, np.array([-1.0, 1.0]), -10.0)
    root, centre = math.sqrt(sharpness), 0.5 * odd / sharpness
    mass = math.erf(root * (1.0 - centre)) + math.erf(root * (1.0 + centre))
    exact = math.log(0.5 * math.sqrt(math.pi) / root * mass) + sharpness * centre**2
    assert panels.log_normaliser == pytest.approx(exact, abs=1e-11)
    assert len(panels.left) > 2 and panels.error < 1e-10
