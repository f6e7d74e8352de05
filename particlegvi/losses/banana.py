"""A curved, narrow valley in the plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Banana(NamedTuple):
    """Banana, a curved valley in the plane.

    Rosenbrock's function ``scale * (steepness (y - x^2)^2 + (minimum - x)^2)``, with its one minimum of value 0 at
    ``(minimum, minimum^2)``. At the defaults ``exp(-loss)`` is the test density of Goodman and Weare, and the curvature
    at the minimum is 50 across the valley and 0.02 along it.
    """

    scale: float = 0.05
    steepness: float = 100.0
    minimum: float = 1.0

    name = "banana"
    dim = 2
    source = "Rosenbrock (1960); Goodman and Weare (2010), equation 32"
    plot_window = ((-3.0, 4.0), (-1.0, 9.0))
    positive = ("scale", "steepness")

    @property
    def minima(self) -> tuple[tuple[float, float], ...]:
        return ((self.minimum, self.minimum * self.minimum),)

    def value(self, x: np.ndarray) -> float:
        across = x[1] - x[0] * x[0]
        along = self.minimum - x[0]
        return self.scale * (self.steepness * across * across + along * along)

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        across = x[1] - x[0] * x[0]
        along = self.minimum - x[0]
        out[0] = -2.0 * self.scale * (2.0 * self.steepness * across * x[0] + along)
        out[1] = 2.0 * self.scale * self.steepness * across
