"""Counts whose rate is the exponential of the function."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.counts import Counts
from particlegvi.functionspace.likelihoods.likelihood import checked


class _Fields(NamedTuple):
    exposure: float = 1.0


class PoissonLog(_Fields, Counts):
    """Poisson counts with rate exposure * exp(f), and the cost exposure * exp(f) - y f.

    Parameters
    ----------
    exposure : float
        A factor of every rate, for example the length of time over which events are counted.
    """

    __slots__ = ()

    name = "poisson-log"
    source = "McCullagh and Nelder, Generalized Linear Models, 1989, chapter 6"
    convex = True

    def __new__(cls, exposure: float = 1.0) -> PoissonLog:
        return super().__new__(cls, *checked(exposure=exposure))

    def cost_at(self, f: float, y: float) -> float:
        return self.exposure * math.exp(f) - y * f

    def slope_at(self, f: float, y: float) -> float:
        return self.exposure * math.exp(f) - y

    def curvature_at(self, f: float, y: float) -> float:
        return self.exposure * math.exp(f)

    def rate(self, f: ArrayLike) -> Array:
        """exposure * exp(f)."""
        return self.exposure * np.exp(np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: the rate."""
        return self.rate(f)
