"""The loss of Figures 5.3 and C.1: minus the log density of four Gaussians at the corners of a square."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class FourGaussians(NamedTuple):
    """Four Gaussians at the corners of a square.

    ``-log sum_i 1/4 N(x; m_i, sd^2 I)`` with ``m_i = (+-offset, +-offset)``. The mixture is a product of one
    two-component mixture per coordinate, so the loss is a sum of terms

        (|x_i| - offset)^2 / (2 sd^2) - log(1 + exp(-2 offset |x_i| / sd^2)) + log(2 sd sqrt(2 pi))

    in which nothing overflows or cancels, however far away ``x`` is. Where ``offset`` is less than ``sd`` the four
    modes are one.
    """

    offset: float = 3.0
    sd: float = 1.0

    name = "four-gaussians"
    dim = 2
    source = "thesis, Figure 5.3 and C.7.2"
    positive = ("offset", "sd")

    @property
    def plot_window(self) -> tuple[tuple[float, float], ...]:
        reach = self.offset + 3.0 * self.sd
        return ((-reach, reach),) * 2

    @property
    def minima(self) -> tuple[tuple[float, float], ...]:
        if self.offset <= self.sd:
            return ((0.0, 0.0),)
        at = self.offset
        for _ in range(1000):  # from above, the solutions of t = offset tanh(offset t / sd^2) are approached steadily
            at = self.offset * math.tanh(self.offset * at / (self.sd * self.sd))
        return ((-at, -at), (-at, at), (at, -at), (at, at))

    def value(self, x: np.ndarray) -> float:
        precision = 1.0 / (self.sd * self.sd)
        rate = 2.0 * self.offset * precision
        total = 2.0 * math.log(2.0 * self.sd * math.sqrt(2.0 * math.pi))
        for i in range(2):
            distance = math.fabs(x[i])
            gap = distance - self.offset
            total += 0.5 * precision * gap * gap - math.log1p(math.exp(-rate * distance))
        return total

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        precision = 1.0 / (self.sd * self.sd)
        rate = self.offset * precision
        for i in range(2):
            out[i] = precision * (x[i] - self.offset * math.tanh(rate * x[i]))

    def gradients(self, points: np.ndarray, out: np.ndarray) -> None:
        """Gradients of a block (dim, lanes), with the lanes innermost so that the tanh is vectorised."""
        precision = 1.0 / (self.sd * self.sd)
        rate = self.offset * precision
        for i in range(2):
            for lane in range(points.shape[1]):
                out[i, lane] = precision * (points[i, lane] - self.offset * math.tanh(rate * points[i, lane]))
