"""The base class of methods: what a subclass need not say, and what every method of the package keeps."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.methods.flow import ParticleFlow, ParticleProblem
from particlegvi.tools import parts

EVERY = [
    pg.methods.DE(), pg.methods.DLE(0.5), pg.methods.DRE(0.3), pg.methods.DRLE(0.5, 0.3),
    pg.methods.FreeEnergy(0.1, 0.2), pg.methods.FDGVI(0.5, 7), pg.methods.SVGD(0.5), pg.methods.BirthDeath(0.5, 0.2),
    pg.methods.MMDFlow(kl_weight=0.5), pg.methods.MMDFlow([0.0, 1.0]),
]  # fmt: skip


class Still(pg.methods.Method):
    """Particles that stay where they are."""

    label = "Still"

    def flow(self, problem):
        return StillFlow(problem.start.copy())


class StillFlow(ParticleFlow):
    def advance(self, first_step, steps):
        pass

    def facts(self):
        return {}


def test_a_method_need_only_say_what_differs():
    method = Still()
    assert parts.method(method) is method
    defaults = (method.objective, method.kl_weight, method.mmd_weight, method.has_noise, method.schedules)
    assert defaults == ("measures", 0.0, 0.0, False, False)
    assert method.follows_loss and method.kernel is None
    method.check_integrator("mala")  # every one is right
    run = pg.simulate(pg.losses.get("double-well"), method, initial=[[0.5], [1.5]], steps=3, step_size=1e-3)
    assert np.array_equal(run.final, [[0.5], [1.5]])


def test_without_the_base_class_a_missing_name_is_one_sentence():
    class Bare:
        label = "Bare"

        def flow(self, problem):
            return StillFlow(problem.start.copy())

    with pytest.raises(ValueError, match="particlegvi.methods.Method"):
        pg.simulate(pg.losses.get("double-well"), Bare(), initial=[[0.5]], steps=1)


def test_a_method_without_a_flow_says_so():
    class Nothing(pg.methods.Method):
        label = "nothing"

    with pytest.raises(NotImplementedError, match="Nothing has no method flow"):
        pg.simulate(pg.losses.get("double-well"), Nothing(), initial=[[0.5]], steps=1)


@pytest.mark.parametrize("method", EVERY, ids=lambda method: type(method).__name__)
def test_every_method_keeps_the_contract_and_can_be_sent_to_another_process(method):
    assert isinstance(method, pg.methods.Method)
    assert parts.method(method) is method
    copy = pickle.loads(pickle.dumps(method))
    assert repr(copy) == repr(method)
    assert copy == method or isinstance(method, pg.methods.MMDFlow)  # whose reference is an array


@pytest.mark.parametrize("method", EVERY, ids=lambda method: type(method).__name__)
def test_with_kernel_changes_the_kernel_alone(method):
    kernel, before = pg.kernels.Matern52(0.7), method.kernel
    other = method.with_kernel(kernel)
    assert type(other) is type(method) and other.kernel is kernel and method.kernel is before
    assert {**vars(other), "kernel": None} == {**vars(method), "kernel": None}


def test_objectives_and_noise():
    assert [m.objective for m in EVERY] == ["measures"] * 5 + ["gaussians"] + ["measures"] * 3 + ["reference"]
    assert [m.has_noise for m in EVERY] == [False, True, False, True, True] + [False] * 5
    assert [m.schedules for m in EVERY] == [True] * 10
    assert [m.follows_loss for m in EVERY] == [True] * 8 + [False] * 2


def test_signatures_are_those_that_were_published():
    def names(method):
        return list(inspect.signature(method).parameters)

    assert names(pg.methods.DE) == []
    assert names(pg.methods.DLE) == ["kl_weight", "jumps"]
    assert names(pg.methods.DRE) == ["mmd_weight", "kernel", "embedding", "repulsion"]
    assert names(pg.methods.DRLE) == ["kl_weight", "mmd_weight", "kernel", "embedding", "repulsion", "jumps"]
    assert names(pg.methods.FDGVI) == ["kl_weight", "draws"]
    assert names(pg.methods.SVGD) == ["kl_weight", "kernel"]
    assert names(pg.methods.MMDFlow) == ["reference", "kl_weight", "kernel", "samples", "noise"]


def test_a_flow_is_restored_from_its_state_and_what_it_kept():
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    problem = ParticleProblem(loss, prior, prior.sample(8, seed=3), 6, 0.01, 3, "euler-maruyama", 1e-12)
    for method in EVERY:
        flow, other = method.flow(problem), method.flow(problem)
        flow.advance(0, 4)
        state, extra_state = flow.state.copy(), flow.extra_state()
        other.advance(0, 1)
        other.restore(state, extra_state)
        for each in (flow, other):
            each.advance(4, 2)
        assert np.array_equal(flow.particles(), other.particles())
        assert flow.facts() == other.facts()
        end = method.flow(problem)
        end.restore(flow.state, flow.extra_state())
        assert end.facts() == flow.facts()
