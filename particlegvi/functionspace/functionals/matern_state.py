"""F and its derivatives up to order p at one place, under a Matern covariance of order p + 1/2."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances import integrals
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import Stationary


class MaternState:
    """P = Cov(F, F', ..., F^(p)) at one place, and the covariances c(r) of these with F at a distance r.

    Attributes
    ----------
    smooth : int
        The order p of the last derivative.
    lam, intensity : float
        sqrt(2 p + 1) / lengthscale, and q of `particlegvi.functionspace.functionals.fourier`.
    matrix : array (p + 1, p + 1)
        P.
    """

    def __init__(self, smooth: int, lengthscale: float, variance: float) -> None:
        self.smooth, self.lengthscale, self.variance = smooth, lengthscale, variance
        self.lam = lam = integrals.decay(smooth, lengthscale)
        factor = math.factorial(smooth) ** 2 / math.factorial(2 * smooth)
        self.intensity = variance * (2.0 * lam) ** (2 * smooth + 1) * factor
        self.matrix = variance * np.array([
            [[1.0]],
            [[1.0, 0.0], [0.0, lam**2]],
            [[1.0, 0.0, -(lam**2) / 3.0], [0.0, lam**2 / 3.0, 0.0], [-(lam**2) / 3.0, 0.0, lam**4]],
        ][smooth])  # fmt: skip

    @classmethod
    def of(cls, covariance: Covariance) -> MaternState:
        smooth = integrals.smoothness(covariance)
        assert smooth is not None and isinstance(covariance, Stationary)
        return cls(smooth, float(covariance.lengthscale.ravel()[0]), covariance.variance)

    def tail(self, r: Array, order: int) -> Array:
        """Derivatives or integrals from 0 of c_j(r) = (-1)^j k^(j)(r), (p + 1, n)."""
        rows = []
        for j in range(self.smooth + 1):
            row = integrals.matern(r, j + order, self.smooth, self.lengthscale)
            if order == -1 and j:
                row = row - integrals.matern(np.zeros(1), j - 1, self.smooth, self.lengthscale)
            rows.append((-1) ** j * self.variance * row)
        return np.array(rows)
