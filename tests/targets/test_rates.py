"""The laws of DRLE on a grid: closed forms of quadratics, and sums over all places of two particles."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.targets import rates
from particlegvi.targets.fokker_planck import FokkerPlanck

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
LOSS, PRIOR = pg.losses.get("quadratic"), pg.priors.Normal(0.0, 1.0)
SLOPE = 1.0 + 0.5  # V = x^2/2 + kl_weight x^2/2


def flow(mmd_weight):
    method = pg.methods.DRLE(0.5, mmd_weight, KERNEL) if mmd_weight else pg.methods.DLE(0.5)
    return FokkerPlanck.of(LOSS, method, PRIOR, (-4.5, 4.5), 181)


def test_minimiser_of_a_quadratic_and_the_fixed_point_of_a_repulsion():
    made = flow(0.0)
    assert made.centres**2 @ made.minimiser() == pytest.approx(0.5 / SLOPE, abs=1e-12)
    repelled, target = flow(1.0), pg.target(LOSS, pg.methods.DRLE(0.5, 1.0, KERNEL), prior=PRIOR)
    assert repelled.centres**2 @ repelled.minimiser() == pytest.approx(float(target.variance), rel=1e-9)


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
