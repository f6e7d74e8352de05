"""Pareto smoothing against distributions whose tail is known."""

import numpy as np
import pytest

from particlegvi.simulation.sampling.smoothing import fitted_pareto, smoothed


@pytest.mark.parametrize("shape", [-0.3, 0.2, 0.9])
def test_the_shape_of_a_pareto_tail_is_found(shape, rng):
    n = 4000
    draws = np.sort(((1.0 - rng.random(n)) ** -shape - 1.0) / shape)
    found, scale = fitted_pareto(draws)
    # the asymptotic variance of the maximum likelihood estimate is (1 + shape)^2 / n
    tolerance = 4.0 * (1.0 + shape) / np.sqrt(n)
    assert abs(found - shape) < tolerance
    assert abs(scale - 1.0) < 4.0 * np.sqrt(2.0 * (1.0 + shape) / n)
    assert abs(found - (shape + 0.4)) > tolerance  # the control


def test_weights_of_a_narrow_proposal_have_a_heavy_tail_and_those_of_a_wide_one_have_not(rng):
    """Normal draws of sd s for a standard normal law: the ratio has a tail of shape 1 - s^2, none for s > 1."""
    shapes = {}
    for sd in (0.5, 2.0):
        x = sd * rng.standard_normal(4000)
        weights, shapes[sd] = smoothed(-0.5 * x**2 + 0.5 * (x / sd) ** 2)
        assert weights.sum() == pytest.approx(1.0)
        if sd == 2.0:
            assert (weights * x**2).sum() == pytest.approx(1.0, abs=0.1)
    assert shapes[0.5] > 0.5 > shapes[2.0]


def test_smoothing_changes_the_largest_weights_alone_and_keeps_their_order(rng):
    logs = rng.standard_normal(400) * 2.0
    weights, _ = smoothed(logs)
    raw = np.exp(logs)
    order = np.argsort(raw)
    assert np.all(np.diff(weights[order]) >= 0.0)
    small = order[:300]
    assert np.allclose(weights[small] / weights[small[0]], raw[small] / raw[small[0]])


def test_draws_without_density_have_no_weight():
    weights, shape = smoothed(np.array([0.0, -np.inf, -np.inf, 0.0]))
    assert weights.tolist() == [0.5, 0.0, 0.0, 0.5] and shape == np.inf
