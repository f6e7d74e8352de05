"""Formulas as instruction tapes: one compiled interpreter runs every formula, so that none is compiled by itself.

An instruction is a row (operation, target, left, right) and works on whole rows of ``lanes`` points at a time: the
price of looking it up is paid once for the row. ``left`` and ``right`` number registers, or ``right`` a constant where
the operation's name says so. A target is never one of its own operands, which lets the loops be vectorised.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import OPTIONS

ADD, SUBTRACT, MULTIPLY, DIVIDE = 0, 1, 2, 3
ADD_CONSTANT, MULTIPLY_CONSTANT, CONSTANT_MINUS, DIVIDE_CONSTANT, CONSTANT_OVER, POWER_CONSTANT = 4, 5, 6, 7, 8, 9
FILL, STORE = 10, 11
NEGATE, SIN, COS, TAN, EXP, LOG, SQRT, ABS, TANH, COSH, SINH, SIGN = 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23


class _TapeFields(NamedTuple):
    value_program: NDArray[np.int64]  # (instructions, 4)
    gradient_program: NDArray[np.int64]
    constants: NDArray[np.float64]
    sizes: NDArray[np.int64]  # dim, registers of the value program, registers of the gradient program


class FormulaTape(_TapeFields):
    """A formula and its gradient, ready to run; made by `particlegvi.losses.formulas.assembler.compile_formula`.

    Both programs come from one graph of the formula and its derivatives, each with the nodes that it needs. The
    coordinates of a point start in registers 0, ..., dim - 1; STORE writes a register to a row of the result.
    """

    __slots__ = ()

    name = "formula"

    @property
    def dim(self) -> int:
        return int(self.sizes[0])

    def values(self, points, out):
        registers = np.empty((self.sizes[1], points.shape[1]))
        run(self.value_program, self.constants, points, registers, out.reshape((1, points.shape[1])))

    def gradients(self, points, out):
        registers = np.empty((self.sizes[2], points.shape[1]))
        run(self.gradient_program, self.constants, points, registers, out)

    def value(self, x):
        point = np.empty((x.shape[0], 1))
        point[:, 0] = x
        result = np.empty((1, 1))
        run(self.value_program, self.constants, point, np.empty((self.sizes[1], 1)), result)
        return result[0, 0]

    def gradient(self, x, out):
        point = np.empty((x.shape[0], 1))
        point[:, 0] = x
        result = np.empty((x.shape[0], 1))
        run(self.gradient_program, self.constants, point, np.empty((self.sizes[2], 1)), result)
        out[:] = result[:, 0]


@numba.njit(**OPTIONS)  # not nested, because Python calls it too, at a single point
def run(program, constants, points, registers, out):
    """Run a program at the columns of ``points`` (dim, lanes), with ``registers`` (count, lanes) as scratch."""
    lanes = points.shape[1]
    for i in range(points.shape[0]):
        for lane in range(lanes):
            registers[i, lane] = points[i, lane]
    for step in range(program.shape[0]):
        operation = program[step, 0]
        target = program[step, 1]
        a = program[step, 2]
        b = program[step, 3]
        if operation == ADD:
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] + registers[b, lane]
        elif operation == SUBTRACT:
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] - registers[b, lane]
        elif operation == MULTIPLY:
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] * registers[b, lane]
        elif operation == DIVIDE:
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] / registers[b, lane]
        elif operation == ADD_CONSTANT:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] + constant
        elif operation == MULTIPLY_CONSTANT:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] * constant
        elif operation == CONSTANT_MINUS:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = constant - registers[a, lane]
        elif operation == DIVIDE_CONSTANT:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = registers[a, lane] / constant
        elif operation == CONSTANT_OVER:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = constant / registers[a, lane]
        elif operation == POWER_CONSTANT:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = mathematics.pow(registers[a, lane], constant)
        elif operation == FILL:
            constant = constants[b]
            for lane in range(lanes):
                registers[target, lane] = constant
        elif operation == STORE:
            for lane in range(lanes):
                out[target, lane] = registers[a, lane]
        elif operation == NEGATE:
            for lane in range(lanes):
                registers[target, lane] = -registers[a, lane]
        elif operation == SIN:
            for lane in range(lanes):
                registers[target, lane] = mathematics.sin(registers[a, lane])
        elif operation == COS:
            for lane in range(lanes):
                registers[target, lane] = mathematics.cos(registers[a, lane])
        elif operation == TAN:
            for lane in range(lanes):
                registers[target, lane] = mathematics.tan(registers[a, lane])
        elif operation == EXP:
            for lane in range(lanes):
                registers[target, lane] = mathematics.exp(registers[a, lane])
        elif operation == LOG:
            for lane in range(lanes):
                registers[target, lane] = mathematics.log(registers[a, lane])
        elif operation == SQRT:
            for lane in range(lanes):
                registers[target, lane] = mathematics.sqrt(registers[a, lane])
        elif operation == ABS:
            for lane in range(lanes):
                registers[target, lane] = mathematics.fabs(registers[a, lane])
        elif operation == TANH:
            for lane in range(lanes):
                registers[target, lane] = mathematics.tanh(registers[a, lane])
        elif operation == COSH:
            for lane in range(lanes):
                registers[target, lane] = mathematics.cosh(registers[a, lane])
        elif operation == SINH:
            for lane in range(lanes):
                registers[target, lane] = mathematics.sinh(registers[a, lane])
        elif operation == SIGN:
            for lane in range(lanes):
                x = registers[a, lane]
                registers[target, lane] = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)
