"""The loss of Figure 2.2: two equal wells on the line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class DoubleWell(NamedTuple):
    """Double well.

    ``height * (t + 1)^2 (t - 1)^2``: two global minima of value 0 at -1 and 1, and a barrier of ``height`` at 0.
    """

    height: float = 3.0

    name = "double-well"
    dim = 1
    source = "thesis, Figure 2.2"
    plot_window = ((-2.0, 2.0),)
    minima = ((-1.0,), (1.0,))
    positive = ("height",)

    def value(self, x: np.ndarray) -> float:
        t = x[0]
        well = (t + 1.0) * (t - 1.0)
        return self.height * well * well

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        t = x[0]
        out[0] = 4.0 * self.height * t * (t + 1.0) * (t - 1.0)
