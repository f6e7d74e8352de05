"""Turns graphs into programs for the tape: one instruction a node, and registers that are used again.

A power becomes products for whole exponents, a square root for halves, and ``pow`` for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from particlegvi.engine.terms import tape
from particlegvi.losses.formulas.derivative import gradient
from particlegvi.losses.formulas.graph import BINARY, FUNCTIONS, Graph, Node, needed, operands
from particlegvi.losses.formulas.parser import checked_variables, parse
from particlegvi.tools.quoting import refuse

LARGEST_PRODUCT = 32.5  # beyond it the rounding of repeated squaring shows, and pow is more accurate
BOTH: dict[str, int] = {name: vars(tape)[name.upper()] for name in BINARY}
CONSTANT_ON_THE_LEFT = {
    "add": tape.ADD_CONSTANT,
    "subtract": tape.CONSTANT_MINUS,
    "multiply": tape.MULTIPLY_CONSTANT,
    "divide": tape.CONSTANT_OVER,
}
CONSTANT_ON_THE_RIGHT = {
    "add": tape.ADD_CONSTANT,
    "multiply": tape.MULTIPLY_CONSTANT,
    "divide": tape.DIVIDE_CONSTANT,
}
ONE_OPERAND: dict[str, int] = {name: vars(tape)[name.upper()] for name in ("negate", *FUNCTIONS, "sign")}


def compile_formula(formula: str, variables: Sequence[str] | str) -> tape.FormulaTape:
    """The tape term of a formula and its gradient: a term like any other loss, but with no compilation of its own.

    The formula is an expression in numbers, the variables, ``pi``, ``+ - * / ** ^``, parentheses, and the functions sin
    cos tan exp log sqrt abs tanh cosh sinh; at most 10,000 characters. A power is x to the y for any y that is a
    number, and exp(y log x) otherwise. Where it is not defined, for example at the logarithm of a negative number, it
    is nan. The variables name each coordinate, in order; one string has names separated by commas or spaces.
    """
    return Assembler().assemble(*graph_of(formula, variables))


def graph_of(formula: str, variables: Sequence[str] | str) -> tuple[Graph, list[int]]:
    """The graph of a formula, powers as products, and its nodes that are the value and the derivatives."""
    names = checked_variables(variables)
    if not isinstance(formula, str):
        raise refuse("formula", formula, "a text")
    graph, value = parse(formula, names)
    return lower(graph, [value, *gradient(graph, value, len(names))])


class Assembler:
    """Programs over one list of ``constants``, to which they refer by number."""

    def __init__(self) -> None:
        self.constants: list[float] = []
        self._places: dict[str, int] = {}

    def place(self, number: float) -> int:
        """Index of a constant in the list."""
        key = repr(number)  # distinguishes 0.0 and -0.0
        if key not in self._places:
            self._places[key] = len(self.constants)
            self.constants.append(number)
        return self._places[key]

    def assemble(self, graph: Graph, roots: list[int]) -> tape.FormulaTape:
        """The tape of a graph whose first root is the value and whose others are the derivatives."""
        dim = len(roots) - 1
        value_program, value_registers = self.program(graph, roots[:1], dim)
        gradient_program, gradient_registers = self.program(graph, roots[1:], dim)
        sizes = np.array([dim, value_registers, gradient_registers], dtype=np.int64)
        return tape.FormulaTape(value_program, gradient_program, np.array([*self.constants, 0.0]), sizes)

    def program(self, graph: Graph, roots: list[int], dim: int) -> tuple[NDArray[np.int64], int]:
        """The program that stores root i in row i of the result, and how many registers it needs.

        The coordinates lie in the first ``dim`` registers. A register is free again after its last use, but not
        already for the instruction that makes this use.
        """
        order = [number for number in needed(graph, roots) if graph.known(number) is None]
        last_use = {operand: place for place, number in enumerate(order) for operand in operands(graph.nodes[number])}
        last_use.update(dict.fromkeys(roots, len(order)))
        rows: list[tuple[int, int, int, int]] = []
        where: dict[int, int] = {}
        free: list[int] = []
        registers = dim
        for place, number in enumerate(order):
            node = graph.nodes[number]
            if node.operation == "variable":
                where[number] = node.left
                continue
            if free:
                where[number] = free.pop()
            else:
                where[number] = registers
                registers += 1
            rows.append(self._instruction(graph, node, where, where[number]))
            for operand in set(operands(node)):
                if last_use[operand] == place and where.get(operand, -1) >= dim:
                    free.append(where[operand])
        for row, root in enumerate(roots):
            constant = graph.known(root)
            if constant is None:
                rows.append((tape.STORE, row, where[root], 0))
            else:
                rows.append((tape.FILL, registers, 0, self.place(constant)))
                rows.append((tape.STORE, row, registers, 0))
        return np.array(rows, dtype=np.int64).reshape(-1, 4), registers + 1

    def _instruction(self, graph: Graph, node: Node, where: dict[int, int], target: int) -> tuple[int, int, int, int]:
        operation, left, right, exponent = node
        if operation == "power":
            return tape.POWER_CONSTANT, target, where[left], self.place(exponent)
        if operation in ONE_OPERAND:
            return ONE_OPERAND[operation], target, where[left], 0
        x, y = graph.known(left), graph.known(right)
        if x is not None:
            return CONSTANT_ON_THE_LEFT[operation], target, where[right], self.place(x)
        if y is not None:
            return CONSTANT_ON_THE_RIGHT[operation], target, where[left], self.place(y)
        return BOTH[operation], target, where[left], where[right]


def lower(graph: Graph, roots: list[int]) -> tuple[Graph, list[int]]:
    """A new graph with the same roots, in which "power" remains only for exponents that need ``pow``."""
    lowered = Graph(graph.formula)
    copies: dict[int, int] = {}
    for number in needed(graph, roots):
        node = graph.nodes[number]
        lowered.column = graph.columns[number]
        copies[number] = _again(lowered, node, copies)
    return lowered, [copies[root] for root in roots]


def _again(graph: Graph, node: Node, copies: dict[int, int]) -> int:
    """The copy of a node in the new graph."""
    operation, left, right, number = node
    if operation == "constant":
        return graph.constant(number)
    if operation == "variable":
        return graph.variable(left)
    if operation == "power":
        return _power(graph, copies[left], number)
    if operation == "negate":
        return graph.negate(copies[left])
    if operation == "sign":
        return graph.sign(copies[left])
    if right >= 0:
        return BINARY[operation](graph, copies[left], copies[right])
    return graph.call(operation, copies[left])


def _power(graph: Graph, a: int, exponent: float) -> int:
    if abs(exponent) > LARGEST_PRODUCT or not (2.0 * exponent).is_integer():
        return graph.power(a, graph.constant(exponent))
    if exponent < 0.0:
        return graph.divide(graph.constant(1.0), _power(graph, a, -exponent))
    whole = int(exponent)
    product = _whole_power(graph, a, whole) if whole else graph.constant(1.0)
    return product if exponent == whole else graph.multiply(product, graph.call("sqrt", a))


def _whole_power(graph: Graph, a: int, exponent: int) -> int:
    """By repeated squaring; the squares are nodes like any others, so the powers of one base share them."""
    product = graph.constant(1.0)
    square = a
    while exponent:
        if exponent & 1:
            product = graph.multiply(product, square)
        exponent >>= 1
        if exponent:
            square = graph.multiply(square, square)
    return product
