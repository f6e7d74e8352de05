"""The loss of Figure 5.2: two wells of different depth on the line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class TiltedDoubleWell(NamedTuple):
    """Tilted double well.

    ``scale * (3/2 (t^4/4 + t^3/3 - t^2) - 3/8)``: the global minimum is at -2, a local one at 1 and the barrier
    between them at 0, with the values -35/8, -1 and -3/8 times ``scale``.
    """

    scale: float = 1.0

    name = "tilted-double-well"
    dim = 1
    source = "thesis, Figure 5.2 and C.7.1"
    plot_window = ((-3.5, 2.5),)
    minima = ((-2.0,), (1.0,))
    positive = ("scale",)

    def value(self, x: np.ndarray) -> float:
        t = x[0]
        return self.scale * (1.5 * t * t * (0.25 * t * t + t / 3.0 - 1.0) - 0.375)

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        t = x[0]
        out[0] = self.scale * 1.5 * t * (t + 2.0) * (t - 1.0)
