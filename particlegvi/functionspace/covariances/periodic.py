"""The covariance of functions that repeat themselves."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.functionspace.checks import Array, points, positive
from particlegvi.functionspace.covariances.base import Covariance


class Periodic(Covariance):
    """``variance * exp(-2 sum_d sin^2(pi (a_d - b_d) / period) / lengthscale^2)``.

    The squared exponential of the points that the inputs are on circles, so positive semi-definite in any dimension.

    Parameters
    ----------
    period : float
        In the units of the inputs, positive; of every coordinate.
    lengthscale : float
        Without a unit, positive: the smaller, the more wiggles in one period.
    variance : float
        The prior variance k(x, x), positive.
    """

    name = "periodic"
    source = "MacKay (1998); Rasmussen and Williams (2006), (4.31)"

    def __init__(self, period: Any = 1.0, lengthscale: Any = 1.0, variance: Any = 1.0) -> None:
        self.period = positive("period", period)
        self.lengthscale = positive("lengthscale", lengthscale)
        self.variance = positive("variance", variance)

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        a, b = _pair(A, B)
        exponent = np.zeros((len(a), len(b)))
        for turns in self._turns(a, b):
            exponent -= 2.0 * np.sin(np.pi * turns) ** 2
        return self.variance * np.exp(exponent / self.lengthscale**2)

    def diagonal(self, A: ArrayLike) -> Array:
        return np.full(len(points("inputs", A)), self.variance)

    def log_parameters(self) -> Array:
        return np.log([self.period, self.lengthscale, self.variance])

    def parameter_names(self) -> list[str]:
        return ["period", "lengthscale", "variance"]

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        return type(self)(*np.exp(np.asarray(vector, dtype=np.float64)))

    def log_parameter_gradient(self, A: ArrayLike, B: ArrayLike | None, weights: ArrayLike) -> Array:
        a, b = _pair(A, B)
        weighted = np.asarray(weights, dtype=np.float64) * self(A, B)
        in_period = in_lengthscale = 0.0
        for turns in self._turns(a, b):
            in_period += np.sum(weighted * np.sin(2.0 * np.pi * turns) * turns) * 2.0 * np.pi
            in_lengthscale += np.sum(weighted * np.sin(np.pi * turns) ** 2) * 4.0
        scale = self.lengthscale**2
        return np.array([in_period / scale, in_lengthscale / scale, np.sum(weighted)])

    def _turns(self, a: Array, b: Array) -> Any:
        """(a_d - b_d) / period for one coordinate after the other, each (n, m)."""
        return ((a[:, d, None] - b[None, :, d]) / self.period for d in range(a.shape[1]))


def _pair(A: ArrayLike, B: ArrayLike | None) -> tuple[Array, Array]:
    a = points("inputs", A)
    return a, a if B is None else points("inputs", B, a.shape[1])
