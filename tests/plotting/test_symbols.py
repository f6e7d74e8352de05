"""Axes carry the names of a formula's variables."""

from __future__ import annotations

import pytest

import particlegvi as pg
from particlegvi import plotting
from particlegvi.plotting import symbols


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("x", "x"),
        ("theta", r"\theta"),
        ("x1", r"x_\mathrm{1}"),
        ("theta_2", r"\theta_\mathrm{2}"),
        ("speed", r"\mathrm{speed}"),
        ("v_max", r"v_\mathrm{max}"),
        ("a_b_c", r"\mathrm{a\_b\_c}"),
        ("é_1", r"\mathrm{é\_1}"),
    ],
)
def test_a_name_is_written_as_in_a_book(name, written):
    assert symbols.symbol(name) == written


def test_figures_name_the_axes(tmp_path):
    line = pg.run({"loss": "(speed - 1)^2", "steps": 5, "particles": 20, "step_size": 0.01, "methods": {"DLE": {}}})
    figure = plotting.figure(line, "histograms")
    assert "parameter $\\mathrm{speed}$" in {axes.get_xlabel() for axes in figure.axes}
    plane = pg.run({"loss": "b^2 + a^2", "steps": 5, "particles": 20, "step_size": 0.01, "methods": {"DLE": {}}})
    figure = plotting.figure(plane, "particles")
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("$b$", "$a$")
    known = pg.run("lifting", steps=5, particles=20)  # a loss of the package has none
    assert symbols.coordinates(known["DLE"].loss, 1) == [r"$\theta$"]
