"""Random formulas, each with three independent readings: its text, its value, and its derivative by dual numbers.

Values carry bounds on their own rounding error, so that the tests' tolerance comes from the expression itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

EPS = 2.0**-52
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "sign": 3, "**": 4, "atom": 5}


class Number(NamedTuple):
    """A value and its gradient, each with a bound on the rounding error."""

    value: float
    error: float
    slopes: np.ndarray
    slope_errors: np.ndarray


def function_of(x: Number, value: float, first: float, second: float, extra: float = 4.0) -> Number:
    """f(x) from f, |f'| and a bound on |f''| at x."""
    slopes = first * x.slopes
    errors = abs(first) * x.slope_errors + (abs(second) * x.error + extra * EPS * abs(first)) * np.abs(x.slopes)
    return Number(value, abs(first) * x.error + extra * EPS * abs(value), slopes, errors + 4 * EPS * np.abs(slopes))


def plus(x: Number, y: Number, sign: float = 1.0) -> Number:
    value = x.value + sign * y.value
    slopes = x.slopes + sign * y.slopes
    size = np.abs(x.slopes) + np.abs(y.slopes)
    return Number(value, x.error + y.error + EPS * abs(value), slopes, x.slope_errors + y.slope_errors + 4 * EPS * size)


def times(x: Number, y: Number) -> Number:
    value = x.value * y.value
    error = abs(x.value) * y.error + abs(y.value) * x.error + EPS * abs(value)
    a, b = np.abs(x.slopes), np.abs(y.slopes)
    errors = abs(x.value) * y.slope_errors + abs(y.value) * x.slope_errors + a * y.error + b * x.error
    size = a * abs(y.value) + b * abs(x.value)
    return Number(value, error, x.slopes * y.value + y.slopes * x.value, errors + 8 * EPS * size)


def over(x: Number, y: Number) -> Number:
    return times(x, function_of(y, 1 / y.value, -1 / y.value**2, 2 / abs(y.value) ** 3))


def power(x: Number, n: int) -> Number:
    v = x.value
    return function_of(x, v**n, n * v ** (n - 1), n * (n - 1) * abs(v) ** (n - 2), extra=4.0 * abs(n) + 8)


def apply(name: str, x: Number) -> Number:
    v = x.value
    if name == "sin":
        return function_of(x, math.sin(v), math.cos(v), 1.0, 4 / max(abs(math.sin(v)), 1e-2))
    if name == "cos":
        return function_of(x, math.cos(v), -math.sin(v), 1.0, 4 / max(abs(math.cos(v)), 1e-2))
    if name == "exp":
        return function_of(x, math.exp(v), math.exp(v), math.exp(v))
    if name == "tanh":
        return function_of(x, math.tanh(v), 1 / math.cosh(v) ** 2, 1.0)
    if name == "cosh":
        return function_of(x, math.cosh(v), math.sinh(v), math.cosh(v))
    if name == "sinh":
        return function_of(x, math.sinh(v), math.cosh(v), math.cosh(v))
    if name == "abs":
        return function_of(x, abs(v), math.copysign(1.0, v), 0.0)
    if name == "sqrt":
        return function_of(x, math.sqrt(v), 0.5 / math.sqrt(v), 0.25 / v**1.5)
    if name == "log":
        return function_of(x, math.log(v), 1 / v, 1 / v**2, 4 / max(abs(math.log(v)), 1e-2))
    raise AssertionError(name)


class Expression(NamedTuple):
    text: str
    precedence: int
    numbers: list[Number]  # its reading at each point


def random_expression(rng: np.random.Generator, variables: list[str], points: np.ndarray, depth: int) -> Expression:
    """A formula of at most ``depth`` levels, written with as few parentheses as precedence allows."""
    dim = len(variables)
    zero = np.zeros(dim)
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.6:
            which = int(rng.integers(dim))
            unit = np.eye(dim)[which]
            return Expression(variables[which], 5, [Number(point[which], 0.0, unit, zero) for point in points])
        text, value = [("2", 2.0), ("0.5", 0.5), ("3e0", 3.0), ("1.25", 1.25), ("pi", math.pi)][int(rng.integers(5))]
        return Expression(text, 5, [Number(value, 0.0, zero, zero)] * len(points))
    kind = rng.choice(["+", "-", "*", "/", "sign", "**", "call"])
    left = random_expression(rng, variables, points, depth - 1)
    if kind == "sign":
        return Expression("-" + _wrapped(left, 3, rng), 3, [times(n, _constant(-1.0, dim)) for n in left.numbers])
    if kind == "**":
        n = int(rng.integers(2, 5))
        return Expression(f"{_wrapped(left, 5, rng)}**{n}", 4, [power(number, n) for number in left.numbers])
    if kind == "call":
        name = str(rng.choice(["sin", "cos", "exp", "tanh", "cosh", "sinh", "abs", "sqrt", "log"]))
        return Expression(f"{name}({left.text})", 5, [apply(name, number) for number in left.numbers])
    right = random_expression(rng, variables, points, depth - 1)
    precedence = PRECEDENCE[kind]
    text = f"{_wrapped(left, precedence, rng)} {kind} {_wrapped(right, precedence + 1, rng)}"
    operation = {"+": plus, "-": lambda x, y: plus(x, y, -1.0), "*": times, "/": over}[kind]
    return Expression(text, precedence, [operation(x, y) for x, y in zip(left.numbers, right.numbers, strict=True)])


def _constant(value: float, dim: int) -> Number:
    return Number(value, 0.0, np.zeros(dim), np.zeros(dim))


def _wrapped(expression: Expression, precedence: int, rng: np.random.Generator) -> str:
    needed = expression.precedence < precedence
    return f"({expression.text})" if needed or rng.random() < 0.1 else expression.text
