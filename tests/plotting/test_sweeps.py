"""Sweeps as lines: a true axis, intervals that are possible, and the truth."""

import numpy as np
import pytest

from particlegvi import plotting
from particlegvi.plotting.sweeps import places_of, scale_for


def test_an_axis_is_logarithmic_where_values_are_spaced_so():
    linear = ([0.05, 0.1, 0.2, 0.3, 0.35], [-1.0, 1.0, 10.0], [1, 2], [5, 10, 15, 20], ["a", "b"], [True, False])
    assert [scale_for(places_of(values)) for values in linear] == ["linear"] * 6
    assert {scale_for(places_of(values)) for values in ([0.1, 0.2, 0.5, 1.0], [1, 10, 100], [0.01, 1.0])} == {"log"}
    assert scale_for(places_of([0.0, 2.0, 4.0, 8.0, 16.0])) == "symlog"


def panel(sweep, **options):
    return plotting.figure(sweep, "lines", methods=["DLE"], **options).axes[0]


def test_values_stand_at_their_places(swept):
    axes = panel(swept)
    [mean] = [line for line in axes.lines if line.get_gid() == "mean"]
    assert (mean.get_xdata().tolist(), axes.get_xscale()) == ([0.1, 0.2, 0.5, 1.0], "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["$0.1$", "$0.2$", "$0.5$", "$1$"]


def test_intervals_are_within_the_possible_range_and_the_truth_is_drawn(swept, monkeypatch):
    swept.scenario["modes"] = [[0.0]] * 8
    swept.numbers["modes_covered"] = np.tile([7.0, 8.0, 8.0, 8.0, 8.0], (2, 4, 3, 1))  # 7.8, interval to 8.36
    monkeypatch.setattr(swept, "truth", lambda measure, method: np.full((4, 3, 5), 7.5))
    axes = panel(swept, measures=["modes_covered"])
    [band] = [each for each in axes.collections if each.get_gid() == "band"]
    assert band.get_paths()[0].vertices[:, 1].max() == 8.0
    [truth] = [line for line in axes.lines if line.get_gid() == "truth"]
    assert np.all(truth.get_ydata() == 7.5)
    del swept.scenario["modes"]  # the control: without the number of modes nothing says where they end
    [band] = [each for each in panel(swept, measures=["modes_covered"]).collections if each.get_gid() == "band"]
    assert band.get_paths()[0].vertices[:, 1].max() == pytest.approx(8.355, abs=1e-3)


def test_a_heat_map_marks_the_cells_that_are_not_at_equilibrium(swept, monkeypatch):
    cells = np.zeros((4, 3, 5))
    cells[2, 1, 3] = 1.0
    monkeypatch.setattr(swept, "unsettled", lambda method: cells if method == "DLE" else 0.0 * cells)
    figure = plotting.figure(swept, "heat-map")
    assert "too few particles for a verdict" in str([text.get_text() for text in figure.legends[0].get_texts()])
    panels = [axes for axes in figure.axes if axes.images]
    marked = [[text.get_position() for text in axes.texts if text.get_text() == "○"] for axes in panels]
    assert marked == [[(1.7, 1.24)], []]
