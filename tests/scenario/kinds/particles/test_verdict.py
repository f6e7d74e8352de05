"""The verdict on runs that are known to be too short, stuck, at equilibrium, or at the wrong equilibrium."""

import json
import re

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario.kinds.particles.evidence import Evidence, TargetDistance
from particlegvi.scenario.kinds.particles.facts import facts
from particlegvi.scenario.kinds.particles.facts.comparison import basins
from particlegvi.scenario.kinds.particles.verdict import equilibrium
from particlegvi.simulation.run import Run

SE = pg.kernels.SquaredExponential
WELL, PRIOR = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
MODES = pg.losses.get("four-gaussians")
REPULSIVE = pg.methods.DRLE(1.0, 0.5, SE(1.0))


def judged(run, initial=None):
    start = run.prior if initial is None else initial
    try:
        target, reason = pg.target(run.loss, run.method, prior=run.prior, initial=start, seed=run.seed), None
    except ValueError as error:
        target, reason = None, str(error)
    found = {}
    return facts.compute(Evidence(run, target, reason, None, run.initial[0], found), found)


def evidence_of(run, target):
    return Evidence(run, target, None, None, run.initial[0], {})


def simulated(loss, method, prior, horizon, step_size=5e-3, particles=300, initial=None, **more):
    steps = round(horizon / step_size)
    made = pg.simulate(
        loss, method, prior=prior, particles=particles, steps=steps, step_size=step_size, initial=initial, **more
    )
    return judged(made, initial)


