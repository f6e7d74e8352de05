"""A warning shows the line of the program that called the package, at whatever depth it arises."""

from __future__ import annotations

import inspect
import warnings

import pytest

import particlegvi as pg


@pytest.mark.parametrize("depth", ["simulate", "run"])
def test_a_warning_shows_the_line_of_the_program(depth, tmp_path):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        if depth == "simulate":
            pg.simulate(
                pg.losses.get("double-well"), pg.methods.DLE(), prior=pg.priors.Normal(), steps=2, step_size=3.0
            )
        else:
            pg.run("global-minimiser", out=tmp_path / "run", particles=4, steps=2, step_size=3.0, figures=[])
    places = {(each.filename, str(each.message)[:9]) for each in seen}
    assert (inspect.getsourcefile(test_a_warning_shows_the_line_of_the_program), "step_size") in places, places
