"""Strong orders: each integrator against a fine solution along the very Brownian path that its noise comes from.

The engine's normal of a step fixes one linear functional of the path within that step: the increment, or for the
exponential scheme the stochastic integral that it solves exactly. A fine path is drawn given these (a Brownian bridge),
and a reference follows it in numpy with steps 16 times smaller. Root-mean-square errors at time 1 over 2,000 particles,
at three step sizes, have relative standard errors of about 3%, so that slopes of log error are known to 0.03.
"""

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics import stationary_law
from particlegvi.engine.numerics.noise import normals

TEMPERATURE, PARTICLES, FINE, SEED = 0.2, 2000, 16, 11
LOSS, PRIOR = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 0.5)
STIFFNESS = TEMPERATURE / 0.25
STEPS = (32, 64, 128)


def drift(x):
    return x * (1.5 * (x * (x + 1.0) - 2.0) + STIFFNESS)


def fine_solution(start, steps, linear, seed):
    """Heun, or exponential Euler with the linear part, along a fine path that agrees with the engine's noise."""
    h = 1.0 / steps / FINE
    a = STIFFNESS if linear else 1e-12
    weights = np.exp(-a * h * np.arange(FINE - 1, -1, -1.0))
    weights /= np.sqrt((weights**2).sum())
    gain, sd = -np.expm1(-a * h) / a, np.sqrt(-TEMPERATURE * np.expm1(-2.0 * a * h) / a)
    rng = np.random.default_rng(5)
    x = start[:, 0].copy()
    for step in range(steps):
        fine = rng.standard_normal((PARTICLES, FINE))
        told = normals(seed, "noise", PARTICLES, 1, step)[:, 0]
        fine += np.outer(told - fine @ weights, weights)
        for noise in sd * fine.T:
            before = drift(x)
            y = x - gain * before + noise
            x = y if linear else x - 0.5 * gain * (before + drift(y)) + noise
    return x


def strong_order(integrator, seed=SEED):
    errors = []
    for steps in STEPS:
        run = pg.simulate(
            LOSS, pg.methods.DLE(TEMPERATURE), prior=PRIOR, particles=PARTICLES, steps=steps, step_size=1.0 / steps,
            seed=SEED, integrator=integrator, record_every=0,
        )  # fmt: skip
        fine = fine_solution(run.initial, steps, integrator == "exponential-euler", seed)
        errors.append(np.sqrt(np.mean((run.final[:, 0] - fine) ** 2)))
    return -np.polyfit(np.log(STEPS), np.log(errors), 1)[0]


def orders(kind):
    """Names of the integrators that state a finite order of this kind, each with it."""
    stated = {name: getattr(pg.integrators.get(name), kind) for name in pg.integrators.names()}
    return [(name, order) for name, order in stated.items() if order is not None and np.isfinite(order)]


@pytest.mark.parametrize(("integrator", "order"), orders("strong_order"))
def test_strong_order_is_the_stated_one(integrator, order):
    """Leimkuhler-Matthews has 1/2: its averaged noise looks half a step ahead, which the law does not notice."""
    assert abs(strong_order(integrator) - order) < 0.12


def test_there_is_no_order_on_another_path():
    assert abs(strong_order("euler-maruyama", seed=SEED + 1)) < 0.1


@pytest.mark.parametrize(("integrator", "order"), orders("order"))
def test_order_without_noise(integrator, order):
    """Gradient flow on a bowl, x' = -x, is exp(-t); Heun's second drift pays where there is no noise."""
    loss, errors = pg.losses.get("quadratic", curvature=[1.0], centre=[0.0]), []
    for steps in STEPS:
        run = pg.simulate(
            loss, pg.methods.DE(), initial=np.array([[2.0]]), steps=steps, step_size=1.0 / steps, integrator=integrator
        )
        errors.append(abs(run.final[0, 0] - 2.0 * np.exp(-1.0)))
    assert abs(-np.polyfit(np.log(STEPS), np.log(errors), 1)[0] - order) < 0.05


SECOND_MOMENT = 2.0 * math.gamma(0.75) / math.gamma(0.25)  # of exp(-x^4 / 4)
VARIANCES = {  # of V = a x^2 / 2, z = h a: the fixed point of the scheme's own recursion for the variance
    "euler-maruyama": lambda t, a, z: (t / a) / (1.0 - z / 2.0),
    "leimkuhler-matthews": lambda t, a, z: t / a,
    "heun": lambda t, a, z: (t / a) * 2.0 * z * (1.0 - z / 2.0) ** 2 / (1.0 - (1.0 - z + z * z / 2.0) ** 2),
}


@pytest.mark.parametrize("integrator", VARIANCES)
@pytest.mark.parametrize("step_size", [0.02, 0.3])
def test_quadrature_has_the_variance_of_a_quadratic(integrator, step_size):
    temperature, a = 0.7, 2.0
    points, weights = stationary_law(lambda x: a * x, step_size, temperature, integrator, (-7.0, 7.0))
    z = step_size * a
    assert abs(weights.sum() - 1.0) < 1e-12 and abs(weights @ points) < 1e-10
    assert weights @ points**2 == pytest.approx(VARIANCES[integrator](temperature, a, z), rel=1e-9)
    other = "heun" if integrator == "leimkuhler-matthews" else "leimkuhler-matthews"
    assert abs(weights @ points**2 / VARIANCES[other](temperature, a, z) - 1.0) > 1e-5


@pytest.mark.parametrize(("integrator", "order"), [each for each in orders("stationary_order") if each[0] != "baoab"])
def test_order_of_the_bias_on_the_quartic(integrator, order):
    """Straight lines in log-log up to a step size of 0.1, and the limit of the slope at small ones.

    BAOAB has velocities: its law on a quadratic is the claim `kinetic-law`.
    """
    step_sizes = np.array([0.1, 0.05, 0.025, 0.0125])
    biases = []
    for step_size in step_sizes:
        points, weights = stationary_law(lambda x: x**3, step_size, 1.0, integrator)
        biases.append(abs(weights @ points**2 - SECOND_MOMENT))
    slope = np.polyfit(np.log(step_sizes), np.log(biases), 1)[0]
    assert abs(slope - order) < 0.15
    assert abs(np.log2(biases[-2] / biases[-1]) - order) < 0.08
