"""A circular valley: a continuum of global minima in the plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Ring(NamedTuple):
    """Ring, a circular valley in the plane.

    ``u^2 / 2`` with ``u = (|x|^2 - radius^2) / (2 radius width)``: every point at distance ``radius`` from the origin
    is a global minimum of value 0, and near it the loss resembles a Gaussian of standard deviation ``width`` across
    the ring. A polynomial, so it is smooth at the origin too.
    """

    radius: float = 2.0
    width: float = 0.4

    name = "ring"
    dim = 2
    source = "the 'Mexican hat' potential"
    plot_window = ((-3.5, 3.5), (-3.5, 3.5))
    positive = ("radius", "width")

    def value(self, x: np.ndarray) -> float:
        u = (x[0] * x[0] + x[1] * x[1] - self.radius * self.radius) / (2.0 * self.radius * self.width)
        return 0.5 * u * u

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        u = (x[0] * x[0] + x[1] * x[1] - self.radius * self.radius) / (2.0 * self.radius * self.width)
        slope = u / (self.radius * self.width)
        out[0] = slope * x[0]
        out[1] = slope * x[1]
