"""Jumps: settings, refusals, facts, the same bytes however they are run, shares of modes, and losses with barriers."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import threads
from particlegvi.scenario import load
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
    (lambda: pg.jumps.Jumps(share=1.5), "share must be a number above 0 and at most 1, not 1.5"),
    (lambda: pg.methods.DLE(1.0, jumps=50), "jumps must be True, False, or a table such as"),
    (lambda: pg.methods.DLE(0.0, jumps=True), "jumps must be left out for DLE without noise"),
    (lambda: pg.methods.DE(jumps=True), 'argument of DE "jumps": none exists$'),
    (lambda: pg.methods.DRE(jumps=True), 'DRE "jumps"; allowed'),
    (lambda: pg.methods.FreeEnergy(0.0, 1.0, jumps=True), "jumps must be left out for free energy without noise"),
    (lambda: flow(DLE, integrator="leimkuhler-matthews"), 'not "leimkuhler-matthews": DLE has jumps'),
)


@pytest.mark.thorough
def test_threads_change_no_bit(monkeypatch):
    found = []
    for number in (1, 3):
        monkeypatch.setattr(threads, "count", lambda number=number: number)
        moved = flow(DLE, particles=5000)
        moved.advance(0, 50)
        found.append(moved.state.copy())
    assert np.array_equal(*found)


@pytest.mark.thorough
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


@pytest.mark.thorough
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


MODULE = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "crossing_times.py"))


@pytest.mark.slow
def test_particles_cross_in_the_exact_mean_time():
    mean, error = MODULE["measured"](0.5)
    exact = MODULE["exact"](0.5)
    assert abs(mean - exact) < 4.0 * error + 0.05 * exact  # seen only every five steps, which a crossing may miss
    assert abs(mean - MODULE["exact"](0.4)) > 4.0 * error + 0.05 * exact  # control: another temperature


@pytest.mark.parametrize("barrier", [5, 10, 20, 40])
def test_eyring_and_kramers_are_its_limit(barrier):
    limit = MODULE["eyring_kramers"](1.0, 8.0, -4.0, 1.0 / barrier)
    assert abs(MODULE["exact"](1.0 / barrier) / limit - 1.0) < 0.6 / barrier


SE, M52, IMQ = pg.kernels.SquaredExponential, pg.kernels.Matern52, pg.kernels.InverseMultiquadric
WELL = "0.366*t^4 - 2.419*t^2 + {tilt}*t"
THREE = "2*sin(2*t)^2 + 0.05*t^2"
DEEP = ((1.0, -3, -3), (1.3, -3, 3), (1.6, 3, -3), (1.8, 3, 3))
FOUR = "0.01*(x^2+y^2) - " + " - ".join(f"{depth}*exp(-((x-({a}))^2 + (y-({b}))^2)/2)" for depth, a, b in DEEP)
RIDGES = "(x^2 - 4)^2/8 + 0.3*x + 2*y^2"
WIDE, NARROW = pg.priors.Normal(0.0, 2.5), pg.priors.Normal(-0.6, 1.6)
PLANE, BOX, BOX2 = pg.priors.Normal([0, 0], [4, 4]), pg.priors.Uniform(-3, 3), pg.priors.Uniform([-5, -5], [5, 5])
# name: formula, prior, kl_weight, mmd_weight, kernel, particles, step size
CASES = {
    "barrier 16": (WELL.format(tilt=0.1), NARROW, 0.25, 0.0, None, 300, 2e-3),
    "barrier 40": (WELL.format(tilt=0.02), NARROW, 0.1, 0.0, None, 1000, 2e-3),
    "barrier 8": (WELL.format(tilt=0.3), WIDE, 0.5, 0.0, None, 5000, 2e-3),
    "box": (WELL.format(tilt=0.1), BOX, 0.25, 0.0, None, 300, 1e-3),
    "many wells": (THREE, WIDE, 0.2, 0.0, None, 1000, 2e-3),
    "few particles": (WELL.format(tilt=0.1), NARROW, 0.25, 0.0, None, 50, 2e-3),
    "repulsion": (WELL.format(tilt=0.1), NARROW, 0.25, 0.5, SE(0.7), 300, 2e-3),
    "repulsion in a box": (WELL.format(tilt=0.1), BOX, 0.25, 0.5, SE(0.7), 1000, 1e-3),
    "matern": (WELL.format(tilt=0.3), NARROW, 0.25, 0.3, M52(1.0), 300, 2e-3),
    "heavy tails": (THREE, WIDE, 0.2, 0.5, IMQ(1.0), 1000, 2e-3),
    "four wells": (FOUR, PLANE, 0.2, 0.0, None, 1000, 1e-2),
    "ridges in a box": (RIDGES, BOX2, 0.15, 0.0, None, 300, 2e-3),
}
STEPS = 2000


def ratio(name, jumps, seed):
    formula, prior, kl, mmd, kernel, particles, step_size = CASES[name]
    loss = pg.Loss.from_formula(formula, variables=["t"] if prior.dim == 1 else ["x", "y"])
    method = pg.methods.DRLE(kl, mmd, kernel, jumps=jumps) if mmd else pg.methods.DLE(kl, jumps=jumps)
    target = pg.target(loss, method, prior=prior)
    run = pg.simulate(loss, method, prior, particles, STEPS, step_size, seed=seed, record_every=0)
    if prior.dim == 1:
        floor = pg.diagnostics.wasserstein1_floor(target, particles, (0.99,), replicates=5000)[0]
        return pg.diagnostics.wasserstein1(run.final, target) / floor
    points = target.sample(20_000, seed=99)
    draws = [pg.diagnostics.sliced_wasserstein(target.sample(particles, seed=s), points) for s in range(200)]
    return pg.diagnostics.sliced_wasserstein(run.final, points) / np.quantile(draws, 0.99)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_with_jumps_a_metastable_run_arrives(name):
    found = [ratio(name, {"every": 50}, seed) for seed in range(5)]
    print(f"{name}: {np.median([ratio(name, None, s) for s in range(5)]):.2g} plain, {np.median(found):.2g} with jumps")
    assert np.median(found) <= 1.0, found


@pytest.mark.slow
@pytest.mark.parametrize("make", [
    lambda jumps: pg.methods.DLE(0.25, jumps=jumps), lambda jumps: pg.methods.DRLE(0.25, 0.5, SE(0.7), jumps=jumps)
], ids=["DLE", "DRLE"])  # fmt: skip
def test_the_double_well_of_the_page(make):
    loss = pg.Loss.from_formula("0.366*t^4 - 2.419*t^2 + 0.741*t", variables=["t"])
    target = pg.target(loss, make(None), prior=NARROW)
    exact = np.mean([pg.diagnostics.wasserstein1(target.sample(300, seed=s), target) for s in range(8)])
    distance = {}
    for every in (None, 50):
        method = make(every and {"every": every})
        runs = [pg.simulate(loss, method, NARROW, 300, 1000, 2e-3, seed=s, record_every=0) for s in range(8)]
        distance[every] = np.mean([pg.diagnostics.wasserstein1(run.final, target) for run in runs])
        accepted = [run.info["jumps"]["acceptance_rate"] for run in runs if every]
    print(f"plain {distance[None]:.2f}, with jumps {distance[50]:.3f}, exact draws {exact:.3f}")
    print(f"accepted {np.mean(accepted):.2f}")
    assert distance[50] < 2.0 * exact < 0.1 * distance[None]


@pytest.mark.slow
def test_without_jumps_most_do_not():
    far = [name for name in CASES if ratio(name, None, 0) > 1.5]
    assert len(far) >= 9, far


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["global-minimiser", "global-minimiser-code", "multimodal", "multimodal-code", "lifting"]
)
def test_scenarios_with_jumps_stay_at_their_truth(name):
    """Without a barrier jumps take no truth away: W1 (sliced in the plane) stays below the 99% floor."""
    scenario = load(name)
    noisy = [label for label, entry in scenario["methods"].items() if entry.get("method", label) in ("DLE", "DRLE")]
    assert noisy
    steps = min(scenario["steps"], 60_000_000 // scenario["particles"])
    jumps = {f"methods.{label}.jumps": True for label in noisy}
    results = pg.run(scenario, **jumps, steps=steps, record_every=max(1, steps // 200), figures=[])
    for label in noisy:
        distances = results.summary["methods"][label]["distances"]
        distance = distances.get("w1") or distances["sliced_w1"]
        print(f"{name} {label}: {distance['value']:.3g}, 99% floor {distance['floor'][2]:.3g}")
        assert distance["value"] <= distance["floor"][2]
