"""The covariance of a product of independent functions: both must vary together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.compound import Compound


class Product(Compound):
    """``k_1(a, b) k_2(a, b) ...``; only the product of the variances matters."""

    name = "product"

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        total = self.parts[0](A, B)
        for part in self.parts[1:]:
            total *= part(A, B)
        return total

    def diagonal(self, A: ArrayLike) -> Array:
        return np.prod([part.diagonal(A) for part in self.parts], axis=0)

    def log_parameter_gradient(self, A: ArrayLike, B: ArrayLike | None, weights: ArrayLike) -> Array:
        gradients = []
        for i, part in enumerate(self.parts):
            others = np.array(weights, dtype=np.float64)
            for j, other in enumerate(self.parts):
                if j != i:
                    others *= other(A, B)
            gradients.append(part.log_parameter_gradient(A, B, others))
        return np.concatenate(gradients)
