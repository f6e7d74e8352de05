"""The covariance of functions with two derivatives."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.stationary import Stationary


class Matern52(Stationary):
    """``variance * (1 + t + t^2 / 3) exp(-t)`` with t the root of 5 s2; parameters as in `Stationary`."""

    name = "matern-52"
    source = "Rasmussen and Williams (2006), (4.17)"

    @staticmethod
    def profile(s2: Array) -> Array:
        t = math.sqrt(5.0) * np.sqrt(s2)
        return (1.0 + t + t * t / 3.0) * np.exp(-t)

    @staticmethod
    def slope(s2: Array) -> Array:
        t = math.sqrt(5.0) * np.sqrt(s2)
        return (-5.0 / 6.0) * (1.0 + t) * np.exp(-t)
