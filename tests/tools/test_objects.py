"""Values of a user's method and prior: a wrong one is one sentence from every call that takes the part."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.tools import objects

from ..plain_parts import PlainMethod, PlainPrior
from ..refusals import refuse

LOSS = pg.losses.get("double-well")
PRIOR = pg.priors.Normal()
WRONG = {"objective": ["magic", None], "kl_weight": ["x", float("nan")], "mmd_weight": [-1.0, True]}
CALLS = {
    "simulate": lambda method, prior: pg.simulate(LOSS, method, prior, 3, 2),
    "compare": lambda method, prior: pg.compare(LOSS, [method], prior, 3, 2),
    "target": lambda method, prior: pg.target(LOSS, method, prior),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_values_of_a_method_are_checked(call):
    for key, value in ((key, value) for key, values in WRONG.items() for value in values):
        method = PlainMethod("plain")
        setattr(method, key, value)
        refuse(lambda method=method: CALLS[call](method, PRIOR), f"^{key} of the method must be ")


def test_every_objective_and_weight_of_the_contract_is_taken():
    for objective in ("measures", "gaussians", "reference", "none"):
        for weight in (0, 0.0, np.float32(0.5), 2):
            method = PlainMethod("plain", weight, weight, objective=objective)
            assert objects.method(method) is method


@pytest.mark.parametrize("call", CALLS)
def test_moments_of_a_prior_are_checked(call):
    wrong = {"sd": [np.array([np.nan]), np.zeros(1), float("nan")], "mean": ["centre", np.zeros(2), np.array([np.inf])]}
    for key, value in ((key, value) for key, values in wrong.items() for value in values):
        prior = PlainPrior("standard-normal")
        prior.mean, prior.sd = np.zeros(1), np.ones(1)
        setattr(prior, key, value)
        refuse(lambda prior=prior: CALLS[call](pg.methods.DLE(), prior), f"^{key} of the prior must be an array")


def test_a_prior_needs_no_moments_and_a_start_is_named():
    prior = PlainPrior("standard-normal")
    assert objects.prior(prior) is prior
    prior.mean = "centre"
    assert objects.prior(prior) is prior  # of no use without an sd
    prior.mean, prior.sd = np.zeros(1), np.ones(1)
    assert objects.prior(prior) is prior
    prior.sd = np.full(1, np.inf)
    start = lambda: pg.simulate(LOSS, pg.methods.DLE(), PRIOR, 3, 2, initial=prior)
    refuse(start, r"^sd of initial must be an array \(1,\) of positive finite numbers")
