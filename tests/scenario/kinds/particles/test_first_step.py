"""The step size that is chosen for a scenario, against closed forms."""

import warnings

import numpy as np
import pytest
from scipy import optimize, stats

from particlegvi import Loss, methods, priors, simulate
from particlegvi.integrators import schedules
from particlegvi.scenario.kinds.particles import first_step

LINE = priors.Normal(0.0, 1.0)
PLANE = priors.Normal([0.0, 0.0], 1.0)


def limit(formula, variables, prior, method):
    loss = Loss.from_formula(formula, variables)
    return first_step.limit_of_euler(loss, prior, first_step.starts(prior), method)


@pytest.mark.parametrize("curvature", [0.2, 30.0])
@pytest.mark.parametrize("kl_weight", [0.3, 1.0])
def test_on_a_quadratic_the_limit_is_known(curvature, kl_weight):
    """V = (curvature + kl_weight) t^2 / 2."""
    whole, method = curvature + kl_weight, methods.DLE(kl_weight)
    assert limit(f"{curvature}*t^2/2", ["t"], LINE, method) == pytest.approx(2.0 / whole, rel=1e-6)
    chosen = first_step.step_size(Loss.from_formula(f"{curvature}*t^2/2", ["t"]), LINE, None, [methods.DE(), method])
    assert chosen == pytest.approx(2.0 / whole / first_step.SAFETY, rel=0.3)


def test_the_steepest_coordinate_decides_and_a_repulsion_counts():
    assert limit("3*x^2 + y^2/4", ["x", "y"], PLANE, methods.DLE(1.0)) == pytest.approx(2.0 / 7.0, rel=1e-6)
    without, beside = (limit("t^2/2", ["t"], LINE, each) for each in (methods.DLE(1.0), methods.DRLE(1.0, 50.0)))
    assert beside < 0.1 * without


@pytest.mark.parametrize(("number", "near"), [(0.0137, 0.015), (0.0101, 0.01), (9.6, 10.0), (18600.0, 2e4)])
def test_rounding(number, near):
    assert first_step.rounded(number) == near


@pytest.mark.slow
def test_on_a_half_line_steps_grow_to_that_of_the_law():
    """V = 6.2 r - 8 log r: the law is Gamma(9, 1 / 6.2), V'' = 8 / r^2, and V(r) - V(8 / 6.2) = 10 ends what counts."""
    loss, prior = Loss.from_formula("5.2*rate - 8*log(rate)", ["rate"]), priors.Exponential(1.0)
    chosen = first_step.step_size(loss, prior, None, [methods.DLE()])

    def excess(r):
        return 6.2 * r - 8.0 * np.log(r) - (8.0 - 8.0 * np.log(8.0 / 6.2)) - 10.0

    counted = [r for r in first_step.starts(prior)[:, 0] if r >= optimize.brentq(excess, 1e-6, 1.0)]
    assert chosen.final == pytest.approx(min(counted) ** 2 / 4.0 / first_step.SAFETY, rel=0.3)
    assert chosen.initial < 0.01 * chosen.final
    law = stats.gamma(9.0, scale=1.0 / 6.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the limit of the warning is that of the choice
        runs = [
            simulate(loss, methods.DLE(), prior, 200, 5000, step_size, record_every=0)
            for step_size in (chosen, schedules.step_size_from(chosen.initial))
        ]
    arrived, stuck = (stats.kstest(run.final[:, 0], law.cdf).pvalue for run in runs)
    assert arrived > 1e-3
    assert stuck < 1e-6  # control: the step of the steepest start, which a run of before had throughout


def test_without_a_wall_and_with_no_steeper_wall_the_step_size_is_a_number():
    steep, box = Loss.from_formula("t^8", ["t"]), priors.Uniform(-1.0, 1.0)
    assert isinstance(first_step.step_size(steep, LINE, None, [methods.DLE()]), float)
    quadratic = Loss.from_formula("t^2", ["t"])
    assert isinstance(first_step.step_size(quadratic, box, None, [methods.DLE()]), float)
