"""A loss as instructions for the browser, in the package's order of operations: an added loss needs no JavaScript.

A row is an operation with the numbers of earlier rows, a "variable" with its coordinate, or a "constant" with its
number. The rows of a formula are the nodes of its graph. Any other loss is recorded: its methods are called
once, in plain Python, with operands that write down the arithmetic. A loss that decides by its numbers, or calls
anything but ``math``, cannot be recorded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.losses.formulas.assembler import graph_of
from particlegvi.losses.formulas.graph import FUNCTIONS, needed
from particlegvi.losses.loss import Loss

MOST_ROWS = 5000
Row = list[str | int | float]


class NoProgram(Exception):
    """The loss cannot be recorded."""


def program_of(loss: Loss) -> Facts:
    """The rows of a loss, and the numbers of those that are its value and its slopes; raises `NoProgram`."""
    if loss.formula is not None:
        rows, (value, *slopes) = _of_formula(loss.formula, loss.variables)
    else:
        rows, (value, *slopes) = _of_term(loss.term, loss.dim)
    if len(rows) > MOST_ROWS:
        raise NoProgram
    return {"rows": rows, "value": value, "slopes": slopes}


def _of_formula(formula: str, variables: list[str]) -> tuple[list[Row], list[int]]:
    graph, roots = graph_of(formula, variables)
    rows: list[Row] = []
    places: dict[int, int] = {}
    for number in needed(graph, roots):
        operation, left, right, constant = graph.nodes[number]
        row: Row
        if operation == "constant":
            row = [operation, constant]
        elif operation == "variable":
            row = [operation, left]
        elif operation == "power":
            rows.append(["constant", constant])
            row = [operation, places[left], len(rows) - 1]
        else:
            row = [operation, *(places[operand] for operand in (left, right) if operand >= 0)]
        rows.append(row)
        places[number] = len(rows) - 1
    return rows, [places[root] for root in roots]


def _of_term(term: object, dim: int) -> tuple[list[Row], list[int]]:
    rows: list[Row] = []
    x, slopes = np.empty(dim, dtype=object), np.empty(dim, dtype=object)
    for coordinate in range(dim):
        x[coordinate] = Operand(rows, "variable", coordinate)
    try:
        value = _recording(type(term), "value")(term, x)
        _recording(type(term), "gradient")(term, x, slopes)
        return rows, [_place(rows, result) for result in (value, *slopes)]
    except Exception:  # whatever the code of a user does with numbers that are none
        raise NoProgram from None


def _recording(kind: type, name: str) -> Callable[..., object]:
    """A method of a term whose ``math`` records."""
    method = vars(kind)[name]
    return FunctionType(method.__code__, {**method.__globals__, "math": RecordingMath()})


class Operand:
    """A number while a loss is recorded: a row."""

    __array_ufunc__ = None  # numpy leaves products with its numbers to the methods below

    def __init__(self, rows: list[Row], *row: str | float) -> None:
        self.rows, self.place = rows, len(rows)
        rows.append(list(row))
        if len(rows) > MOST_ROWS:
            raise NoProgram

    def apply(self, operation: str, *operands: object) -> Operand:
        return Operand(self.rows, operation, *(_place(self.rows, operand) for operand in operands))

    def __add__(self, other: object) -> Operand:
        return self.apply("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Operand:
        return self.apply("subtract", self, other)

    def __rsub__(self, other: object) -> Operand:
        return self.apply("subtract", other, self)

    def __mul__(self, other: object) -> Operand:
        return self.apply("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Operand:
        return self.apply("divide", self, other)

    def __rtruediv__(self, other: object) -> Operand:
        return self.apply("divide", other, self)

    def __neg__(self) -> Operand:
        return self.apply("negate", self)

    def __gt__(self, other: object) -> Operand:
        """1, 0 or a half where they are equal: the difference of x > 0 and x < 0 is the sign of x."""
        difference = self - other
        return 0.5 + 0.5 * difference.apply("sign", difference)

    def __lt__(self, other: object) -> Operand:
        difference = other - self
        return 0.5 + 0.5 * difference.apply("sign", difference)

    def __bool__(self) -> bool:
        raise NoProgram  # the loss decides by its numbers


class RecordingMath:
    """The module ``math``, which records its functions of an `Operand`."""

    def __getattr__(self, name: str) -> object:
        known = vars(math)[name]
        operation = {"fabs": "abs"}.get(name, name)

        def call(x: object) -> object:
            if not isinstance(x, Operand):
                return known(x)
            if name == "log1p":
                shifted = 1.0 + x
                return shifted.apply("log", shifted)
            if operation not in FUNCTIONS:
                raise NoProgram
            return x.apply(operation, x)

        return call if callable(known) else known


def _place(rows: list[Row], value: object) -> int:
    if isinstance(value, Operand):
        return value.place
    rows.append(["constant", float(value)])  # type: ignore[arg-type]  # an error says that it is no number
    return len(rows) - 1
