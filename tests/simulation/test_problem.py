"""The check of a simulation's arguments: settings in one object, and what the public functions take by position."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.simulation.problem import Settings, check_problem

LOSS, PRIOR = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0)


def test_settings_are_those_of_simulate():
    public = inspect.signature(pg.simulate).parameters
    for name, parameter in inspect.signature(Settings).parameters.items():
        assert parameter.default == public[name].default


@pytest.mark.parametrize("function", [pg.simulate, pg.compare])
def test_six_arguments_go_by_position_and_the_others_by_name(function):
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    assert [kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds[:7]] == [True] * 6 + [False]
    with pytest.raises(TypeError, match="positional arguments"):
        function(LOSS, pg.methods.DE(), PRIOR, 4, 1, 1e-3, PRIOR)


def test_a_problem_is_checked_and_its_start_drawn():
    problem = check_problem(LOSS, pg.methods.DE(), PRIOR, None, Settings(particles=5, steps=2e1, seed=3))
    assert problem.steps == 20 and isinstance(problem.steps, int)
    assert problem.start.tobytes() == PRIOR.sample(5, seed=3).tobytes()
    given = check_problem(LOSS, pg.methods.DE(), None, [0.5, 1.5], Settings())
    assert np.array_equal(given.start, [[0.5], [1.5]]) and given.prior.name == "flat"
    with pytest.raises(ValueError, match="tolerance"):
        check_problem(LOSS, pg.methods.DE(), PRIOR, None, Settings(tolerance=1.0))
