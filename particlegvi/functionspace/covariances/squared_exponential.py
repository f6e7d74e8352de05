"""The covariance of very smooth functions."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.stationary import Stationary


class SquaredExponential(Stationary):
    """``variance * exp(-s2 / 2)``; parameters as in `Stationary`."""

    name = "squared-exponential"
    source = "Rasmussen and Williams (2006), (4.9); with one lengthscale for each input (5.1)"

    @staticmethod
    def profile(s2: Array) -> Array:
        return np.exp(-0.5 * s2)

    @staticmethod
    def slope(s2: Array) -> Array:
        return -0.5 * np.exp(-0.5 * s2)

    def value_and_slope(self, s2: Array) -> tuple[Array, Array]:
        s2 *= -0.5
        value = np.exp(s2, out=s2)
        value *= self.variance
        return value, -0.5 * value
