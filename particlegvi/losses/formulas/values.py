"""Values of formulas without compiled code: bounds over boxes by interval arithmetic (Moore 1966), and by numpy.

The bounds are rounded outwards, so that they hold for the exact function, and not only for its floats. numpy evaluates
formulas at a few thousand points, where compiling is not worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.losses.formulas.derivative import gradient
from particlegvi.losses.formulas.graph import BINARY, FUNCTIONS, Graph, Node, needed, operands
from particlegvi.losses.formulas.parser import parse

Flags = NDArray[np.bool_]
HALF_PI = 0.5 * np.pi
LARGEST_ANGLE = 1e8  # beyond it the float of pi does not tell where the extremes of a sine are


class Interval(NamedTuple):
    """Lower and upper bounds (n,) of a value over n boxes, and where the value is undefined."""

    low: Array
    high: Array
    partly: Flags  # (n,) bool: perhaps undefined somewhere in the box
    nowhere: Flags  # (n,) bool: certainly undefined in the whole box


def enclose(graph: Graph, roots: list[int], low: Array, high: Array) -> list[Interval]:
    """Bounds of the roots over the boxes from ``low`` to ``high``, both (n, dim) and finite."""
    known: dict[int, Interval] = {}
    defined = np.zeros(len(low), dtype=bool)
    with np.errstate(all="ignore"):
        for number in needed(graph, roots):
            node = graph.nodes[number]
            if node.operation == "constant":
                value = np.full(len(low), node.number)
                known[number] = Interval(value, value, defined, defined)
            elif node.operation == "variable":
                known[number] = Interval(low[:, node.left], high[:, node.left], defined, defined)
            else:
                known[number] = _of(node, known)
    return [known[root] for root in roots]


def _of(node: Node, known: dict[int, Interval]) -> Interval:
    a = known[node.left]
    if node.right >= 0:
        b = known[node.right]
        square = node == ("multiply", node.left, node.left, 0.0)
        low, high = _power(a, 2.0) if square else TWO[node.operation](a, b)
        positive = square | ((a.low >= 0.0) & (b.low >= 0.0) & (node.operation != "subtract"))
        partly, nowhere = a.partly | b.partly, a.nowhere | b.nowhere
    else:
        least = DOMAIN.get(node.operation, -np.inf)
        whole = node.number.is_integer() if node.operation == "power" else True
        least = least if whole else 0.0
        partly, nowhere = a.partly | (a.low < least), a.nowhere | (a.high < least)
        inside = a._replace(low=np.maximum(a.low, least), high=np.maximum(a.high, least))
        even = node.operation == "power" and node.number % 2.0 == 0.0
        positive = (inside.low >= 0.0) & (node.operation in KEEPS_SIGN) | even | (node.operation in POSITIVE)
        if node.operation == "power":
            low, high = _power(inside, node.number)
        elif node.operation in RISING:
            low, high = UFUNCS[node.operation](inside.low), UFUNCS[node.operation](inside.high)
        else:
            low, high = ONE[node.operation](inside)
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    low, high = _outwards(low, high)
    # a square is not below 0: with a lower bound of -1e-323 its inverse would have none
    return Interval(np.where(positive, np.maximum(low, 0.0), low), high, partly, nowhere)


def _outwards(low: Array, high: Array) -> tuple[Array, Array]:
    """Two floats further out on either side: the functions of numpy are right to the last digit or the one before."""
    for _ in range(2):
        low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    return low, high


def _multiply(a: Interval, b: Interval) -> tuple[Array, Array]:
    products = np.stack([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
    products[np.isnan(products)] = 0.0  # zero times an infinite bound, which no value reaches
    return products.min(axis=0), products.max(axis=0)


def _divide(a: Interval, b: Interval) -> tuple[Array, Array]:
    low = np.where((b.low < 0.0) & (b.high >= 0.0), -np.inf, 1.0 / np.where(b.high == 0.0, -0.0, b.high))
    high = np.where((b.low <= 0.0) & (b.high > 0.0), np.inf, 1.0 / np.where(b.low == 0.0, 0.0, b.low))
    inverse = b._replace(low=np.nextafter(low, -np.inf), high=np.nextafter(high, np.inf))
    return _multiply(a, inverse)


def _power(a: Interval, exponent: float) -> tuple[Array, Array]:
    if exponent < 0.0:
        low, high = _power(a, -exponent)
        one = np.ones_like(low)
        return _divide(a._replace(low=one, high=one), a._replace(low=low, high=high))
    if exponent % 2.0 == 0.0:
        a = _absolute(a)
    return a.low**exponent, a.high**exponent


def _absolute(a: Interval) -> Interval:
    across = (a.low <= 0.0) & (a.high >= 0.0)
    small, large = np.minimum(np.abs(a.low), np.abs(a.high)), np.maximum(np.abs(a.low), np.abs(a.high))
    return a._replace(low=np.where(across, 0.0, small), high=large)


def _cosine(a: Interval, top: float = 0.0) -> tuple[Array, Array]:
    """Bounds of the wave that is 1 at ``top`` and at every 2 pi from there."""
    slack = 1e-15 * (1.0 + np.maximum(np.abs(a.low), np.abs(a.high)))
    unknown = ~(np.maximum(np.abs(a.low), np.abs(a.high)) < LARGEST_ANGLE)

    def holds(place: float) -> Flags:
        first = np.ceil((a.low - slack - place) / (2.0 * np.pi))
        return (first * 2.0 * np.pi + place <= a.high + slack) | unknown

    wave = np.cos if top == 0.0 else np.sin
    ends = np.stack([wave(a.low), wave(a.high)])
    low = np.where(holds(top + np.pi), -1.0, ends.min(axis=0) - slack)
    return low, np.where(holds(top), 1.0, ends.max(axis=0) + slack)


def _tangent(a: Interval) -> tuple[Array, Array]:
    """The whole line where there may be a pole."""
    branch = [np.floor((end + sign * 1e-12 * (1.0 + np.abs(end)) + HALF_PI) / np.pi)
              for end, sign in ((a.low, -1.0), (a.high, 1.0))]  # fmt: skip
    pole = (branch[0] != branch[1]) | ~(np.maximum(np.abs(a.low), np.abs(a.high)) < LARGEST_ANGLE)
    return np.where(pole, -np.inf, np.tan(a.low)), np.where(pole, np.inf, np.tan(a.high))


TWO: dict[str, Callable[[Interval, Interval], tuple[Array, Array]]] = {
    "add": lambda a, b: (a.low + b.low, a.high + b.high), "subtract": lambda a, b: (a.low - b.high, a.high - b.low),
    "multiply": _multiply, "divide": _divide,
}  # fmt: skip
ONE: dict[str, Callable[[Interval], tuple[Array, Array]]] = {
    "negate": lambda a: (-a.high, -a.low), "abs": lambda a: _absolute(a)[:2],
    "cosh": lambda a: (np.cosh(_absolute(a).low), np.cosh(_absolute(a).high)),
    "sin": lambda a: _cosine(a, HALF_PI), "cos": _cosine, "tan": _tangent,
}  # fmt: skip
RISING = ("exp", "log", "sqrt", "tanh", "sinh", "sign")  # their bounds are their values at the ends
POSITIVE = ("abs", "exp", "sqrt", "cosh")  # never negative
KEEPS_SIGN = ("power", "tanh", "sinh", "sign")  # not negative where the argument is not
DOMAIN = {"log": 0.0, "sqrt": 0.0}  # the least argument


UFUNCS: dict[str, np.ufunc] = {name: vars(np)[name] for name in (*BINARY, *FUNCTIONS, "sign")} | {"negate": np.negative}


class PlainFormula:
    """A formula of variables, one for each coordinate, and its gradient, equal to the engine's up to rounding."""

    def __init__(self, formula: str, variables: Sequence[str]) -> None:
        self._graph, self._value = parse(formula, variables)
        self._gradient = gradient(self._graph, self._value, len(variables))

    def values_at(self, points: Array) -> Array:
        """The formula at points (n, dim), (n,)."""
        return run(self._graph, [self._value], points)[:, 0]

    def gradients_at(self, points: Array) -> Array:
        """Its gradient at points (n, dim), (n, dim)."""
        return run(self._graph, self._gradient, points)


def run(graph: Graph, roots: list[int], points: Array) -> Array:
    """The values of the roots at points (n, dim), (n, roots)."""
    known: dict[int, Array] = {}
    with np.errstate(all="ignore"):
        for number in needed(graph, roots):
            node = graph.nodes[number]
            if node.operation == "constant":
                known[number] = np.full(len(points), node.number)
            elif node.operation == "variable":
                known[number] = points[:, node.left]
            elif node.operation == "power":
                known[number] = np.power(known[node.left], node.number)
            else:
                known[number] = UFUNCS[node.operation](*(known[operand] for operand in operands(node)))
    return np.stack([known[root] for root in roots], axis=1)
