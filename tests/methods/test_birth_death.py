"""Birth and death against the exact flow of a Gaussian, whose variance solves one equation; its bias; its refusals."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import particlegvi as pg
from particlegvi.engine.jumps.births import Births
from tests.flows import problem

LOSS = pg.losses.get("quadratic", curvature=1.0)
FLAT = pg.priors.Flat(1)


def variance(times, start, bandwidth, rate, kl_weight=1.0):
    """Of N(0, v) under the gradient flow with N(0, v + bandwidth^2) for q_h and the loss x^2/2.

    dv/dt = -2 v + 2 kl_weight - rate (1 - kl_weight / (v + bandwidth^2)) v^2: a replicator with a quadratic fitness
    c x^2 changes a variance v by -2 c v^2.
    """

    def slope(_, v):
        return -2.0 * v + 2.0 * kl_weight - rate * (1.0 - kl_weight / (v + bandwidth**2)) * v**2

    return solve_ivp(slope, (0.0, times[-1]), [start], t_eval=times, rtol=1e-10, atol=1e-12).y[0]


def simulated(bandwidth, rate, runs=12, particles=500, steps=400, step_size=5e-3):
    """Means over runs of the variance at five times, their standard errors, and the mean variance of the starts."""
    method = pg.methods.BirthDeath(1.0, bandwidth=bandwidth, rate=rate, every=4)
    found = []
    for seed in range(runs):
        start = np.sqrt(2.0) * np.random.default_rng(seed).standard_normal((particles, 1))
        how = {"initial": start, "steps": steps, "step_size": step_size, "seed": seed, "record_every": 100}
        found.append((pg.simulate(LOSS, method, FLAT, **how).positions[:, :, 0] ** 2).mean(axis=1))
    found = np.array(found)
    return found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(runs)


@pytest.mark.parametrize(("bandwidth", "rate"), [(1.0, 5.0), (0.5, 5.0), (1.0, 1.0)])
@pytest.mark.sample("1.0-1.0")
def test_the_variance_of_a_gaussian_follows_its_equation(bandwidth, rate):
    found, error = simulated(bandwidth, rate)
    exact = variance(np.arange(5) * 0.5, found[0], bandwidth, rate)
    # a Student t with 11 degrees of freedom is above 6 once in ten thousand times; 0.01 for steps and 500 particles
    assert np.all(np.abs(found - exact)[1:] < 6.0 * error[1:] + 0.01), (found, exact, error)
    if (bandwidth, rate) == (1.0, 5.0):  # control: the flow without the bias of the bandwidth is another one
        unbiased = variance(np.arange(5) * 0.5, found[0], 0.0, rate)
        assert abs(found[-1] - unbiased[-1]) > 2.0 * (6.0 * error[-1] + 0.01)


@pytest.mark.slow
def test_shares_of_wells_move_without_a_way_over_the_barrier():
    loss = pg.Loss.from_formula("0.366*t**4 - 2.419*t**2 + 0.741*t", variables=["t"])
    prior = pg.priors.Normal(-0.6, 1.6)
    with_births = pg.methods.BirthDeath(0.25)
    target = pg.target(loss, with_births, prior=prior)
    distances = [
        pg.diagnostics.wasserstein1(pg.simulate(loss, method, prior, 300, 1000, 2e-3, record_every=0).final, target)
        for method in (with_births, pg.methods.DLE(0.25))
    ]
    assert distances[0] < 0.1 < 0.5 < distances[1]


def test_the_density_of_the_kernel_is_that_of_numpy(rng):
    x, width = rng.standard_normal((70, 2)), 0.3
    births = Births(
        pg.losses.get("quadratic", dim=2), pg.priors.Normal([0.0, 0.0], 1.0), kl_weight=1.0, rate=1.0,
        bandwidth=width, duration=lambda number: 0.1, seed=0,
    )  # fmt: skip
    squares = ((x[:, None] - x) ** 2).sum(axis=-1)
    density = np.exp(-0.5 * squares / width**2).mean(axis=1) / (2.0 * np.pi * width**2)
    assert np.allclose(births.log_density(x, 0), np.log(density), rtol=1e-12, atol=1e-12)


def test_particles_that_carry_noise_are_refused():
    with pytest.raises(ValueError, match='integrator must be another than "leimkuhler-matthews"'):
        pg.simulate(LOSS, pg.methods.BirthDeath(), FLAT, initial=[[0.0]], integrator="leimkuhler-matthews")


def test_the_last_bandwidth_outlives_an_interruption_after_the_last_births():
    """No step of the last three has births, and the facts know the bandwidth of step 100 all the same."""
    start = np.linspace(-1.0, 1.0, 20)[:, None]
    flow, again = (pg.methods.BirthDeath(every=50).flow(problem(LOSS, pg.priors.Normal(), start, 103)) for _ in "12")
    flow.advance(0, 100)
    state, extra = flow.state.copy(), flow.extra_state()
    again.restore(state, extra)
    for each in (flow, again):
        each.advance(100, 3)
    assert again.facts() == flow.facts() and np.array_equal(again.state, flow.state)
    assert flow.facts()["birth_death"]["bandwidth"] is not None
    again.restore(state, {name: entry for name, entry in extra.items() if name != "width"})  # the control: an older one
    assert again.facts()["birth_death"]["bandwidth"] is None
