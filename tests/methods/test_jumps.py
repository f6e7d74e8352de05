"""DLE and DRLE with jumps: settings, refusals, facts, the same bytes however they are run, and shares of modes."""

import inspect

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.contracts import Flow
from particlegvi.engine.numerics import threads
from particlegvi.methods.flow import Jumping
from particlegvi.simulation.problem import Settings, check_problem

from ..refusals import refused

LOSS = pg.Loss.from_formula("0.36587202987284256*t**4 - 2.419025545065798*t**2 + 0.740739*t", variables=["t"])
PRIOR = pg.priors.Normal(-0.6, 1.6)
DLE = pg.methods.DLE(kl_weight=0.25, jumps=True)
DRLE = pg.methods.DRLE(0.25, 0.5, pg.kernels.SquaredExponential(0.7), jumps={"every": 7, "share": 0.2})


def flow(method, steps=100, particles=40, loss=LOSS, prior=PRIOR, integrator="euler-maruyama"):
    settings = Settings(particles, steps, 2e-3, integrator, 1e-12, 0, 3)
    return method.flow(check_problem(loss, method, prior, None, settings))


def test_settings_may_be_written_in_several_ways():
    assert DLE.jumps == pg.jumps.Jumps() == pg.jumps.Jumps(every=50, share=0.1)
    assert DRLE.jumps == pg.jumps.Jumps(7, 0.2)
    assert pg.methods.DLE(0.25, jumps=False).jumps is None is pg.methods.DLE(0.25).jumps
    assert pg.methods.DLE(0.25, jumps=pg.jumps.Jumps(9)).jumps.every == 9


test_what_cannot_jump_is_refused_in_a_sentence = refused(
    (lambda: pg.jumps.Jumps(every=0), "every must be a whole number from 1 to 1000000000000, not 0"),
    (lambda: pg.jumps.Jumps(share=0.0), "share must be a number above 0 and at most 1, not 0"),
    (lambda: pg.jumps.Jumps(share=1.5), "share must be a number above 0 and at most 1, not 1.5"),
    (lambda: pg.methods.DLE(1.0, jumps=50), "jumps must be True, False, or a table such as"),
    (lambda: pg.methods.DLE(1.0, jumps={"evry": 5}), "evry"),
    (lambda: pg.methods.DLE(0.0, jumps=True), "jumps must be left out for DLE without noise"),
    (lambda: pg.methods.DE(jumps=True), 'argument of DE "jumps": only DLE and DRLE have jumps, which need noise$'),
    (lambda: pg.methods.DRE(jumps=True), 'DRE "jumps": only DLE and DRLE have jumps, which need noise; allowed'),
    (lambda: pg.methods.FreeEnergy(0.0, 1.0, jumps=True), "jumps must be left out for free energy without noise"),
    (lambda: pg.methods.DRLE(jumps=True, repulsion="random-batch"), "jumps must be left out where repulsion"),
    (lambda: flow(DLE, integrator="leimkuhler-matthews"), 'not "leimkuhler-matthews": DLE has jumps'),
)


def test_a_flow_with_jumps_is_a_flow():
    made = flow(DRLE)
    assert isinstance(made, Jumping)
    names = {name for name, _ in inspect.getmembers(Flow, inspect.isfunction) if not name.startswith("_")}
    assert names and all(callable(getattr(made, name)) for name in names)


def test_threads_change_no_bit(monkeypatch):
    found = []
    for number in (1, 3):
        monkeypatch.setattr(threads, "count", lambda number=number: number)
        moved = flow(DLE, particles=5000)
        moved.advance(0, 50)
        found.append(moved.state.copy())
    assert np.array_equal(*found)


def test_nothing_changes_without_jumps_and_before_the_first():
    plain, late = flow(pg.methods.DLE(0.25)), flow(pg.methods.DLE(0.25, jumps={"every": 10**6}))
    plain.advance(0, 100)
    late.advance(0, 100)
    assert np.array_equal(plain.state, late.state)
    assert plain.extra_state() == {} and "jumps" not in plain.facts()


@pytest.mark.thorough
def test_mala_keeps_its_share_of_accepted_proposals():
    moved = flow(DLE, integrator="mala", loss=pg.losses.get("tilted-double-well"))
    moved.advance(0, 100)
    facts = moved.facts()
    assert 0.9 < facts["acceptance_rate"] <= 1.0
    assert facts["jumps"]["proposed"] == 80


def test_a_particle_that_is_not_finite_stays_so():
    moved = flow(DLE)
    moved.state[5] = np.inf
    moved.advance(49, 1)
    assert moved.first_bad() == 5


@pytest.mark.parametrize("name", ["normal", "one particle", "two in a flat prior", "box", "five dimensions"])
@pytest.mark.thorough
def test_every_setting_jumps(name):
    dim = 5 if name == "five dimensions" else 1
    loss = pg.Loss.from_numpy(lambda x: (x**2).sum(axis=1), lambda x: 2.0 * x, dim)
    prior = pg.priors.Uniform(-3.0, 3.0) if name == "box" else pg.priors.Normal([0.0] * dim, [1.0] * dim)
    particles, start = 1 if name == "one particle" else 40, None
    if name == "two in a flat prior":  # a half of one particle has no spread to fit a proposal to
        prior, start, particles = pg.priors.Flat(1), np.array([[1.0], [2.0]]), 2
    run = pg.simulate(loss, DLE, prior, particles, 100, 2e-3, initial=start, record_every=0)
    assert np.all(np.isfinite(run.final))
    assert run.info["jumps"]["proposed"] == (0 if start is not None else 2 * run.particles)


@pytest.mark.parametrize("method", [DLE, DRLE])
@pytest.mark.thorough
def test_shares_of_modes_are_right_within_500_steps(method):
    target = pg.target(LOSS, method, prior=PRIOR)
    share = float(1.0 - target.cdf(np.array([0.16]))[0])
    found = {}
    for label, jumps in (("jumps", {"every": 50}), ("plain", None)):
        chosen = (
            pg.methods.DLE(0.25, jumps=jumps)
            if method is DLE
            else pg.methods.DRLE(0.25, 0.5, method.kernel, jumps=jumps)
        )
        run = pg.simulate(LOSS, chosen, PRIOR, 2000, 500, 2e-3, seed=5, record_every=0)
        found[label] = (np.mean(run.final > 0.16) - share) / np.sqrt(share * (1.0 - share) / 2000)
    assert abs(found["jumps"]) < 4.0, found
    assert abs(found["plain"]) > 15.0, found
