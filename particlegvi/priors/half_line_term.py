"""The term of priors on half-lines, for the engine: a sum of powers and logarithms of each coordinate."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array


class HalfLineTerm(NamedTuple):
    """Minus the log density of a prior on half-lines.

    The sum of linear x + square x^2 + power log x + curve (log x - centre)^2 over the coordinates, and a constant.
    """

    constant: float
    linear: Array  # (dim,) each
    square: Array
    power: Array
    curve: Array
    centre: Array

    def value(self, x: Array) -> float:
        total = self.constant
        for i in range(x.shape[0]):
            total += (self.linear[i] + self.square[i] * x[i]) * x[i]
            if self.power[i] != 0.0 or self.curve[i] != 0.0:
                if x[i] > 0.0:
                    log = math.log(x[i])
                    total += self.power[i] * log + self.curve[i] * (log - self.centre[i]) ** 2
                else:
                    total = math.inf
        return total

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = self.linear[i] + 2.0 * self.square[i] * x[i]
            if x[i] > 0.0:
                out[i] += (self.power[i] + 2.0 * self.curve[i] * (math.log(x[i]) - self.centre[i])) / x[i]


def half_line_term(constant: float, **coefficients: Array) -> HalfLineTerm:
    """The term with these coefficients (dim,) each, and zeros for the others."""
    zeros = np.zeros_like(next(iter(coefficients.values())))
    return HalfLineTerm(constant, *(np.array(coefficients.get(key, zeros)) for key in HalfLineTerm._fields[1:]))
