"""A funnel: the scale of all other coordinates varies exponentially with the first."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.tools import arguments


class Funnel(NamedTuple("Funnel", [("sd", float), ("coordinates", float)])):
    """Neal's funnel.

    Minus the log density of ``v ~ N(0, sd^2)`` and ``y_i | v ~ N(0, exp(v))``, with ``x = (v, y_1, ..., y_(dim-1))``:

        v^2 / (2 sd^2) + exp(-v) |y|^2 / 2 + (dim - 1) v / 2 + constant

    The constant makes ``exp(-loss)`` integrate to one. In the neck, v towards -10, the curvature is as large as
    ``exp(10)``: no one step size suits the whole funnel.

    Parameters
    ----------
    sd : float
        Standard deviation of ``v``, on which the width of the neck depends.
    dim : int
        Number of coordinates, at least 2.
    """

    __slots__ = ()

    name = "funnel"
    source = "Neal (2003), Slice sampling, section 8"
    positive = ("sd",)

    def __new__(cls, sd: float = 3.0, dim: float = 2) -> Funnel:
        coordinates = arguments.whole("dim of funnel", dim, 2, arguments.MOST_COORDINATES)
        return super().__new__(cls, float(sd), float(coordinates))

    @property
    def dim(self) -> int:
        return int(self.coordinates)

    @property
    def plot_window(self) -> tuple[tuple[float, float], ...]:
        return ((-2.5 * self.sd, 2.5 * self.sd),) + ((-12.0, 12.0),) * (self.dim - 1)

    def value(self, x: np.ndarray) -> float:
        v = x[0]
        squares = 0.0
        for i in range(1, x.shape[0]):
            squares += x[i] * x[i]
        constant = 0.5 * self.coordinates * math.log(2.0 * math.pi) + math.log(self.sd)
        rest = 0.5 * (self.coordinates - 1.0) * v
        return 0.5 * v * v / (self.sd * self.sd) + 0.5 * math.exp(-v) * squares + rest + constant

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        v = x[0]
        precision = math.exp(-v)
        squares = 0.0
        for i in range(1, x.shape[0]):
            squares += x[i] * x[i]
            out[i] = precision * x[i]
        out[0] = v / (self.sd * self.sd) - 0.5 * precision * squares + 0.5 * (self.coordinates - 1.0)
