"""Formulas evaluated with numpy, node by node: for a few thousand points, where compiling anything is not worth it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from particlegvi.contracts import Array
from particlegvi.losses.formulas.derivative import gradient
from particlegvi.losses.formulas.graph import Graph, needed
from particlegvi.losses.formulas.parser import parse

TWO: dict[str, np.ufunc] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide
}  # fmt: skip
ONE: dict[str, np.ufunc] = {
    "negate": np.negative, "sin": np.sin, "cos": np.cos, "tan": np.tan, "exp": np.exp, "log": np.log,
    "sqrt": np.sqrt, "abs": np.abs, "tanh": np.tanh, "cosh": np.cosh, "sinh": np.sinh, "sign": np.sign,
}  # fmt: skip


class PlainFormula:
    """A formula and its gradient, equal to the engine's up to rounding.

    Parameters
    ----------
    formula : str
    variables : sequence of str
        The name of each coordinate, in order.
    """

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
            operation, left, right, exponent = graph.nodes[number]
            if operation == "constant":
                known[number] = np.full(len(points), exponent)
            elif operation == "variable":
                known[number] = points[:, left]
            elif operation == "power":
                known[number] = np.power(known[left], exponent)
            elif right >= 0:
                known[number] = TWO[operation](known[left], known[right])
            else:
                known[number] = ONE[operation](known[left])
    return np.stack([known[root] for root in roots], axis=1)
