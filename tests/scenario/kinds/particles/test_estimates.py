"""Step sizes and times chosen for a scenario, against closed forms and against another discretisation."""

import math

import numpy as np
import pytest

from particlegvi import Loss, losses, methods, priors
from particlegvi.scenario.kinds.particles import estimates

LINE = priors.Normal(0.0, 1.0)
PLANE = priors.Normal([0.0, 0.0], 1.0)


def problem(loss, prior, *chosen):
    loss = Loss.from_formula(*loss) if isinstance(loss, tuple) else losses.get(loss)
    return estimates.problem_of(loss, prior, None, list(chosen))


@pytest.mark.parametrize("curvature", [0.2, 1.0, 30.0])
@pytest.mark.parametrize("kl_weight", [0.3, 1.0])
def test_on_a_quadratic_all_is_known(curvature, kl_weight):
    """V = (curvature + kl_weight) t^2 / 2: Ornstein and Uhlenbeck's process relaxes at that rate."""
    whole = curvature + kl_weight
    given = problem((f"{curvature}*t^2/2", ["t"]), LINE, methods.DLE(kl_weight))
    assert estimates.stability_limit(given) == pytest.approx(2.0 / whole, rel=1e-6)
    assert estimates.relaxation_time(given, kl_weight) == pytest.approx(1.0 / whole, rel=2e-3)
    time, why = estimates.time_needed(given)
    assert time == pytest.approx(estimates.RELAXATIONS / whole, rel=2e-3)
    assert "relaxation times" in why
    assert estimates.step_size(given) == pytest.approx(2.0 / whole / estimates.SAFETY, rel=0.3)


def test_in_the_plane_the_slower_coordinate_decides():
    given = problem(("3*x^2 + y^2/4", ["x", "y"]), PLANE, methods.DLE(1.0))
    assert estimates.relaxation_time(given, 1.0) == pytest.approx(1.0 / 1.5, rel=2e-2)
    assert estimates.stability_limit(given) == pytest.approx(2.0 / 7.0, rel=1e-6)
    product = problem(("3*(x+1)^2*(x-1)^2 + y^2", ["x", "y"]), PLANE, methods.DLE(1.0))
    alone = problem(("3*(x+1)^2*(x-1)^2", ["x"]), LINE, methods.DLE(1.0))
    both = estimates.relaxation_time(product, 1.0), estimates.relaxation_time(alone, 1.0)
    assert both[0] == pytest.approx(both[1], rel=0.05)


def test_a_barrier_takes_the_time_of_arrhenius():
    low, high = (
        estimates.relaxation_time(problem(("8*(t+1)^2*(t-1)^2", ["t"]), priors.Normal(0.0, 3.0)), kl_weight)
        for kl_weight in (1.0, 2.0)
    )
    assert math.log(low / high) == pytest.approx(8.0 / 1.0 - 8.0 / 2.0, abs=0.7)


def test_a_repulsion_counts():
    without = problem(("t^2/2", ["t"]), LINE, methods.DLE(1.0))
    beside = problem(("t^2/2", ["t"]), LINE, methods.DLE(1.0), methods.DRLE(1.0, 50.0))
    assert estimates.stability_limit(beside) < 0.1 * estimates.stability_limit(without)


def test_a_descent_ends_when_all_points_are_down():
    """t' = -c t: after log(100)/c a hundredth of the way is left."""
    given = problem(("2*t^2", ["t"]), LINE, methods.DE())
    assert estimates.time_of_descent(given, 0.0, 0.01) == pytest.approx(math.log(100.0) / 4.0, rel=0.05)
    assert estimates.time_of_descent(given, 0.0, 1e-5) == math.inf
    time, why = estimates.time_needed(given)
    assert time == pytest.approx(1.5 * math.log(100.0) / 4.0, rel=0.3) and "come down" in why


def test_starts_are_spread_as_the_prior_is():
    x = estimates.starts(priors.Normal([1.0, -2.0], [2.0, 0.5]))
    assert x.shape == (64, 2)
    np.testing.assert_allclose(x.mean(axis=0), [1.0, -2.0], atol=0.15)
    np.testing.assert_allclose(x.std(axis=0), [2.0, 0.5], rtol=0.15)
    box = estimates.starts(priors.Uniform([0.0, 5.0], [1.0, 7.0]))
    assert np.all((box > [0.0, 5.0]) & (box < [1.0, 7.0]))
    points = np.arange(200.0).reshape(100, 2)
    np.testing.assert_array_equal(estimates.starts(points), points[:64])


@pytest.mark.parametrize(
    ("number", "near", "up"), [(0.0137, 0.015, 0.015), (0.0101, 0.01, 0.015), (9.6, 10.0, 10.0), (18600.0, 2e4, 2e4)]
)
def test_rounding(number, near, up):
    assert estimates.rounded(number) == near
    assert estimates.rounded(number, up=True) == up
