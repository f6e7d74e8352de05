"""Names become parts, and what does not fit together is refused before anything is compiled or written."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import kernels, methods
from particlegvi.scenario import catalogue, load
from particlegvi.scenario.kinds import build
from particlegvi.scenario.kinds.particles.building import settled

from ....refusals import refused
from .test_keys import complete


@pytest.mark.parametrize("name", catalogue.names())
def test_every_scenario_can_be_built(name):
    scenario = load(name)
    parts = build(scenario)
    if scenario["kind"] == "particles":
        assert list(parts.methods) == list(scenario["methods"])
        assert parts.loss.dim == parts.prior.dim
    if scenario["kind"] == "networks":
        assert parts.network.inputs in (1, 2)


def test_the_numbers_arrive_where_they_belong():
    parts = build(load("multimodal", {"methods.DRLE.kernel": {"lengthscale": 0.5}}))
    drle = parts.methods["DRLE"]
    assert (drle.kl_weight, drle.mmd_weight, drle.lambda1) == (0.2, 0.3, 0.6)
    assert drle.kernel == kernels.SquaredExponential(lengthscale=0.5)
    assert (parts.methods["FDGVI"].kl_weight, parts.methods["FDGVI"].draws) == (0.5, 200)
    assert parts.prior.name == "flat" and parts.prior.dim == 2
    np.testing.assert_array_equal(parts.initial.sd, [1.0, 1.0])


def test_the_kernel_of_the_scenario_is_that_of_methods_without_their_own():
    entries = {"DRE": {"mmd_weight": 1.0}, "own": {"method": "DRE", "kernel": {"lengthscale": 3.0}}}
    parts = build(load(complete(kernel={"name": "matern-32", "lengthscale": 2.0}, methods=entries)))
    assert parts.methods["DRE"].kernel == kernels.Matern32(lengthscale=2.0)
    assert parts.methods["own"].kernel == kernels.SquaredExponential(lengthscale=3.0)
    assert build(load(complete(methods=entries))).methods["DRE"].kernel is None


def test_points_are_the_start():
    parts = build(load(complete(initial={"points": [[0.5], [-0.5]]}, particles=2)))
    np.testing.assert_array_equal(parts.initial, [[0.5], [-0.5]])


test_what_does_not_exist_or_fit_is_named = refused(
    lambda changes: build(load(complete(**changes))),
    *[
        ({"loss": "duble-well"}, 'loss: there is no loss "duble-well"; did you mean "double-well"?'),
        ({"loss": {"name": "quadratic", "curvture": 1.0}}, 'did you mean "curvature"?'),
        ({"loss": {"name": "quadratic", "curvature": -1.0}}, "loss: curvature"),
        ({"loss": {"formula": "x +", "variables": ["x"]}}, "loss: "),
        ({"loss": {"formula": "__import__('os')", "variables": ["x"]}}, "loss: "),
        ({"prior": {"name": "norml"}}, 'prior: there is no prior "norml"; did you mean "normal"?'),
        ({"prior": {"name": "normal", "sdd": 1.0}}, 'did you mean "sd"?'),
        ({"prior": {"name": "normal", "sd": 0.0}}, "prior: sd"),
        ({"prior": {"name": "normal", "mean": "zero"}}, "prior: mean"),
        ({"prior": {"name": "uniform", "low": 1.0, "high": 0.0}}, "prior: "),
        ({"prior": {"name": "uniform", "low": 1.0}}, "prior: high"),
        ({"prior": {"name": "normal", "mean": [0.0, 0.0]}}, "prior must have the dimension of the loss, which is 1"),
        ({"prior": {"name": "flat", "dim": 2}}, "prior must have the dimension of the loss, which is 1"),
        ({"prior": "flat"}, "initial must be a distribution or points"),
        ({"initial": "flat"}, "initial must be a distribution or points"),
        ({"initial": {"points": [[0.0, 1.0]] * 8}}, "initial.points must have the dimension of the loss"),
        ({"initial": {"name": "normal", "mean": [0.0, 1.0]}}, "initial must have the dimension of the loss"),
        ({"modes": [[0.0, 1.0]]}, "modes must have the dimension of the loss"),
        ({"integrator": "euler"}, 'did you mean "euler-maruyama"?'),
        ({"kernel": "matern"}, 'kernel: there is no kernel "matern"'),
        ({"kernel": {"lengthscale": 0.0}}, "kernel: lengthscale"),
        ({"kernel": {"lengthscale": "mean"}}, "kernel: lengthscale"),
        ({"kernel": {"width": 1.0}}, "kernel: there is no parameter"),
        ({"methods": {"DEL": {}}}, 'methods.DEL: there is no method "DEL"'),
        ({"methods": {"mine": {"method": "SGLD"}}}, 'methods.mine: there is no method "SGLD"'),
        ({"methods": {"DE": {"kl_weight": 1.0}}}, "methods.DE: there is no parameter"),
        ({"methods": {"DLE": {"kl_wieght": 1.0}}}, 'did you mean "kl_weight"?'),
        ({"methods": {"DLE": {"kl_weight": -1.0}}}, "methods.DLE: kl_weight"),
        ({"methods": {"FDGVI": {"draws": 1.5}}}, "methods.FDGVI: draws"),
        ({"methods": {"DLE": {"kernel": "matern-32"}}}, "methods.DLE: there is no parameter"),
        ({"methods": {"DRE": {"kernel": {"lengthscale": -1}}}}, "methods.DRE.kernel: lengthscale"),
        ({"methods": {"DRE": {"embedding": "montecarlo"}}}, "methods.DRE.embedding: how"),
        ({"particles": 100_000_000, "steps": 10**12, "record_every": 1}, " GB"),
    ],
    plain=True,
)


def test_settling_puts_in_the_number_that_the_run_chose():
    ruled = methods.DRLE(kl_weight=0.7, mmd_weight=0.2, kernel=kernels.Matern52("median", 3.0), embedding="quadrature")
    found = settled(ruled, {"kernel": "matern-52", "lengthscale": 0.25})
    assert found.kernel == kernels.Matern52(lengthscale=0.25, variance=3.0)
    assert (found.kl_weight, found.mmd_weight, found.embedding) == (0.7, 0.2, "quadrature")
    assert type(found) is methods.DRLE
    default = settled(methods.DRE(mmd_weight=1.0), {"kernel": "squared-exponential", "lengthscale": 2.0})
    assert default.kernel == kernels.SquaredExponential(lengthscale=2.0)
    given = methods.DRE(mmd_weight=1.0, kernel=kernels.Matern52(0.25))
    assert settled(given, {"kernel": "matern-52", "lengthscale": 0.25}) is given
    unknown = methods.DRE(mmd_weight=1.0)  # its facts name no kernel of the package
    assert settled(unknown, {"lengthscale": 0.25}) is unknown
    for method in (methods.DE(), methods.DLE(1.0), methods.FDGVI()):
        assert settled(method, {"integrator": "x"}) is method


def test_a_method_may_have_an_integrator_of_its_own():
    scenario = load("global-minimiser", {
        "particles": 20, "steps": 30,
        "methods": {"K": {"method": "DLE", "integrator": {"name": "baoab", "friction": 3.0}}},
    })  # fmt: skip
    results = pg.run(scenario)
    assert results["K"].info["integrator"] == "baoab" and results["K"].info["friction"] == 3.0
    assert results["DLE"].info["integrator"] == "euler-maruyama"
    alone = pg.run({**scenario, "integrator": {"name": "baoab", "friction": 3.0}, "methods": {"K": {"method": "DLE"}}})
    assert np.array_equal(alone["K"].positions, results["K"].positions)
    with pytest.raises(ValueError, match="methods.DE: integrator must be one without velocities"):
        pg.run("global-minimiser", **{"methods.DE.integrator": "baoab"})