BOWL, FLAT = pg.losses.get("quadratic"), pg.priors.Flat(2)
DE, DLE, DRE = pg.methods.DE(), pg.methods.DLE(1.0), pg.methods.DRE(0.5, SE(1.0))
WEAK, SVGD, FDGVI = pg.methods.DRE(1e-3, SE(1.0)), pg.methods.SVGD(kl_weight=1.0, kernel=SE(1.0)), pg.methods.FDGVI(0.5)
# Nearly flat, so that the prior is within chance of Q*: a run of no length has tested nothing.
SLOPE = pg.losses.get("quadratic", curvature=[0.01], centre=[0.0])
CUBE, FAR = pg.losses.get("quadratic", curvature=[1.0, 1.0, 1.0]), pg.priors.Normal([3.0] * 3, [1.0] * 3)
NEAR = {"step_size": 0.1, "initial": pg.priors.Normal([1.0, 1.0], [0.1, 0.1])}
BANANA = (pg.losses.get("banana"), pg.methods.DLE(0.5), pg.priors.Normal([0.0, 0.0], 1.0), 0.05)
SHORT, NARROW = {"step_size": 1e-3}, {"step_size": 1e-3, "particles": 20}
# The run, whether it is at equilibrium, and the words that its verdict begins with or has.
VERDICTS = [
    ((WELL, DLE, PRIOR, 0.2), SHORT, False, "not yet at equilibrium: the (.*) (falls|rises) by"),
    ((WELL, DE, PRIOR, 20.0), {}, True, "converged since t = .* to the local minima .* gradient [0-9.]+e-1[0-9],"),
    ((WELL, DE, PRIOR, 0.2), {}, False, "not yet converged: "),
    ((WELL, DRE, PRIOR, 200.0), {"step_size": 0.02}, None, "(.*)at rest: no particle moved"),  # DRE has no truth
    ((WELL, DRE, PRIOR, 0.1), {}, False, "not yet at rest"),
    ((CUBE, DLE, FAR, 0.5), {}, False, "not yet at equilibrium"),
    ((CUBE, DLE, FAR, 0.5), {"record_every": 0}, None, "unknown"),
    ((WELL, pg.methods.DLE(0.3), PRIOR, 80.0), {}, True, "at equilibrium"),  # few cross late, half crossed before
    ((WELL, DLE, PRIOR, 20.0), {"particles": 1}, None, "(.*)too few to tell"),
    ((WELL, DLE, PRIOR, 20.0), {"particles": 2}, None, "(.*)too few to tell"),
    ((BOWL, WEAK, PRIOR, 40.0), {"particles": 3}, None, "at rest"),  # they fell together
    ((BOWL, WEAK, PRIOR, 1.0), {"particles": 3}, False, ""),
    ((SLOPE, DLE, PRIOR, 0.05), {}, None, "(.*)too short to tell"),
    ((SLOPE, DLE, PRIOR, 10.0), {}, True, "(?!.*too short to tell)"),
    ((BOWL, SVGD, PRIOR, 400.0), {"step_size": 0.1, "particles": 50}, True, "(?!.*move)"),  # at rest to the last bit
    pytest.param(BANANA, NARROW, False, "not yet at equilibrium: particles moved by", marks=pytest.mark.thorough),
    pytest.param((MODES, FDGVI, FLAT, 0.4), NEAR, False, "not yet converged", marks=pytest.mark.slow),
    pytest.param((MODES, FDGVI, FLAT, 100.0), NEAR, True, "converged", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("run", "settings", "reached", "words"), VERDICTS)
def test_the_verdict_is(run, settings, reached, words):
    said = simulated(*run, **settings)["equilibrium"]
    assert said["reached"] is reached and re.match(words, said["verdict"]), said


@pytest.mark.parametrize("method", [DLE, REPULSIVE])
def test_a_run_long_enough_is_at_equilibrium(method):
    found = simulated(WELL, method, PRIOR, 20.0, integrator="leimkuhler-matthews")
    said = found["equilibrium"]
    assert said["reached"] is True, said
    assert said["verdict"].startswith("at equilibrium since t = ")
    assert 0.3 < said["since"] < 10.0
    energy = found["free_energy"]
    assert abs(energy["total"][-1] - energy["target"]["total"]) < 0.1 < energy["total"][0] - energy["target"]["total"]
    assert abs(found["excess_energy"]["deviation"]) < 4.0
    assert set(found["distances"]) == {"w1", "w2", "ks", "energy", "mmd", "ksd"}
    assert all(each["value"] < 1.5 * each["floor"][2] for each in found["distances"].values())
    json.dumps(found)


@pytest.mark.slow
def test_particles_stuck_in_their_basins_are_told_so():
    """From a start in one corner the shares of the basins are Q0's; every particle is at rest in its own."""
    start = pg.priors.Normal([0.7, 0.7], [1.0, 1.0])
    found = simulated(MODES, pg.methods.DLE(0.2), pg.priors.Flat(2), 100.0, 0.1, initial=start)
    said, occupancy = found["equilibrium"], found["basin_occupancy"]
    assert said["reached"] is False
    assert said["verdict"].startswith("metastable: ") and "changed basin" in said["verdict"]
    assert occupancy["changed"] == 0 and occupancy["counts"] != occupancy["start"]
    assert max(found["chains"]["r_hat"]) > 1.2
    # from a start in the middle the shares are right by symmetry, but nothing has tested them
    middle = pg.priors.Normal([0.0, 0.0], [1.0, 1.0])
    said = simulated(MODES, pg.methods.DLE(0.2), pg.priors.Flat(2), 100.0, 0.1, initial=middle)["equilibrium"]
    assert said["reached"] is None
    assert said["verdict"].startswith("near Q*, farther than chance allows in 99 of 100 cases, but metastable")
    jumping = pg.methods.DLE(0.2, jumps={"every": 20})  # control: with jumps the first start arrives
    said = simulated(MODES, jumping, pg.priors.Flat(2), 100.0, 0.1, initial=start)["equilibrium"]
    assert said["reached"] is True and said["verdict"].startswith("at equilibrium"), said


def test_a_deep_ensemble_with_the_wrong_counts():
    x = np.repeat(np.where(np.arange(300) < 220, -2.0, 1.0)[None, :, None], 3, axis=0)
    x[0] += 0.3
    found = judged(Run("DE", WELL, PRIOR, pg.methods.DE(), x, np.arange(3), 1.0, 0))
    assert found["equilibrium"]["reached"] is False
    assert "220 particles at (-2)" in found["equilibrium"]["verdict"]


def test_without_a_truth_and_without_records():
    found = simulated(CUBE, DLE, FAR, 20.0)
    assert found["equilibrium"]["reached"] is None and found["equilibrium"]["verdict"].startswith("at rest over")
    assert len(found["chains"]["r_hat"]) == 3 and "distances" not in found
    assert simulated(CUBE, DLE, FAR, 0.5, record_every=0)["chains"] is None


@pytest.mark.thorough
def test_every_key_is_documented(root):
    page = (root / "docs" / "results.md").read_text(encoding="utf-8")
    start = pg.priors.Normal([0.7, 0.7], [1.0, 1.0])
    for found in (
        simulated(WELL, REPULSIVE, PRIOR, 1.0, particles=20),
        simulated(WELL, pg.methods.DE(), PRIOR, 1.0, particles=20),
        simulated(MODES, pg.methods.DLE(0.2), pg.priors.Flat(2), 1.0, particles=20, initial=start),
    ):
        parts = ("equilibrium", "distances", "excess_energy", "basin_occupancy", "chains", "free_energy")
        inner = [key for part in parts for key in found.get(part) or {}]
        assert not [key for key in [*found, *inner] if f"`{key}`" not in page]


@pytest.mark.parametrize("far", [1e300, np.inf, np.nan])
@pytest.mark.parametrize("method", [pg.methods.DE(), REPULSIVE])
def test_particles_that_ran_away_are_told_so(method, far):
    x = np.random.default_rng(0).normal(size=(12, 20, 1))
    x[-1, 3] = far
    if np.isfinite(far):
        found = judged(Run("made", WELL, PRIOR, method, x, np.arange(12), 1.0, 0))
        assert found["equilibrium"] == {
            "reached": False, "since": None, "verdict": "diverged: particles have run away", "rule": "diverged",
            "remedy": "a smaller step size",
        }  # fmt: skip
        assert "distances" not in found
    else:
        said = equilibrium(evidence_of(Run("made", WELL, PRIOR, method, x, np.arange(12), 1.0, 0), None))
        assert said["reached"] is False


BENT = pg.Loss.from_formula("(x**2 + y - 2)**2/4 + (y - 1)**2/4", variables=["x", "y"])


@pytest.mark.parametrize("step_size, reached", [(0.1, False), (0.01, True)])
@pytest.mark.slow
def test_proposals_refused_for_ever_are_told_so(step_size, reached):
    """Far out, where the loss is steep, MALA's proposals overshoot: a few particles stay, and sliced W1 misses them."""
    method, prior = pg.methods.DLE(0.7), pg.priors.Normal([0.0, 0.0], 1.5)
    run = pg.simulate(
        BENT, method, prior=prior, particles=1000, steps=2000, step_size=step_size, seed=3, integrator="mala"
    )
    found = judged(run)
    said = found["equilibrium"]
    assert found["sliced_w1"] < found["distances"]["sliced_w1"]["floor"][2]
    assert said["reached"] is reached, said
    assert ("did not move in the second half" in said["verdict"]) is not reached
    assert ("the mean excess energy is" in said["verdict"]) is not reached
    assert np.any(np.all(run.final == run.positions[len(run.positions) // 2], axis=1)) is np.bool_(not reached)


def test_a_few_particles_far_out_are_told_so():
    """One in a hundred of exact draws, moved out by eight standard deviations: W1 hides it, the energy does not."""
    prior = pg.priors.Normal(0.0, 1.0)
    loss, method = pg.losses.get("quadratic"), pg.methods.DLE(1.0)
    target = pg.target(loss, method, prior=prior)
    x = target.quantile(np.random.default_rng(2).random((21, 300, 1)))
    for moved, reached in ((0, True), (3, False)):
        x[:, :moved] = 8.0 * np.sqrt(float(target.variance))
        found = judged(Run("made", loss, prior, method, x, np.arange(21), 0.5, 0))
        assert found["distances"]["w1"]["value"] < 1.5 * found["distances"]["w1"]["floor"][2]
        assert found["equilibrium"]["reached"] is reached, found["equilibrium"]


@pytest.mark.parametrize(("number", "limit"), [(100, 4.0 + 0.71), (1_000_000, 20.0)])
def test_the_excess_energy_is_beyond_from_four_errors_and_a_fiftieth_of_its_deviation(number, limit):
    loss, prior = pg.losses.get("quadratic"), pg.priors.Normal(0.0, 1.0)
    x = np.zeros((2, number, 1))
    run = Run("made", loss, prior, pg.methods.DLE(1.0), x, np.arange(2), 0.5, 0)
    for deviation in (-1.01 * limit, 0.99 * limit):
        energy = {"mean": 1.0, "expected": 2.0, "deviation": deviation}
        evidence = Evidence(run, None, None, None, run.initial[0], {"excess_energy": energy, "distances": {}})
        evidence.distance = TargetDistance(1.0, 1.0)
        assert ("the mean excess energy is 1" in evidence.beyond) == (deviation < 0.0)


@pytest.mark.slow
def test_a_particle_in_a_basin_that_the_truth_leaves_out_has_converged():
    """A third valley at y = 4.5 holds 0.0012 of a standard normal start: less than the error of the atoms' weights."""
    loss = pg.Loss.from_formula("x^2/2 + 3*cos(2*y) + y^2/4", ["x", "y"])
    prior = pg.priors.Normal([0.0, 0.0], 1.0)
    start = prior.sample(300)
    start[0] = 0.0, 3.9
    run = pg.simulate(loss, pg.methods.DE(), prior=prior, initial=start, steps=3000, step_size=0.02)
    target = pg.target(loss, pg.methods.DE(), prior, prior)
    assert len(target.atoms) == 2 and np.abs(run.final[0, 1]) > 4.0
    found = equilibrium(evidence_of(run, target))
    assert found["reached"] is True and "2 more are in small basins" in found["verdict"]
    assert sum(basin["count"] for basin in basins(evidence_of(run, target))["basins"]) == 298
    start[:60] = 0.0, 3.9  # control: so many are no accident
    run = pg.simulate(loss, pg.methods.DE(), prior=prior, initial=start, steps=3000, step_size=0.02)
    assert equilibrium(evidence_of(run, target))["reached"] is False


@pytest.mark.thorough
def test_farther_than_99_of_100_exact_draws_is_no_equilibrium():
    for horizon, reached, words in ((0.4, None, "near Q*, farther than chance allows"), (20.0, True, "at equilibrium")):
        found = simulated(WELL, REPULSIVE, PRIOR, horizon, step_size=1e-3, particles=40, seed=0)
        said, distance = found["equilibrium"], found["distances"]["w1"]
        assert said["reached"] is reached and said["verdict"].startswith(words), said
        ratio = distance["value"] / distance["floor"][2]
        assert ratio < 1.0 if reached else 1.0 < ratio < 1.5
