"""The residual G of a function outside the basis: F(x) = sum_m u_m e_m(x) + G(x), G independent of u.

Each residual has `covariance`, `variance` and `sample`. To add a residual, add a class here, and name it in RESIDUALS.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Basis
from particlegvi.functionspace.basis.nystroem import with_inducing_points
from particlegvi.functionspace.linalg import fixed_signs, root_for_draws
from particlegvi.tools.arguments import matrix, points
from particlegvi.tools.registry import listed

__all__ = ["Residual", "ThesisResidual", "get", "names"]


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
        half = root_for_draws(self.covariance(X), prior)
        return matrix("normals", normals, len(half)) @ half.T


class ThesisResidual:
    """Matheron's rule with the joint covariance (D.219) of F(X*) and the coefficients: G = F(X*) - sum_m V_m e_m(X*).

    (D.122) estimates r from the inputs X* of a call together with Z, while the rest of (D.219) comes from Z alone. The
    printed matrix is therefore not positive semi-definite, and depends on the set of inputs. For draws its negative
    eigenvalues are set to 0; `negative_eigenvalue` measures its distance from a covariance. This residual is for
    ``prior="rkhs"`` only, where the prior variances are the eigenvalues.

    Raises
    ------
    ValueError
        If the basis has no inducing points.
    """

    name = "thesis"
    source = "thesis, (D.121), (D.122), (D.219)"

    def __init__(self, basis: Basis) -> None:
        self.basis = with_inducing_points(basis, 'residual="thesis"')

    def joint(self, X: ArrayLike) -> Array:
        """The matrix (D.219) as printed, (n + size, n + size), of F(X) and the coefficients."""
        x = points("X", X, self.basis.inputs)
        cross = self.basis.features(x) * self.basis.eigenvalues
        among = self.basis.covariance(x, np.concatenate([x, self.basis.inducing_points]))
        return np.block([[among @ among.T / among.shape[1], cross], [cross.T, np.diag(self.basis.eigenvalues)]])

    def negative_eigenvalue(self, X: ArrayLike) -> float:
        """The smallest eigenvalue of the printed matrix over its largest; clearly negative if it is no covariance."""
        ascending = linalg.eigvalsh(self.joint(X))
        return float(ascending[0] / ascending[-1])

    def covariance(self, X: ArrayLike, X2: ArrayLike | None = None) -> Array:
        """The covariance of the draws of `sample`, (n, n); that of two sets of inputs would depend on their union."""
        if X2 is not None:
            raise ValueError('X2 must be None with residual="thesis", not an array: join both sets of inputs in X')
        half = self._root(X)
        return half @ half.T

    def variance(self, X: ArrayLike, features: Array | None = None) -> Array:
        """The variance of the draws of `sample`, shape (n,). It depends on the set of inputs."""
        return np.sum(self._root(X) ** 2, axis=1)

    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Draws of G(X), shape (draws, n), from standard normals (draws, n)."""
        half = self._root(X)
        # The joint draw would need n + size normals; n normals give the same distribution.
        vectors, sizes, _ = linalg.svd(half, full_matrices=False)
        return matrix("normals", normals, len(half)) @ (fixed_signs(vectors) * sizes).T

    def _root(self, X: ArrayLike) -> Array:
        """A root (n, n + size) of the covariance of F(X) - sum_m V_m e_m(X) under the nearest positive joint."""
        ascending, vectors = linalg.eigh(self.joint(X))
        joint_root = vectors * np.sqrt(np.maximum(ascending, 0.0))
        e = self.basis.features(X)
        return joint_root[: len(e)] - e @ joint_root[len(e) :]


RESIDUALS: dict[str, type[Residual | ThesisResidual]] = {kind.name: kind for kind in (Residual, ThesisResidual)}
names, _kind = listed("residual", RESIDUALS)


def get(name: str, basis: Basis) -> Residual | ThesisResidual:
    """The residual of this name for a basis, for example ``get("gp", basis)``."""
    return _kind(name)(basis)
