"""The Gaussian process with covariance k, conditioned on the values at the inducing points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis
from particlegvi.functionspace.linalg import root
from particlegvi.tools.arguments import matrix


class Residual:
    """G with covariance ``k(x, x') - k(x, Z) k(Z, Z)^-1 k(Z, x')``, as ``k(x, x') - sum_m e_m(x) e_m(x')``.

    The covariance is positive semi-definite, does not depend on the other inputs of a call, is zero at the inducing
    points, and tends to k far from them. A basis without inducing points needs sum_m e_m(x)^2 <= k(x, x). With
    ``prior="gp"``, F is exactly the Gaussian process with covariance k. The part of dropped eigenvalues stays in the
    residual.

    Parameters
    ----------
    basis : Basis
        Its ``covariance`` is k, its ``features`` are e_m.
    """

    name = "gp"

    def __init__(self, basis: Basis) -> None:
        self.basis = basis

    def covariance(self, X: ArrayLike, X2: ArrayLike | None = None) -> Array:
        """The covariance of G(X) with G(X2), or of G(X) with itself; shape (n, m)."""
        e = self.basis.features(X)
        other = e if X2 is None else self.basis.features(X2)
        return self.basis.covariance(X, X2) - e @ other.T

    def variance(self, X: ArrayLike, features: Array | None = None) -> Array:
        """The variance of G(x_n), shape (n,), never negative; ``features`` are the features at X, if known."""
        prior = self.basis.covariance.diagonal(X)
        e = self.basis.features(X) if features is None else matrix("features", features, self.basis.size, len(prior))
        return np.maximum(prior - np.einsum("nm,nm->n", e, e), 0.0)

    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Draws of G(X), shape (draws, n), from standard normals (draws, n): the same draws for the same normals.

        A pivoted Cholesky factor is used, which stops at the rank of the covariance, so that X may contain inducing
        points and repeated rows. It costs n^3 / 3 once and n^2 for each draw.
        """
        prior = float(np.max(self.basis.covariance.diagonal(X), initial=0.0))
        half = root(self.covariance(X), prior)
        return matrix("normals", normals, len(half)) @ half.T
