"""The graph of a formula: each subexpression once, constants computed, trivial operations gone.

Nodes are numbered in the order in which they are made, operands first, so a loop over the numbers is an evaluation and
nothing here needs recursion. Every simplification is exact in floating point, except the product of two constants.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

SHOWN = 72  # characters of a long formula around the place of a mistake

OF_MATH = {"abs": "fabs"}  # names of functions in the module math, if they differ from those in formulas
FUNCTIONS: dict[str, Callable[[float], float]] = {
    name: vars(math)[OF_MATH.get(name, name)]
    for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "tanh", "cosh", "sinh")
}


class Node(NamedTuple):
    """One operation. ``left`` and ``right`` number other nodes, or are -1; ``left`` of a variable is its coordinate.

    ``number`` is the value of a "constant" and the exponent of a "power".
    """

    operation: str
    left: int = -1
    right: int = -1
    number: float = 0.0


class Graph:
    """Nodes, and the operations that make them. ``column`` is the place in the formula that is being read."""

    def __init__(self, formula: str = "") -> None:
        self.formula = formula
        self.column = 0
        self.part = ""  # said in errors: empty for the formula itself
        self.nodes: list[Node] = []
        self.columns: list[int] = []
        self._numbers: dict[tuple[Node, str], int] = {}

    def _node(self, operation: str, left: int = -1, right: int = -1, number: float = 0.0) -> int:
        node = Node(operation, left, right, number)
        key = (node, repr(number))  # the text distinguishes 0.0 and -0.0, which are equal numbers
        if key not in self._numbers:
            self._numbers[key] = len(self.nodes)
            self.nodes.append(node)
            self.columns.append(self.column)
        return self._numbers[key]

    def constant(self, number: float) -> int:
        return self._node("constant", number=float(number))

    def variable(self, coordinate: int) -> int:
        return self._node("variable", coordinate)

    def known(self, node: int) -> float | None:
        """The value of a constant, None for everything else."""
        return self.nodes[node].number if self.nodes[node].operation == "constant" else None

    def _computed(self, words: str, function: Callable[..., float], *numbers: float) -> int:
        try:
            result = function(*numbers)
        except (ArithmeticError, ValueError):
            result = math.nan
        if not math.isfinite(result):
            shown = " and ".join(f"{number:g}" for number in numbers)
            raise mistake(self.formula, self.column, f"{self.part}{words} of {shown} is not a finite number")
        return self.constant(result)

    def add(self, a: int, b: int) -> int:
        x, y = self.known(a), self.known(b)
        if x is not None and y is not None:
            return self._computed("the sum", lambda p, q: p + q, x, y)
        if x == 0.0:
            return b
        if y == 0.0:
            return a
        if a == b:
            return self.multiply(self.constant(2.0), a)
        if self.nodes[b].operation == "negate":
            return self.subtract(a, self.nodes[b].left)
        if self.nodes[a].operation == "negate":
            return self.subtract(b, self.nodes[a].left)
        return self._node("add", min(a, b), max(a, b))

    def subtract(self, a: int, b: int) -> int:
        x, y = self.known(a), self.known(b)
        if x is not None and y is not None:
            return self._computed("the difference", lambda p, q: p - q, x, y)
        if x == 0.0:
            return self.negate(b)
        if y is not None:
            return self.add(a, self.constant(-y))
        if self.nodes[b].operation == "negate":
            return self.add(a, self.nodes[b].left)
        return self._node("subtract", a, b)

    def negate(self, a: int) -> int:
        x, node = self.known(a), self.nodes[a]
        if x is not None:
            return self.constant(-x)
        if node.operation == "negate":
            return node.left
        if node.operation == "subtract":
            return self.subtract(node.right, node.left)
        if node.operation == "multiply" and (factor := self.known(node.left)) is not None:
            return self.multiply(self.constant(-factor), node.right)
        return self._node("negate", a)

    def multiply(self, a: int, b: int) -> int:
        x, y = self.known(a), self.known(b)
        if x is not None and y is not None:
            return self._computed("the product", lambda p, q: p * q, x, y)
        if y is not None:
            a, b, x = b, a, y
        if x is None:
            return self._node("multiply", min(a, b), max(a, b))
        # From here on a is the constant x.
        if x == 0.0:
            return a
        if abs(x) == 1.0:
            return b if x == 1.0 else self.negate(b)
        inner = self.nodes[b]
        if inner.operation == "negate":
            return self.multiply(self.constant(-x), inner.left)
        factor = self.known(inner.left) if inner.operation == "multiply" else None
        if factor is not None and is_normal(x * factor):
            return self.multiply(self.constant(x * factor), inner.right)
        return self._node("multiply", a, b)

    def divide(self, a: int, b: int) -> int:
        x, y = self.known(a), self.known(b)
        if y == 0.0:
            raise mistake(self.formula, self.column, "this divides by zero")
        if x is not None and y is not None:
            return self._computed("the quotient", lambda p, q: p / q, x, y)
        if x == 0.0:
            return a
        if y is not None and abs(math.frexp(y)[0]) == 0.5 and is_normal(1.0 / y):
            return self.multiply(a, self.constant(1.0 / y))  # a power of two: exact, and faster
        return self._node("divide", a, b)

    def power(self, a: int, b: int) -> int:
        """a to the b. An exponent that is no constant makes it exp(b log a), which needs a positive base."""
        x, y = self.known(a), self.known(b)
        if x is not None and y is not None:
            return self._computed("the power", math.pow, x, y)
        if y is not None:
            if y == 0.0:
                return self.constant(1.0)
            return a if y == 1.0 else self._node("power", a, number=y)
        if x is not None and x <= 0.0:
            sentence = "a power whose exponent is not a number needs a positive base"
            raise mistake(self.formula, self.column, sentence)
        return self.call("exp", self.multiply(b, self.call("log", a)))

    def call(self, function: str, a: int) -> int:
        x = self.known(a)
        if x is not None:
            return self._computed(function, FUNCTIONS[function], x)
        return self._node(function, a)

    def sign(self, a: int) -> int:
        """-1, 0 or 1: the derivative of abs."""
        return self._node("sign", a)


def is_normal(number: float) -> bool:
    return sys.float_info.min <= abs(number) <= sys.float_info.max


BINARY: dict[str, Callable[[Graph, int, int], int]] = {
    name: vars(Graph)[name] for name in ("add", "subtract", "multiply", "divide")
}


def needed(graph: Graph, roots: list[int]) -> list[int]:
    """The nodes on which the roots depend, operands first, each as late as the depth-first order allows."""
    order: list[int] = []
    visited: set[int] = set()
    waiting = [(root, False) for root in reversed(roots)]
    while waiting:
        number, is_complete = waiting.pop()
        if is_complete:
            order.append(number)
        elif number not in visited:
            visited.add(number)
            waiting.append((number, True))
            waiting.extend((operand, False) for operand in reversed(operands(graph.nodes[number])))
    return order


def operands(node: Node) -> list[int]:
    """The nodes that a node reads."""
    if node.operation == "variable":
        return []
    return [operand for operand in (node.left, node.right) if operand >= 0]


def mistake(formula: str, column: int, sentence: str) -> ValueError:
    """The error for ``column`` (from 0) of a formula: the sentence, the formula, and a caret under the place."""
    start = max(0, min(column - SHOWN // 2, len(formula) - SHOWN))
    before, after = ("..." if start else ""), ("..." if start + SHOWN < len(formula) else "")
    # One printed character for each of the formula's, so that the caret stands where it should.
    window = "".join(_printed(character) for character in formula[start : start + SHOWN])
    caret = " " * (len(before) + column - start) + "^"
    return ValueError(f"formula, column {column + 1}: {sentence}\n    {before}{window}{after}\n    {caret}")


def _printed(character: str) -> str:
    if character.isspace():
        return " "
    return character if character.isprintable() else "?"
