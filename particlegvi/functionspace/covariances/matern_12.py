"""The covariance of continuous functions without a derivative: in one dimension, the Ornstein-Uhlenbeck process."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.stationary import Stationary


class Matern12(Stationary):
    """``variance * exp(-s)`` with s the root of s2; parameters as in `Stationary`."""

    name = "matern-12"
    source = "Rasmussen and Williams (2006), (4.18)"

    @staticmethod
    def profile(s2: Array) -> Array:
        return np.exp(-np.sqrt(s2))

    @staticmethod
    def slope(s2: Array) -> Array:
        s = np.sqrt(s2)
        return np.divide(-0.5 * np.exp(-s), s, out=np.zeros_like(s), where=s > 0.0)
