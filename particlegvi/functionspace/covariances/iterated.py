"""The kernel r of the thesis: the prior covariance of the functions that projected Langevin sampling moves."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.tools.arguments import points
from particlegvi.tools.quoting import refuse


class Iterated(Covariance):
    """``r(a, b) = (1 / S) sum_s k(a, x_s) k(x_s, b)``, the iterated kernel of k under the distribution of the x_s.

    Its values are products of two values of k: doubling the variance of k multiplies the variance of r by four.

    Parameters
    ----------
    covariance : Covariance
        k; r has the parameters of k.
    centres : array (S, dim)
        x_s, a sample of the distribution nu of the inputs.
    """

    name = "iterated"
    source = "thesis, (6.10), (D.76), (D.77)"

    def __init__(self, covariance: Covariance, centres: ArrayLike) -> None:
        if not isinstance(covariance, Covariance):
            raise refuse("covariance", covariance, "a covariance")
        self.covariance = covariance
        self.kinked = covariance.kinked
        self.centres = points("centres", centres)

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        left = self.covariance(A, self.centres)
        if B is None:  # numpy computes one triangle only, because both factors are the same array
            return left @ left.T / len(self.centres)
        return left @ self.covariance(B, self.centres).T / len(self.centres)

    def diagonal(self, A: ArrayLike) -> Array:
        return np.mean(self.covariance(A, self.centres) ** 2, axis=1)

    def log_parameters(self) -> Array:
        return self.covariance.log_parameters()

    def parameter_names(self) -> list[str]:
        return self.covariance.parameter_names()

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        return type(self)(self.covariance.with_log_parameters(vector), self.centres)

    def log_parameter_gradient(self, A: ArrayLike, B: ArrayLike | None, weights: ArrayLike) -> Array:
        w = np.asarray(weights, dtype=np.float64) / len(self.centres)
        other = A if B is None else B
        left, right = self.covariance(A, self.centres), self.covariance(other, self.centres)
        first = self.covariance.log_parameter_gradient(A, self.centres, w @ right)
        return first + self.covariance.log_parameter_gradient(other, self.centres, w.T @ left)

    def input_gradient(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> Array:
        w = np.asarray(weights, dtype=np.float64) / len(self.centres)
        return self.covariance.input_gradient(A, self.centres, w @ self.covariance(B, self.centres))
