"""Laws of a sweep: their values, their lines, and what is refused before anything is computed."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.sweeps.laws import laws

from ..refusals import refuse

LAWS = {"truth": "sqrt(0.2)", "DLE": "sqrt(0.2/(1 - 2.5*step_size))"}


def test_laws_are_formulas_in_the_last_word_of_the_swept_key():
    values = np.array([0.05, 0.1, 0.35])
    found = laws({"sweep": {"laws": LAWS}}, {"step_size": values.tolist()})
    np.testing.assert_allclose(found["truth"](values), np.sqrt(0.2), rtol=1e-14)
    np.testing.assert_allclose(found["DLE"](values), np.sqrt(0.2 / (1.0 - 2.5 * values)), rtol=1e-14)
    other = laws({"sweep": {"laws": {"root": "1/sqrt(kl_weight)"}}}, {"methods.*.kl_weight": [1, 4]})
    np.testing.assert_allclose(other["root"](np.array([1.0, 4.0])), [1.0, 0.5])
    assert laws({"sweep": {}}, {"a": [1], "b": [2]}) == {}


@pytest.mark.thorough
def test_laws_are_drawn_beside_the_numbers(small):
    sweep = pg.sweep({**small, "sweep": {"laws": LAWS}}, over={"step_size": [0.01, 0.1]}, seeds=2)
    [axes] = sweep.plot("lines").axes
    drawn = {line.get_gid(): line for line in axes.lines}
    x, y = drawn["law of DLE"].get_data()
    assert len(x) > 100 and (x[0], x[-1]) == (0.01, 0.1)  # a curve, and no chord
    np.testing.assert_allclose(y, np.sqrt(0.2 / (1.0 - 2.5 * x)), rtol=1e-14)
    assert drawn["law of DLE"].get_color() == drawn["mean"].get_color() != drawn["law of truth"].get_color()


def test_laws_that_cannot_be_drawn_are_refused(small):
    over, beside = {"step_size": [0.1]}, "sweep.laws must stand beside one swept key with numbers"
    for table, swept, words in (
        ({"truth": "sqrt("}, over, r"sweep\.laws\.truth: "),
        ({"truth": "eta"}, over, r"sweep\.laws\.truth: .*eta"),
        ({"truth": "1"}, {**over, "particles": [4]}, beside),
        ({"truth": "1"}, {"loss": ["double-well"]}, beside),
        ({"truth": 1}, over, r"sweep\.laws\.truth must be"),
        ({}, over, r"sweep\.laws must be a table of 1 to 8 formulas"),
    ):
        call = lambda table=table, swept=swept: pg.sweep({**small, "sweep": {"laws": table}}, over=swept, seeds=1)
        refuse(call, words)
