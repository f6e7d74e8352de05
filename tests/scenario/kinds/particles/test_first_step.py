"""The step size that is chosen for a scenario, against closed forms."""

import numpy as np
import pytest

from particlegvi import Loss, methods, priors
from particlegvi.scenario.kinds.particles import first_step

LINE = priors.Normal(0.0, 1.0)
PLANE = priors.Normal([0.0, 0.0], 1.0)


def limit(formula, variables, prior, method):
    loss = Loss.from_formula(formula, variables)
    return first_step.stability_limit(loss, prior, first_step.starts(prior), method)


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


def test_starts_are_given_points_or_draws_of_the_prior():
    box = first_step.starts(priors.Uniform([0.0, 5.0], [1.0, 7.0]))
    assert box.shape == (64, 2) and np.all((box > [0.0, 5.0]) & (box < [1.0, 7.0]))
    points = np.arange(200.0).reshape(100, 2)
    np.testing.assert_array_equal(first_step.starts(points), points[:64])


@pytest.mark.parametrize(("number", "near"), [(0.0137, 0.015), (0.0101, 0.01), (9.6, 10.0), (18600.0, 2e4)])
def test_rounding(number, near):
    assert first_step.rounded(number) == near
