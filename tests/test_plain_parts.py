"""The package runs with the plain parts, which have only what the contracts name: nothing else is asked for."""

import numpy as np
import pytest

import particlegvi as pg

from .plain_parts import PlainFlow, PlainLoss, PlainMethod, PlainPrior

BOWL = PlainLoss(lambda x: 0.5 * np.sum((x - 1.0) ** 2, axis=1), lambda x: x - 1.0, 2, "bowl")
NORMAL = PlainPrior("standard-normal", 2, np.full(2, -np.inf), np.full(2, np.inf))
SETTINGS = {"prior": NORMAL, "particles": 6, "steps": 30, "step_size": 0.02, "seed": 4}


def test_a_simulation_is_the_flow_step_by_step():
    method = PlainMethod("plain", kl_weight=0.3, mmd_weight=0.2)
    run = pg.simulate(BOWL, method, record_every=10, **SETTINGS)
    assert (run.label, list(run.steps)) == ("plain", [0, 10, 20, 30])
    np.testing.assert_array_equal(run.initial, NORMAL.sample(6, seed=4))
    problem = type("Problem", (), {"loss": BOWL, "prior": NORMAL, "seed": 4, "step_size_at": lambda self, step: 0.02})()
    flow = PlainFlow(method, problem, run.initial.copy())
    for record, first in enumerate((0, 10, 20), start=1):
        flow.advance(first, 10)
        np.testing.assert_array_equal(run.positions[record], flow.particles())


@pytest.mark.thorough
def test_plain_results_are_compared_and_drawn():
    methods = {"first": PlainMethod("first"), "second": PlainMethod("second", kl_weight=0.1)}
    comparison = pg.compare(BOWL, methods, **SETTINGS)
    panels = [axes.get_title().split("\n")[0] for axes in comparison.plot().axes]
    assert panels == ["first", "second"]


@pytest.mark.parametrize("name", ["flow", "label", "objective", "kl_weight"])
def test_a_method_that_lacks_a_name_is_refused(name):
    """The control: the plain method would not run with less."""
    whole = PlainMethod("plain")
    names = [each for each in dir(whole) if not each.startswith("_") and each != name]
    less = type("Less", (), {each: getattr(whole, each) for each in names})()
    with pytest.raises(ValueError, match=r"^method .* particlegvi\.methods\.Method"):
        pg.simulate(BOWL, less, **SETTINGS)
