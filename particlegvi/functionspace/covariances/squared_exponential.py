"""The covariance of very smooth functions."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.pairs.scaled import Decay
from particlegvi.functionspace.covariances.stationary import Stationary


class SquaredExponential(Stationary):
    """``variance * exp(-s2 / 2)``, with the parameters of `Stationary`."""

    name = "squared-exponential"
    source = "Rasmussen and Williams (2006), (4.9); with one lengthscale for each input (5.1)"
    decay = Decay(rooted=False, rate=0.5, derivative=-0.5)

    @staticmethod
    def profile(s2: Array) -> Array:
        return np.exp(-0.5 * s2)

    @staticmethod
    def slope(s2: Array) -> Array:
        return -0.5 * np.exp(-0.5 * s2)
