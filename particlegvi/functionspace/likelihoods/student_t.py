"""Regression with heavy-tailed noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, checked, generator


class _Fields(NamedTuple):
    degrees_of_freedom: float
    scale: float


class StudentT(_Fields, Likelihood):
    """Student-t noise: y = f(x) + scale * t, with the cost (nu + 1)/2 log(1 + (y - f)^2 / (nu scale^2)).

    Not convex: one outlier hardly pulls, so that a posterior may have several modes.

    Parameters
    ----------
    degrees_of_freedom : float
        nu, positive; the variance of y is infinite up to 2 and the mean undefined up to 1.
    scale : float
        In the units of y, positive.
    """

    __slots__ = ()

    name = "student-t"
    source = "Vanhatalo, Jylanki and Vehtari, Gaussian process regression with Student-t likelihood, 2009"

    def __new__(cls, degrees_of_freedom: float, scale: float) -> StudentT:
        return super().__new__(cls, *checked(degrees_of_freedom=degrees_of_freedom, scale=scale))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """(nu + 1) / (nu scale^2), at f = y."""
        return (self.degrees_of_freedom + 1.0) / (self.degrees_of_freedom * self.scale**2)

    @property
    def slope_bound(self) -> float:  # type: ignore[override]
        """(nu + 1) / (2 sqrt(nu) scale), at |y - f| = sqrt(nu) scale."""
        return (self.degrees_of_freedom + 1.0) / (2.0 * math.sqrt(self.degrees_of_freedom) * self.scale)

    def cost_at(self, f: float, y: float) -> float:
        t = (f - y) / self.scale
        return 0.5 * (self.degrees_of_freedom + 1.0) * math.log1p(t * t / self.degrees_of_freedom)

    def slope_at(self, f: float, y: float) -> float:
        t = (f - y) / self.scale
        return (self.degrees_of_freedom + 1.0) * t / ((self.degrees_of_freedom + t * t) * self.scale)

    def curvature_at(self, f: float, y: float) -> float:
        t = (f - y) / self.scale
        below = self.degrees_of_freedom + t * t
        above = (self.degrees_of_freedom + 1.0) * (self.degrees_of_freedom - t * t)
        return above / (below * below * self.scale * self.scale)

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: (nu + 1) / ((nu + 3) scale^2)."""
        nu = self.degrees_of_freedom
        return np.full(np.shape(f), (nu + 1.0) / ((nu + 3.0) * self.scale**2))

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log p(y|f)."""
        nu = self.degrees_of_freedom
        constant = math.lgamma(0.5 * (nu + 1.0)) - math.lgamma(0.5 * nu)
        return constant - 0.5 * math.log(nu * math.pi) - math.log(self.scale) - self.cost(f, y)

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f, nan where there is none."""
        centre = np.array(f, dtype=np.float64)
        return centre if self.degrees_of_freedom > 1.0 else np.full(centre.shape, np.nan)

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f, infinite up to nu = 2."""
        nu = self.degrees_of_freedom
        return np.full(np.shape(f), self.scale**2 * nu / (nu - 2.0) if nu > 2.0 else np.inf)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        """Draws of y given f; ``random`` is a numpy Generator or a seed."""
        centre = np.asarray(f, dtype=np.float64)
        return centre + self.scale * generator(random).standard_t(self.degrees_of_freedom, centre.shape)
