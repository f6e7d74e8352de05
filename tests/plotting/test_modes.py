"""The share of particles below a point over time, beside the mass of the truth there."""

import numpy as np
import pytest

from particlegvi import plotting
from particlegvi.plotting.modes import mass_below

from ..plain_parts import PlainAtoms, PlainDensity


def test_masses_of_truths():
    assert mass_below(PlainAtoms(np.array([[-2.0], [1.0]]), np.array([0.3, 0.7])), 0.0) == pytest.approx(0.3)
    normal = PlainDensity(lambda x: 0.5 * x[:, 0] ** 2, -9.0, 9.0)
    assert mass_below(normal, -0.5) == pytest.approx(0.308538, abs=2e-4)
    assert mass_below(None, 0.0) is None


def test_lines_are_the_shares_and_dashes_the_truths(line):
    [axes] = plotting.figure(line, "occupancy", below=-0.5, relaxation_time=0.7, time="linear").axes
    first = np.mean(line["DE"].positions[:, :, 0] < -0.5, axis=1)
    np.testing.assert_allclose(axes.lines[0].get_ydata(), first)
    truths = {each.get_gid(): each.get_ydata()[0] for each in axes.lines if str(each.get_gid()).startswith("truth")}
    assert truths["truth of DE"] == 0.5
    assert truths["truth of DLE"] == pytest.approx(mass_below(line.targets["DLE"], -0.5))
    laws = [each for each in axes.lines if "in theory" in str(each.get_label())]
    assert len(laws) == 2  # of DLE and DRLE, whose truths have densities
    start, end = np.mean(line["DLE"].positions[0, :, 0] < -0.5), truths["truth of DLE"]
    times = laws[0].get_xdata()
    np.testing.assert_allclose(laws[0].get_ydata(), end + (start - end) * np.exp(-times / 0.7))
