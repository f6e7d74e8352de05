"""Regression with Gaussian noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, checked, generator


class _Fields(NamedTuple):
    noise_variance: float


class Gaussian(_Fields, Likelihood):
    """Gaussian noise: y = f(x) + N(0, noise_variance), with the cost (y - f)^2 / (2 noise_variance).

    Parameters
    ----------
    noise_variance : float
        sigma^2, in squared units of y; positive.
    """

    __slots__ = ()

    name = "gaussian"
    source = "thesis, (D.211)"
    convex = True
    quadratic = True

    def __new__(cls, noise_variance: float) -> Gaussian:
        return super().__new__(cls, *checked(noise_variance=noise_variance))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """1 / sigma^2."""
        return 1.0 / self.noise_variance

    def cost_at(self, f: float, y: float) -> float:
        return 0.5 * (y - f) * (y - f) / self.noise_variance

    def slope_at(self, f: float, y: float) -> float:
        return (f - y) / self.noise_variance

    def curvature_at(self, f: float, y: float) -> float:
        return 1.0 / self.noise_variance

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f."""
        return np.full(np.shape(f), 1.0 / self.noise_variance)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log p(y|f)."""
        return -self.cost(f, y) - 0.5 * math.log(2.0 * math.pi * self.noise_variance)

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f."""
        return np.asarray(f, dtype=np.float64)

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f."""
        return np.full(np.shape(f), self.noise_variance)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        """Draws of y given f; ``random`` is a numpy Generator or a seed."""
        return generator(random).normal(self.mean(f), math.sqrt(self.noise_variance))
