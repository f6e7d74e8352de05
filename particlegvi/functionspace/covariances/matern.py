"""Matern covariances of continuous functions, and of functions with one and with two derivatives."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.pairs.scaled import Decay
from particlegvi.functionspace.covariances.stationary import Stationary


class Matern32(Stationary):
    """``variance * (1 + t) exp(-t)`` with t the root of 3 s2, with the parameters of `Stationary`."""

    name = "matern-32"
    source = "Rasmussen and Williams (2006), (4.17)"
    decay = Decay(rate=3.0, linear=1.0, derivative=-1.5)

    @staticmethod
    def profile(s2: Array) -> Array:
        t = math.sqrt(3.0) * np.sqrt(s2)
        return (1.0 + t) * np.exp(-t)

    @staticmethod
    def slope(s2: Array) -> Array:
        return -1.5 * np.exp(-math.sqrt(3.0) * np.sqrt(s2))


class Matern12(Stationary):
    """``variance * exp(-s)`` with s the root of s2, with the parameters of `Stationary`."""

    name = "matern-12"
    kinked = True
    source = "Rasmussen and Williams (2006), (4.18)"
    decay = Decay(rate=1.0, derivative=-0.5, kinked=True)

    @staticmethod
    def profile(s2: Array) -> Array:
        return np.exp(-np.sqrt(s2))

    @staticmethod
    def slope(s2: Array) -> Array:
        s = np.sqrt(s2)
        return np.divide(-0.5 * np.exp(-s), s, out=np.zeros_like(s), where=s > 0.0)


class Matern52(Stationary):
    """``variance * (1 + t + t^2 / 3) exp(-t)`` with t the root of 5 s2, with the parameters of `Stationary`."""

    name = "matern-52"
    source = "Rasmussen and Williams (2006), (4.17)"
    decay = Decay(rate=5.0, linear=1.0, square=1.0 / 3.0, derivative=-5.0 / 6.0, derivative_linear=-5.0 / 6.0)

    @staticmethod
    def profile(s2: Array) -> Array:
        t = math.sqrt(5.0) * np.sqrt(s2)
        return (1.0 + t + t * t / 3.0) * np.exp(-t)

    @staticmethod
    def slope(s2: Array) -> Array:
        t = math.sqrt(5.0) * np.sqrt(s2)
        return (-5.0 / 6.0) * (1.0 + t) * np.exp(-t)
