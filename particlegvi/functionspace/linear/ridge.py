"""Kernel ridge regression in the span of functionals (thesis 3.6, Theorem 3.6.1)."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Basis
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tools.arguments import not_negative, points, vector
from particlegvi.tools.html import Card
from particlegvi.tools.quoting import refuse


class NystroemRidge(Card):
    """The minimiser of ``1/n sum_n (f(x_n) - y_n)^2 + penalty |f|_k^2`` over the span of a basis.

    The features e_m of a basis of ``prior="gp"`` are orthonormal in the space of k, so that f = sum_m u_m e_m has
    |f|_k^2 = |u|^2, and u solves (E^T E + n penalty I) u = E^T y. It is the mean of `SparseGaussianProcess` with
    noise_variance = n penalty.

    Parameters
    ----------
    basis : Basis
        `particlegvi.functionspace.basis.Nystroem` of inducing points, or ``Projection`` of functionals.
    penalty : float
        lambda, 0 or more.

    Attributes
    ----------
    coefficients : array (size,)
        u, after `fit`.

    Source: thesis (3.21), which writes the coefficients for C mu_m instead of e_m.
    """

    def __init__(self, basis: Basis, penalty: float) -> None:
        if isinstance(basis, type) or not {"features", "prior_variances", "inputs", "size"} <= set(dir(basis)):
            raise refuse("basis", basis, "a basis such as particlegvi.functionspace.basis.Nystroem(kernel, points)")
        basis.prior_variances("gp")
        self.basis = basis
        self.penalty = not_negative("penalty", penalty)

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        x = points("X", X, self.basis.inputs)
        t = vector("y", y, len(x))
        e = self.basis.features(x)
        weight = np.sqrt(len(x) * self.penalty)
        stacked = np.concatenate([e, weight * np.eye(self.basis.size)])
        # Solve least squares of the stacked system: the normal equations would square the condition number.
        self.coefficients = linalg.lstsq(stacked, np.concatenate([t, np.zeros(self.basis.size)]))[0]
        return self

    @one_blas_thread()
    def predict(self, X: ArrayLike) -> Array:
        """f at inputs (n, dim), (n,)."""
        return self.basis.features(X) @ self.coefficients
