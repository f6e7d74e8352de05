"""The Nystroem eigenbasis: eigenfunctions of k's integral operator, estimated from inducing points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.linalg import fixed_signs
from particlegvi.tools.arguments import frozen, points
from particlegvi.tools.registry import look_up

DROP = 1e-12  # eigenvalues below this part of the largest are rounding
NEGATIVE = 1e-10  # eigenvalues below minus this part of the largest are not rounding: the matrix is refused
ROWS = 4096  # features are made in blocks of this many rows


class Nystroem:
    """``e_m(x) = v_m . k(Z, x) / sqrt(M lambda_m)`` with (lambda_m, v_m) the eigenpairs of k(Z, Z) / M.

    M is the number of inducing points. Eigenvalues up to 1e-12 of the largest are rounding and are dropped (duplicate
    points make such eigenvalues); M stays the same. The sign of v_m makes its first entry positive whose size is at
    least half of the largest. No jitter is added.

    Parameters
    ----------
    covariance : Covariance or a kernel of particlegvi.kernels
        k.
    inducing_points : array (M, dim)
        Z. The points may repeat, and there may be more points than data.

    Attributes
    ----------
    covariance : Covariance
        k.
    inputs, size : int
        Numbers of coordinates of an input, and of functions.
    inducing_points : array (M, dim)
        Z.
    eigenvalues : array (size,)
        Eigenvalues of k(Z, Z) / M, descending.
    vectors : array (M, size)
        v_m in the columns, orthonormal.

    Raises
    ------
    ValueError
        If k(Z, Z) is not finite, or not positive semi-definite up to rounding.

    Notes
    -----
    The thesis's b-hat in D.7 lacks a factor 1/sqrt(lambda_m); its (D.88) is right. Eigenvectors of equal eigenvalues
    are any basis of their space, and depend on the linear algebra library: keep `state` where a run must be resumed.
    """

    name = "nystroem"

    def __init__(self, covariance: KernelLike, inducing_points: ArrayLike) -> None:
        k, Z = _checked(covariance, inducing_points)
        eigenvalues, vectors = _eigenpairs(k, Z)
        kept = eigenvalues > DROP * eigenvalues[0]
        self._set(k, Z, eigenvalues[kept], vectors[:, kept])

    def _set(self, k: Covariance, Z: Array, eigenvalues: Array, vectors: Array) -> None:
        self.covariance = k
        self.inducing_points = Z
        self.eigenvalues = eigenvalues
        self.vectors = vectors
        self._weights = vectors / np.sqrt(len(Z) * eigenvalues)

    @property
    def inputs(self) -> int:
        """The number of coordinates of an input."""
        return self.inducing_points.shape[1]

    @property
    def size(self) -> int:
        """The number of functions."""
        return len(self.eigenvalues)

    def features(self, X: ArrayLike) -> Array:
        """e_m(x_n), shape (n, size), for inputs (n, dim)."""
        x = points("X", X, self.inputs)
        return in_blocks(lambda rows: self.covariance(rows, self.inducing_points), x, self._weights)

    def prior_variances(self, prior: str) -> Array:
        """The prior variances of the coefficients: the eigenvalues for "rkhs" (the thesis), ones for "gp"."""
        choices = {"rkhs": self.eigenvalues.copy(), "gp": np.ones(self.size)}
        return look_up("prior of the coefficients", prior, choices)

    def facts(self) -> Facts:
        """Numbers of inducing points and of kept and dropped functions."""
        M = len(self.inducing_points)
        return {"inducing_points": M, "kept": self.size, "dropped": M - self.size}

    def state(self) -> dict[str, Array]:
        """The arrays from which `restore` makes the same basis, bit for bit."""
        return {
            "inducing_points": self.inducing_points,
            "eigenvalues": self.eigenvalues,
            "vectors": self.vectors,
        }

    @classmethod
    def restore(cls, covariance: KernelLike, state: Mapping[str, Any]) -> Self:
        """The basis with this `state`, without finding eigenvectors anew."""
        basis = cls.__new__(cls)
        k, Z = _checked(covariance, state["inducing_points"])
        # Use column order like the result of eigh: the last bits of products depend on it.
        cls._set(basis, k, Z, state["eigenvalues"], np.asfortranarray(state["vectors"]))
        return basis


def in_blocks(between: Callable[[Array], Array], x: Array, weights: Array) -> Array:
    """``between(x) @ weights``, (n, size), by blocks of rows: ``between`` is never in memory as a whole."""
    products = np.empty((len(x), weights.shape[1]))
    for first in range(0, len(x), ROWS):
        block = slice(first, first + ROWS)
        np.matmul(between(x[block]), weights, out=products[block])
    return products


def _checked(covariance: KernelLike, inducing_points: ArrayLike) -> tuple[Covariance, Array]:
    Z = frozen(points("inducing_points", inducing_points, least=1).copy())
    return covariances.of(covariance), Z


def _eigenpairs(k: Covariance, Z: Array) -> tuple[Array, Array]:
    """Eigenvalues of k(Z, Z) / M, descending, and their vectors in columns with fixed signs."""
    matrix = k(Z)
    if not np.all(np.isfinite(matrix)):
        raise ValueError(f"{k!r} has infinite or undefined values at the inducing points; finite values are needed")
    ascending, vectors = linalg.eigh(matrix)
    if not (ascending[0] >= -NEGATIVE * ascending[-1] and ascending[-1] > 0.0):
        raise ValueError(
            f"the matrix of {k!r} at the inducing points is not positive semi-definite: its smallest eigenvalue is "
            f"{ascending[0]:.3g} where the prior variance is {matrix.diagonal().max():.3g}; a covariance function is"
            " needed"
        )
    return ascending[::-1] / len(Z), fixed_signs(vectors[:, ::-1])


def with_inducing_points(basis: Basis, user: str) -> Nystroem:
    """Return the basis to a user that needs inducing points and eigenvalues; a ValueError if the basis has none."""
    if not isinstance(basis, Nystroem):
        raise ValueError(f'{user} needs a basis with inducing points, such as nystroem; the basis is "{basis.name}"')
    return basis
