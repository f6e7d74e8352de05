"""The loss of Figure 5.4: countably many equal minima on the line."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class AbsSine(NamedTuple):
    """Absolute sine, with more minima than particles.

    ``-depth |sin t|``: minima of value ``-depth`` at pi/2 + i pi for every integer i, and kinks of value 0 at i pi,
    where the derivative jumps; at a kink the gradient is defined as 0. The thesis looks at [-1000 pi, 1000 pi], which
    holds 2000 minima.
    """

    depth: float = 1.0

    name = "abs-sine"
    dim = 1
    source = "thesis, Figure 5.4 and C.7.3"
    plot_window = ((-4.0 * math.pi, 4.0 * math.pi),)
    positive = ("depth",)

    def value(self, x: np.ndarray) -> float:
        return -self.depth * math.fabs(math.sin(x[0]))

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        height = math.sin(x[0])
        sign = (height > 0.0) - (height < 0.0)
        out[0] = -self.depth * sign * math.cos(x[0])
