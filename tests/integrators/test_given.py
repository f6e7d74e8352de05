"""Integrators as objects: the same bytes as under a name, and a wrong one refused in one sentence."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.integrators import StepCoefficients, integrator

from ..refusals import refused

SETTINGS = {"prior": pg.priors.Normal(0.0, 1.0), "particles": 8, "steps": 20, "step_size": 1e-2}


@integrator("mine", strong_order=1.0)
def mine(step_size, temperature, stiffness):
    ones = np.ones_like(stiffness)
    return StepCoefficients(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)


def simulated(given, **settings):
    loss = pg.losses.get("tilted-double-well")
    return pg.simulate(loss, pg.methods.DLE(kl_weight=1.0), integrator=given, **{**SETTINGS, **settings})


def test_the_same_formula_gives_the_same_bytes():
    for step_size in (1e-2, {"schedule": "geometric", "initial": 1e-2, "final": 1e-3, "over": 20}):
        own, named = (simulated(each, step_size=step_size) for each in (mine, "euler-maruyama"))
        assert own.final.tobytes() == named.final.tobytes() and own.info["integrator"] == "mine"
    assert "mine" not in pg.integrators.names()
    assert pg.integrators.integrator_from(pg.integrators.get("heun")).name == "heun"
    assert pg.integrators.integrator_from({"name": pg.integrators.get("baoab")}) == ("baoab", 1.0)


test_a_wrong_one_is_refused = refused(
    simulated,
    (lambda h, t, s: None, "integrator must be a name, a function below pg.integrators.integrator"),
    (integrator("few")(lambda h, t, s: (1.0, 2.0)), "the integrator few must return StepCoefficients"),
    (integrator("long")(lambda h, t, s: (s, s, np.zeros(3))), "the integrator long must return StepCoefficients"),
    (integrator("wild")(lambda h, t, s: (s, s, np.nan * s)), "the integrator wild must return finite coefficients"),
    (integrator("baoab")(lambda h, t, s: (s, s, s)), 'must have another name than "baoab"'),
)
