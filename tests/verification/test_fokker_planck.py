"""The grid's flow against closed forms: Ornstein and Uhlenbeck's Gaussian at any time, and Q* at the end."""

import numpy as np
import pytest
from scipy.special import ndtr

from particlegvi.verification import problems
from particlegvi.verification.fokker_planck import FokkerPlanck

A, T, START, SD, END = 2.0, 0.5, 1.0, 0.4, 0.6  # drift a x at temperature T, from N(START, SD^2), until END


def cells(low, high, number):
    edges = np.linspace(low, high, number + 1)
    return edges, 0.5 * (edges[1:] + edges[:-1])


def ornstein_uhlenbeck_errors(number, steps):
    """Errors of the masses of the cells at the end."""
    edges, centres = cells(-4.0, 4.0, number)
    masses = np.diff(ndtr((edges - START) / SD))
    flow = FokkerPlanck(0.5 * A * centres**2, centres, T)
    for _ in range(steps):
        masses = flow.step(masses, END / steps)
    shrink = np.exp(-A * END)
    sd = np.sqrt(shrink**2 * SD**2 + T / A * (1.0 - shrink**2))
    assert masses.sum() == pytest.approx(1.0, abs=1e-12) and np.all(masses >= 0.0)
    return masses - np.diff(ndtr((edges - shrink * START) / sd))


def test_ornstein_uhlenbeck_at_first_order_in_time():
    errors = [np.abs(ornstein_uhlenbeck_errors(800, steps)).sum() for steps in (50, 100, 200)]
    assert errors[-1] < 0.01
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.15)


def test_ornstein_uhlenbeck_at_second_order_in_space():
    """With errors of the time steps removed by extrapolation."""
    errors = []
    for number in (20, 40):
        coarse, fine = (ornstein_uhlenbeck_errors(number, steps) for steps in (400, 800))
        errors.append(np.abs(2.0 * fine - coarse).sum())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


def test_the_flow_ends_at_the_target():
    """The flow with interaction and the target's fixed point share no code."""
    method = problems.STRONG
    _, centres = cells(-4.5, 3.5, 150)
    flow = FokkerPlanck(
        problems.potential(centres, method), centres, method.kl_weight, method.lambda1, lambda r2: np.exp(-0.5 * r2)
    )
    masses = np.full(150, 1.0 / 150)
    for _ in range(400):
        masses = flow.step(masses, 0.5)
    assert np.abs(masses - problems.target(method).pdf(centres) * flow.width).sum() < 1e-10


def test_the_free_energy_is_that_of_a_gaussian():
    _, centres = cells(-8.0, 8.0, 2000)
    masses = np.exp(-0.5 * centres**2)
    masses /= masses.sum()
    flow = FokkerPlanck(0.5 * centres**2, centres, 0.3, 0.7, lambda r2: np.exp(-0.5 * r2))
    entropy = 0.5 * np.log(2.0 * np.pi * np.e)
    assert flow.free_energy(masses) == pytest.approx(0.5 + 0.35 / np.sqrt(3.0) - 0.3 * entropy, abs=1e-6)
