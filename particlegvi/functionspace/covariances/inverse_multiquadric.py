"""A covariance with heavy tails: a mixture of squared exponentials over lengthscales."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.stationary import Stationary


class InverseMultiquadric(Stationary):
    """``variance * (1 + s2)^(-1/2)``, with the parameters of `Stationary`."""

    name = "inverse-multiquadric"
    source = "Micchelli (1986); exponent -1/2"

    @staticmethod
    def profile(s2: Array) -> Array:
        return 1.0 / np.sqrt(1.0 + s2)

    @staticmethod
    def slope(s2: Array) -> Array:
        return -0.5 / ((1.0 + s2) * np.sqrt(1.0 + s2))
