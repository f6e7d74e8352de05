"""The covariance of a sum of independent functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.compound import Compound


class Sum(Compound):
    """``k_1(a, b) + k_2(a, b) + ...``"""

    name = "sum"

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        total = self.parts[0](A, B)
        for part in self.parts[1:]:
            total += part(A, B)
        return total

    def diagonal(self, A: ArrayLike) -> Array:
        return np.sum([part.diagonal(A) for part in self.parts], axis=0)

    def log_parameter_gradient(self, A: ArrayLike, B: ArrayLike | None, weights: ArrayLike) -> Array:
        return np.concatenate([part.log_parameter_gradient(A, B, weights) for part in self.parts])
