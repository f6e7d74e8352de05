"""The Heun steps against loops in numpy, schedules too, and what must not change any scheme's bits."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import noise, threads

from ..flows import advanced, numpy_run, problem

NORMAL, BOX = pg.priors.Normal([0.3, 0.0], 1.5), pg.priors.Uniform([-0.8, -0.7], [0.9, 1.0])
KERNEL = pg.kernels.SquaredExponential(0.8)
DLE, DRLE = pg.methods.DLE(0.4), pg.methods.DRLE(0.4, 0.7, KERNEL)


@pytest.mark.parametrize("scheme, method, prior, name", [
    ("heun", DLE, BOX, "four-gaussians"),
    ("heun", DRLE, NORMAL, "four-gaussians"),
    pytest.param("heun", DRLE, BOX, "four-gaussians", marks=pytest.mark.slow),
    ("euler-maruyama", DRLE, pg.priors.Normal(0.0, 1.0), "tilted-double-well"),
])  # fmt: skip
@pytest.mark.sample("euler-maruyama-*")
def test_the_scheme_is_the_printed_one_and_a_schedule_gives_every_step_its_size(scheme, method, prior, name):
    loss, start = pg.losses.get(name), 0.5 * prior.sample(37, seed=3)
    schedule = pg.schedules.Polynomial(0.1, delay=2.0, power=1.0)
    sizes = [0.1 / (1.0 + k / 2.0) for k in range(6)]
    expected = numpy_run(scheme, loss, method, prior, start, sizes, 5)
    for each in (loss, pg.Loss.from_numpy(loss.value, loss.gradient, loss.dim)):
        run = pg.simulate(each, method, prior, initial=start, steps=6, step_size=schedule, seed=5, integrator=scheme)
        np.testing.assert_allclose(run.final, expected, rtol=0, atol=2e-13)
    np.testing.assert_allclose(run.times, np.concatenate([[0.0], np.cumsum(sizes)]), rtol=1e-15)
    constant = numpy_run(scheme, loss, method, prior, start, [0.1] * 6, 5)
    plain = numpy_run("euler-maruyama", loss, method, prior, start, sizes, 5)
    assert np.abs(constant - expected).max() > 1e-2  # control
    assert np.abs(plain - expected).max() > 5e-3 or scheme == "euler-maruyama"  # control: the schemes are told apart


def test_leimkuhler_matthews_on_a_schedule_carries_the_noise_of_the_next_step():
    """x <- x - h_k drift + sqrt(h_k T / 2) Z_k + sqrt(h_{k+1} T / 2) Z_{k+1}: every Z_k adds up to sqrt(2 h_k T)."""
    loss, start, temperature = pg.losses.get("tilted-double-well"), np.linspace(-2.0, 1.5, 20)[:, None], 0.4
    schedule = pg.schedules.Linear(0.05, 0.01, 4.0)
    run = pg.simulate(
        loss, pg.methods.DLE(temperature), initial=start, steps=6, step_size=schedule,
        integrator="leimkuhler-matthews",
    )  # fmt: skip
    x, sizes = start, schedule.at(np.arange(7))
    for step in range(6):
        now, following = (
            np.sqrt(0.5 * sizes[k] * temperature) * noise.normals(0, "noise", 20, 1, k) for k in (step, step + 1)
        )
        x = x - sizes[step] * loss.gradient(x) + now + following
    np.testing.assert_allclose(run.final, x, rtol=0, atol=1e-13)


@pytest.mark.parametrize("step_size", [0.01, 0.5, 3.0])
def test_exponential_euler_has_the_exact_law_of_its_linear_part(step_size):
    """An Ornstein-Uhlenbeck process of rate a at temperature T: x e^(-a h), and the variance (T/a)(1 - e^(-2 a h))."""
    rates, temperature = np.array([0.2, 1.0, 30.0]), 0.4
    taken = pg.integrators.get("exponential-euler")(step_size, temperature, rates)
    np.testing.assert_allclose(1.0 - rates * taken.gain, np.exp(-rates * step_size), rtol=1e-10, atol=1e-13)
    variance = temperature / rates * (1.0 - np.exp(-2.0 * rates * step_size))
    np.testing.assert_allclose(np.square(taken.noise_now), variance, rtol=1e-10)
    nearly = 2.0 * step_size * temperature / (1.0 + rates * step_size)  # control: equal up to the second order
    assert np.abs(nearly / variance - 1.0).max() > 1e-6


@pytest.mark.parametrize("step_size", [1e-2, pg.schedules.Cosine(0.02, 0.001, 1050.0)], ids=["number", "schedule"])
@pytest.mark.parametrize("kind, integrator", [
    (kind, integrator)
    for kind in ("independent", "repulsive", "direct", "numpy")
    for integrator in pg.integrators.names()
    if integrator != "adam" and (kind not in ("repulsive", "direct") or integrator != "mala")
])  # fmt: skip
@pytest.mark.sample("independent-baoab-number", "repulsive-exponential-*-number")
def test_grouping_of_steps_and_threads_change_no_bit(kind, integrator, step_size, monkeypatch):
    loss = pg.losses.get("tilted-double-well")
    if kind == "numpy":
        compiled = loss
        loss = pg.Loss.from_numpy(compiled.value, compiled.gradient, 1)
    prior = pg.priors.Normal(0.0, 1.0)
    kernels = {"repulsive": pg.kernels.SquaredExponential(1.0), "direct": pg.kernels.Matern32(1.0)}
    method = pg.methods.DRLE(1.0, 0.5, kernels[kind]) if kind in kernels else pg.methods.DLE(1.0)
    first = 1000  # so that a block of the schedule's coefficients ends on the way

    def run(grouping, workers):
        monkeypatch.setattr(threads, "count", lambda: workers)
        start = prior.sample(700 if kind == "direct" else 2500, seed=1)
        flow = advanced(method.flow(problem(loss, prior, start, 2000, step_size, 1, integrator)), grouping, first)
        assert flow.particles().shape == start.shape
        return flow.state

    whole = run([40], 1)
    assert np.array_equal(whole, run([1] * 40, 1))
    assert np.array_equal(whole, run([3, 7, 1, 28, 1], 2))


def test_a_constant_schedule_is_the_number():
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    one, other = (
        pg.simulate(loss, pg.methods.DLE(1.0), prior=prior, particles=20, steps=50, step_size=size)
        for size in (0.01, pg.schedules.Constant(0.01))
    )
    assert np.array_equal(one.positions, other.positions) and one.step_size == other.step_size == 0.01
