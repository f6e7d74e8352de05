"""Repulsion in higher dimensions through matrix products: any kernel, blocks of targets, one BLAS thread.

|x - y|^2 = |x|^2 + |y|^2 - 2 x.y loses digits where x and y are close and far from the centre: after centring, the
error of a squared distance is at most ``ROUNDING`` max|x|^2. The derivative of a kernel's force in the squared distance
is at most variance / lengthscale^3 for the kernels of the package, which bounds the error of the force.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.algorithm import CALL, Algorithm
from particlegvi.engine.terms.evaluate import profile_slopes

TARGETS = 64  # rows at a time, so that a block of scratch stays in the cache
ROUNDING = 8.0 * np.finfo(np.float64).eps


class Gram(Algorithm[None]):
    """Every pair through matrix products, from about seventeen dimensions on."""

    name = "direct sum by matrix products"

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        centred = positions - positions.mean(axis=0)
        error = float(ROUNDING * (centred * centred).sum(axis=1).max() / self.kernel.lengthscale**2)
        cost = positions.shape[0] ** 2 * (4.0 + 0.14 * self.dim) + 4.0 * CALL
        return (cost, None) if error <= self.tolerance else None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        number = positions.shape[0]
        x = positions - positions.mean(axis=0)
        squares = (x * x).sum(axis=1)
        with threads.one_blas_thread():
            for first in range(0, number, TARGETS):
                rows = slice(first, min(first + TARGETS, number))
                distances = x[rows] @ x.T
                distances *= -2.0
                distances += squares[rows, None]
                distances += squares
                np.maximum(distances, 0.0, out=distances)
                slopes = profile_slopes(self.kernel, distances)
                out[rows] = (2.0 * factor / number) * (slopes.sum(axis=1)[:, None] * x[rows] - slopes @ x)
