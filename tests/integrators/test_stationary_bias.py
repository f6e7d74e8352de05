"""Stationary laws: by quadrature against closed forms, their orders in the step size, and the engine's particles."""

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics import stationary_law

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


ORDERS = {  # that of BAOAB, which has velocities, is tested with it
    name: pg.integrators.get(name).stationary_order for name in pg.integrators.names() if name != "baoab"
}


def test_every_integrator_states_the_order_of_its_bias():
    assert {name for name, order in ORDERS.items() if order == 2.0} == {"heun", "leimkuhler-matthews"}
    assert {name for name, order in ORDERS.items() if order == 1.0} == {
        "euler-maruyama", "exponential-euler", "tamed-euler"
    }  # fmt: skip


@pytest.mark.parametrize(("integrator", "order"), [(name, order) for name, order in ORDERS.items() if order < math.inf])
def test_order_of_the_bias_on_the_quartic(integrator, order):
    """Straight lines in log-log up to a step size of 0.1, and the limit of the slope at small ones."""
    step_sizes = np.array([0.1, 0.05, 0.025, 0.0125])
    biases = []
    for step_size in step_sizes:
        points, weights = stationary_law(lambda x: x**3, step_size, 1.0, integrator)
        biases.append(abs(weights @ points**2 - SECOND_MOMENT))
    slope = np.polyfit(np.log(step_sizes), np.log(biases), 1)[0]
    assert abs(slope - order) < 0.15
    assert abs(np.log2(biases[-2] / biases[-1]) - order) < 0.08


def test_the_box_does_not_matter():
    narrow, wide = (stationary_law(lambda x: x**3, 0.05, box=(-b, b)) for b in (4.0, 4.8))
    assert abs(narrow[1] @ narrow[0] ** 2 - wide[1] @ wide[0] ** 2) < 1e-10


@pytest.mark.parametrize("integrator", ["euler-maruyama", "leimkuhler-matthews", "heun", "tamed-euler"])
@pytest.mark.sample("euler-maruyama", "leimkuhler-matthews")
def test_particles_are_draws_from_the_law_of_the_quadrature(integrator):
    """The engine at a large step on the tilted double well, for long enough to forget where it started."""
    temperature, step_size, number = 1.0, 0.05, 200_000
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    method = pg.methods.DLE(temperature)
    points, weights = stationary_law(
        lambda x: 1.5 * (x**3 + x**2 - 2.0 * x) + temperature * x, step_size, temperature, integrator, (-4.5, 4.0)
    )
    truth = pg.target(loss, method, prior=prior)
    run = pg.simulate(
        loss, method, prior=prior, initial=pg.priors.Normal(-1.0, 0.5), particles=number, steps=400,
        step_size=step_size, integrator=integrator, record_every=0, seed=4,
    )  # fmt: skip
    x2 = run.final[:, 0] ** 2
    expected = weights @ points**2
    band = 4.5 * np.sqrt((weights @ points**4 - expected**2) / number)
    assert abs(x2.mean() - expected) < band
    if integrator != "leimkuhler-matthews":  # its bias is too small for these particles to see
        assert abs(x2.mean() - (truth.variance + truth.mean**2)) > band
