"""The covariance of functions with one derivative."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.stationary import Stationary


class Matern32(Stationary):
    """``variance * (1 + t) exp(-t)`` with t the root of 3 s2; parameters as in `Stationary`."""

    name = "matern-32"
    source = "Rasmussen and Williams (2006), (4.17)"

    @staticmethod
    def profile(s2: Array) -> Array:
        t = math.sqrt(3.0) * np.sqrt(s2)
        return (1.0 + t) * np.exp(-t)

    @staticmethod
    def slope(s2: Array) -> Array:
        return -1.5 * np.exp(-math.sqrt(3.0) * np.sqrt(s2))
