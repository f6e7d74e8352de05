"""The objective of DRE on a grid: its least value by linear equations on the atoms, and flows without barriers."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics.little_noise import LittleNoise

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
PRIOR = pg.priors.Normal(0.0, 1.0)


def problem(loss, mmd_weight):
    return LittleNoise(pg.losses.get(loss), pg.methods.DRE(mmd_weight, KERNEL), PRIOR, (-3.6, 2.6), 125)


def test_the_least_value_keeps_the_conditions_of_a_minimum_over_all_laws():
    """V + lambda1 kappa * q has its least value at the atoms, which makes a convex objective least."""
    made = problem("tilted-double-well", 5.0)
    law = made.flow(1e-5).minimiser()
    field = made.flow(0.0).field(law)
    assert np.sum(law > 1e-4) < 20 and law @ field - field.min() < 2e-4
    assert made.excess([law])[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.slow
def test_without_barriers_every_flow_comes_near_and_with_one_a_falling_noise_does():
    made = problem("quadratic", 1.0)
    start = made.start(np.random.default_rng(0).normal(1.0, 0.5, 400))
    assert made.excess([start, made.after(0.01, start, 30.0)])[1] < 0.01 < 0.2 < made.excess([start])[0]
    constant, plain = made.cooled((0.3, 0.3), start, 0.2), made.after(0.3, start, 0.2)
    assert np.abs(np.cumsum(constant - plain)).max() < 0.01 < 0.05 < np.abs(np.cumsum(start - plain)).max()
    made = problem("tilted-double-well", 1.0)
    kept, cooled = made.after(0.01, start, 30.0), made.cooled((0.5, 0.01), start, 30.0)
    assert made.excess([kept])[0] > 2.0 * made.excess([cooled])[0]
