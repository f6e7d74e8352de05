"""Repulsion in higher dimensions through matrix products: any kernel, blocks of targets, one BLAS thread.

|x - y|^2 = |x|^2 + |y|^2 - 2 x.y loses digits where x and y are close and far from the centre: after centring, the
error of a squared distance is at most ``ROUNDING`` max|x|^2, which ``rounding_error`` turns into a bound on the
force.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.terms.evaluate import profile_slopes

TARGETS = 64  # rows at a time, so that a block of scratch stays in the cache
ROUNDING = 8.0 * np.finfo(np.float64).eps


def rounding_error(kernel: Kernel, positions: Array) -> float:
    """Bound on the error of the mean force from cancellation, in units of variance / lengthscale.

    The derivative of a kernel's force in the squared distance is at most variance / lengthscale^3 for the kernels here.
    """
    centred = positions - positions.mean(axis=0)
    return float(ROUNDING * (centred * centred).sum(axis=1).max() / kernel.lengthscale**2)


def gram_force(kernel: Kernel, positions: Array, factor: float, out: Array) -> None:
    """out = factor / N * sum_j grad_1 kappa(x_i, x_j), both (particles, dim)."""
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
            slopes = profile_slopes(kernel, distances)
            out[rows] = (2.0 * factor / number) * (slopes.sum(axis=1)[:, None] * x[rows] - slopes @ x)
