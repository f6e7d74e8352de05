"""Formulas that come without their variables, and formulas evaluated by numpy."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi import Loss, losses
from particlegvi.losses.formulas.parser import is_formula, variables_of
from particlegvi.losses.formulas.plain import PlainFormula

FORMULAS = [
    "x^2/2 + 3*cos(2*y) + y^2/4",
    "3/2*(t**4/4 + t**3/3 - t**2) - 3/8",
    "abs(b - 1) + sqrt(1 + a^2)*exp(-b)",
    "log(1 + x^2)/(2 + sin(x)) - tanh(x)*cosh(x/3) + 2^x",
    "(x^2 + 1)^0.3 - tan(x/9) + sinh(x/5)*3",
    "-x^-2",
]


@pytest.mark.parametrize(
    ("formula", "variables"),
    [
        ("x^2", ["x"]),
        ("y + x*y + sin(a)", ["y", "x", "a"]),
        ("pi*theta_1^2 + exp(theta_2)", ["theta_1", "theta_2"]),
        ("foo(t) + t", ["t"]),
        ("beta^2 + alpha", ["beta", "alpha"]),
        ("sin (z)", ["z"]),
    ],
)
def test_variables_come_in_the_order_in_which_they_appear(formula, variables):
    assert variables_of(formula) == variables


@pytest.mark.parametrize("formula", ["5", "pi + 1", "sin(2)", ""])
def test_a_formula_without_a_variable_is_refused(formula):
    with pytest.raises(ValueError, match="formula must be one with a variable"):
        variables_of(formula)


def test_names_are_no_formulas():
    assert not any(is_formula(name) for name in [*losses.names(), "double-wel", "x", "no_such", "Ring"])
    assert all(is_formula(text) for text in ["x^2", "2*x", "x + y", "cos(t)", "(x-1)^2", "-x", "x - 1"])


@pytest.mark.parametrize("formula", FORMULAS)
def test_numpy_gives_what_the_engine_gives(formula, rng):
    names = variables_of(formula)
    own, loss = PlainFormula(formula, names), Loss.from_formula(formula, names)
    points = rng.normal(size=(50, len(names)))
    np.testing.assert_allclose(own.values_at(points), loss.value(points), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(own.gradients_at(points), loss.gradient(points), rtol=1e-11, atol=1e-12)
    assert np.abs(own.gradients_at(points) - 1.001 * loss.gradient(points)).max() > 1e-6  # control
