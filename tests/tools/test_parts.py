"""Values of a user's method and prior: a wrong one is one sentence from every call that takes the part."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.tools import parts

from ..plain_parts import PlainMethod, PlainPrior
from ..refusals import refuse

LOSS = pg.losses.get("double-well")
PRIOR = pg.priors.Normal()
OBJECTIVE = "objective of the method must be one of measures, gaussians, reference, none, not "
WEIGHT = " of the method must be a finite number of 0 or more, not "
CALLS = {
    "simulate": lambda method, prior: pg.simulate(LOSS, method, prior, 3, 2),
    "compare": lambda method, prior: pg.compare(LOSS, [method], prior, 3, 2),
    "target": lambda method, prior: pg.target(LOSS, method, prior),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("objective", "magic", OBJECTIVE + '"magic"'),
        ("objective", None, OBJECTIVE + "None"),
        ("objective", ["measures"], OBJECTIVE + r"\['measures'\]"),
        ("kl_weight", "x", "kl_weight" + WEIGHT + '"x"'),
        ("kl_weight", None, "kl_weight" + WEIGHT + "None"),
        ("kl_weight", float("nan"), "kl_weight" + WEIGHT + "nan"),
        ("mmd_weight", -1.0, "mmd_weight" + WEIGHT + "-1.0"),
        ("mmd_weight", True, "mmd_weight" + WEIGHT + "True"),
    ],
)
def test_the_values_of_a_method_are_checked(call, key, value, sentence):
    method = PlainMethod("plain")
    setattr(method, key, value)
    refuse(lambda: CALLS[call](method, PRIOR), f"^{sentence}$")


def test_every_objective_and_weight_of_the_contract_is_taken():
    for objective in ("measures", "gaussians", "reference", "none"):
        for weight in (0, 0.0, np.float32(0.5), 2):
            method = PlainMethod("plain", weight, weight, objective=objective)
            assert parts.method(method) is method


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("mean", "sd", "sentence"),
    [
        (np.zeros(1), np.array([np.nan]), "sd of the prior must be .* of positive finite numbers, not one "),
        (np.zeros(1), np.zeros(1), r"sd of the prior must be .* of positive finite numbers, not \[0.0\]"),
        (np.zeros(1), float("nan"), r"sd of the prior must be an array \(1,\) of positive finite numbers, not nan"),
        ("centre", np.ones(1), r'mean of the prior must be an array \(1,\) of finite numbers, not "centre"'),
        (np.zeros(2), np.ones(1), "mean of the prior must be .* of finite numbers, not an array of the sha"),
        (np.array([np.inf]), np.ones(1), "mean of the prior must be .* of finite numbers, not one with"),
    ],
)
def test_moments_of_a_prior_are_checked(call, mean, sd, sentence):
    prior = PlainPrior("standard-normal")
    prior.mean, prior.sd = mean, sd
    refuse(lambda: CALLS[call](pg.methods.DLE(), prior), f"^{sentence}")


def test_a_prior_needs_no_moments_and_a_start_is_named():
    prior = PlainPrior("standard-normal")
    assert parts.prior(prior) is prior
    prior.mean = "centre"
    assert parts.prior(prior) is prior  # of no use without an sd
    prior.mean, prior.sd = np.zeros(1), np.ones(1)
    assert parts.prior(prior) is prior
    prior.sd = np.full(1, np.inf)
    start = lambda: pg.simulate(LOSS, pg.methods.DLE(), PRIOR, 3, 2, initial=prior)
    refuse(start, r"^sd of initial must be an array \(1,\) of positive finite numbers")
