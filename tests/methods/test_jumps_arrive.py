"""Metastable losses: with jumps every run is at its Q*, or at the distribution of its N particles; plain ones are not.

W1 (sliced W1 in the plane) to Q* at the end, its median over five seeds, against the 99% quantile of as many exact
draws. Without jumps most of the same runs are far away.
"""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario import load

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
    draws = [pg.diagnostics.sliced_wasserstein(target.sample(particles, seed=s), points, 1) for s in range(200)]
    return pg.diagnostics.sliced_wasserstein(run.final, points, 1) / np.quantile(draws, 0.99)


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
