"""The flow of DRLE on a grid and its laws: closed forms of quadratics, and sums over all places of two particles."""

import numpy as np
import pytest
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.targets import rates
from particlegvi.targets.fokker_planck import FokkerPlanck

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
LOSS, PRIOR = pg.losses.get("quadratic"), pg.priors.Normal(0.0, 1.0)
SLOPE = 1.0 + 0.5  # V = x^2/2 + kl_weight x^2/2


def flow(mmd_weight):
    method = pg.methods.DRLE(0.5, mmd_weight, KERNEL) if mmd_weight else pg.methods.DLE(0.5)
    return FokkerPlanck.of(LOSS, method, PRIOR, (-4.5, 4.5), 181)


def test_the_flow_keeps_the_law_of_ornstein_uhlenbeck_at_first_order_in_time():
    """Drift a x at temperature T from N(1, 0.4^2) until 0.6."""
    made = flow(0.0)
    edges = np.append(made.centres - 0.5 * made.width, made.centres[-1] + 0.5 * made.width)
    shrink = np.exp(-SLOPE * 0.6)
    sd = np.sqrt(shrink**2 * 0.4**2 + 0.5 / SLOPE * (1.0 - shrink**2))
    exact, errors = np.diff(ndtr((edges - shrink) / sd)), []
    for steps in (20, 40, 80):
        masses = np.diff(ndtr((edges - 1.0) / 0.4))
        for _ in range(steps):
            masses = made.step(masses, 0.6 / steps)
        assert masses.sum() == pytest.approx(1.0, abs=1e-7) and np.all(masses >= 0.0)
        errors.append(np.abs(masses - exact).sum())
    assert errors[-1] < 0.01
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.15)


def test_the_flow_with_a_repulsion_ends_at_the_target():
    """They share no code."""
    made, target = flow(1.0), pg.target(LOSS, pg.methods.DRLE(0.5, 1.0, KERNEL), prior=PRIOR)
    masses = np.full(181, 1.0 / 181)
    for _ in range(100):
        masses = made.step(masses, 0.5)
    assert np.abs(masses - target.pdf(made.centres) * made.width).sum() < 1e-9
    assert np.abs(masses - made.minimiser()).sum() < 1e-9


def test_the_free_energy_is_that_of_a_gaussian():
    centres = np.linspace(-8.0, 8.0, 2000)
    masses = np.exp(-0.5 * centres**2)
    masses /= masses.sum()
    made = FokkerPlanck(0.5 * centres**2, centres, 0.3, 0.7, lambda r2: np.exp(-0.5 * r2))
    entropy = 0.5 * np.log(2.0 * np.pi * np.e)
    assert made.free_energy(masses) == pytest.approx(0.5 + 0.35 / np.sqrt(3.0) - 0.3 * entropy, abs=1e-6)


@pytest.mark.parametrize("step_size", [0.02, 0.1])
def test_steps_of_euler_keep_their_closed_form(step_size):
    """Variance T/a / (1 - eta a/2), and not that of Q*."""
    made = flow(0.0)
    law = rates.finite_step(made, step_size)
    assert made.centres**2 @ law == pytest.approx(0.5 / SLOPE / (1.0 - 0.5 * step_size * SLOPE), rel=1e-8)


def test_the_flow_of_a_quadratic_relaxes_with_its_slope():
    made = flow(0.0)
    assert rates.relaxation(made) == pytest.approx(SLOPE, rel=2e-3)  # cells of 0.05
    start = np.exp(-0.5 * ((made.centres - 1.0) / 0.4) ** 2)
    found = rates.in_time(made, made.minimiser(), start / start.sum(), 2.0, 0.002)
    assert found.slope == pytest.approx(-SLOPE, rel=5e-3) and len(found.values) == 1001


def test_two_particles_have_the_law_of_the_sum_over_all_places():
    made = flow(1.0)
    pair = (made.potential[:, None] + made.potential + 0.5 * made.interaction) / 0.5  # lambda1/(2N) sum over i, j
    law = np.exp(-(pair - pair.min())).sum(axis=1)
    found = rates.finite_number(made, 2)
    assert np.abs(found - law / law.sum()).sum() < 1e-3
    assert np.abs(made.minimiser() - law / law.sum()).sum() > 0.03  # which tells N = 2 from N = infinity
    slope = rates.in_number(made, made.minimiser(), np.array([100, 400])).slope
    assert slope == pytest.approx(-1.0, abs=0.01)
