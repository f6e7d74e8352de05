"""Bounds of formulas over boxes hold at every point of the box, and are tight where they must be."""

import numpy as np
import pytest

from particlegvi.losses.formulas import values
from particlegvi.losses.formulas.derivative import gradient
from particlegvi.losses.formulas.parser import parse
from particlegvi.losses.formulas.values import run

FORMULAS = [
    "t**4/4 + t**3/3 - t**2", "t*t - t", "exp(-t**2) + tanh(t*u)", "sin(3*t)*cos(u - 2) + abs(t - u)", "sqrt(t + u)",
    "log(t)*u", "1/(t - u)", "1/t**3 + t**-2", "t**2.5 - u**1.5", "cosh(t) - sinh(u)/2", "tan(t/2)", "abs(t)**3 - u**5",
    "2**t - (u - 1)**2/(1 + t**2)", "sin(40*t + u**2)", "u*u/(u + 1e-3)", "cos(1e9*t)",
]  # fmt: skip

AT_POINTS = ("1/(t - u)", "1/t**3 + t**-2", "log(t)*u")  # undefined at single points: 1/0, 0 times infinity


def boxes(rng, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of all sizes around 0, some with an edge at 0."""
    size = 10.0 ** rng.uniform(-8.0, 1.0, size=(number, 1))
    low = np.where(rng.random((number, 2)) < 0.1, 0.0, 3.0 * rng.standard_normal((number, 2)))
    return low, low + size * rng.random((number, 2))


def outside(formula: str, rng, shrink: float = 0.0, number: int = 300) -> int:
    """How many values and slopes at random points of random boxes lie outside the bounds."""
    graph, value = parse(formula, ["t", "u"])
    roots = [value, *gradient(graph, value, 2)]
    low, high = boxes(rng, number)
    bounds = values.enclose(graph, roots, low, high)
    wrong = 0
    for share in (0.0, 1.0, *rng.random((30, number, 2))):
        points = np.clip(low + share * (high - low), low, high)
        for value_at, bound in zip(run(graph, roots, points).T, bounds, strict=True):
            known = ~np.isnan(value_at)
            width = shrink * (bound.high - bound.low) if shrink else 0.0
            inside = (value_at >= bound.low + width) & (value_at <= bound.high - width)
            wrong += np.count_nonzero(known & ~(inside & ~bound.nowhere)) + np.count_nonzero(~known & ~bound.partly)
    return wrong


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_value_and_no_slope_lies_outside_the_bounds(formula, rng):
    assert outside(formula, rng) <= (40 if formula in AT_POINTS else 0)


def test_bounds_that_are_too_narrow_are_noticed(rng):
    assert outside("t*t - t", rng, shrink=1e-3) > 0
    assert outside("sin(3*t)*cos(u - 2) + abs(t - u)", rng, shrink=0.01) > 0


def test_bounds_of_one_use_of_a_variable_are_the_range(rng):
    low, high = np.array([[-1.0], [0.5], [2.0]]), np.array([[2.0], [1.5], [2.0 + 1e-9]])
    for formula, least, most in (
        ("t**2", [0.0, 0.25, 4.0], [4.0, 2.25, 4.000000004]),
        ("sin(pi*t/2)", [-1.0, np.sqrt(0.5), 0.0], [1.0, 1.0, 0.0]),
        ("abs(t)", [0.0, 0.5, 2.0], [2.0, 1.5, 2.000000001]),
        ("1/t^2", [0.25, 4.0 / 9.0, 0.25], [np.inf, 4.0, 0.25]),  # rounding of t^2 does not lead below 0
    ):
        (found,) = values.enclose(*(lambda graph, value: (graph, [value]))(*parse(formula, ["t"])), low, high)
        np.testing.assert_allclose(found.low, least, atol=4e-9)
        np.testing.assert_allclose(found.high, most, atol=4e-9)


def test_a_box_outside_the_domain_is_told_from_one_across_its_edge():
    graph, value = parse("log(t)", ["t"])
    low, high = np.array([[-2.0], [-1.0], [1.0]]), np.array([[-1.0], [1.0], [2.0]])
    (found,) = values.enclose(graph, [value], low, high)
    assert found.nowhere.tolist() == [True, False, False] and found.partly.tolist() == [True, True, False]
