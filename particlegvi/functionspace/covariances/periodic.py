"""The covariance of periodic functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.stationary import Scaled
from particlegvi.tools.arguments import scale, scales


class Periodic(Scaled):
    """``variance * exp(-2 sum_d sin^2(pi (a_d - b_d) / period) / lengthscale_d^2)``.

    Each coordinate is mapped to a circle, and k is the squared exponential of the mapped points. So k is positive
    semi-definite in any dimension.

    Parameters
    ----------
    period : float
        Period of every coordinate, positive, in the units of the inputs.
    lengthscale : float or array (dim,)
        Lengthscale without a unit, positive: one for all coordinates, or one for each. A smaller lengthscale gives more
        oscillations within a period.
    variance : float
        The prior variance k(x, x), positive.
    """

    name = "periodic"
    source = "MacKay (1998); Rasmussen and Williams (2006), (4.31)"

    def __init__(self, period: float = 1.0, lengthscale: ArrayLike = 1.0, variance: float = 1.0) -> None:
        self.period = scale("period", period)
        self.lengthscale = scales("lengthscale", lengthscale)
        self.variance = scale("variance", variance)

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        a, b = self.pair(A, B)
        exponent = np.zeros((len(a), len(b)))
        for turns, lengthscale in self._turns(a, b):
            exponent -= 2.0 * np.sin(np.pi * turns) ** 2 / lengthscale**2
        return self.variance * np.exp(exponent)

    def log_parameters(self) -> Array:
        return np.log(np.hstack([self.period, self.lengthscale, self.variance]))

    def parameter_names(self) -> list[str]:
        return ["period", *super().parameter_names()]

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        values = np.exp(np.asarray(vector, dtype=np.float64))
        return type(self)(float(values[0]), values[1:-1].reshape(self.lengthscale.shape), float(values[-1]))

    def gradients(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
        a, b = self.pair(A, B)
        weighted = np.asarray(weights, dtype=np.float64) * self(a, b)
        in_period, in_lengthscales, in_inputs = 0.0, [], np.empty(a.shape)
        for d, (turns, lengthscale) in enumerate(self._turns(a, b)):
            slopes = weighted * np.sin(2.0 * np.pi * turns) * (2.0 * np.pi / lengthscale**2)
            in_inputs[:, d] = -slopes.sum(axis=1) / self.period
            in_period += np.sum(slopes * turns)
            in_lengthscales.append(np.sum(weighted * np.sin(np.pi * turns) ** 2) * 4.0 / lengthscale**2)
        shared = self.lengthscale.ndim == 0
        logs = [in_period, np.sum(in_lengthscales) if shared else in_lengthscales, np.sum(weighted)]
        return in_inputs, np.hstack(logs)

    def _turns(self, a: Array, b: Array) -> Iterator[tuple[Array, float]]:
        """(a_d - b_d) / period, an array (n, m), and the lengthscale, for one coordinate after the other."""
        for d, lengthscale in enumerate(np.broadcast_to(self.lengthscale, a.shape[1]).tolist()):
            yield (a[:, d, None] - b[None, :, d]) / self.period, lengthscale
