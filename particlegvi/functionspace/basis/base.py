"""What a basis answers."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance

PRIORS = ("rkhs", "gp")


class Basis(Protocol):
    """Functions e_1, ..., e_K and the prior of their coefficients, which are independent.

    Attributes
    ----------
    covariance : Covariance
        k.
    inducing_points : array (M, dim)
        Z.
    eigenvalues : array (size,)
        Of k(Z, Z) / M, descending.
    size : int
        K, the number of functions.
    """

    covariance: Covariance
    inducing_points: Array
    eigenvalues: Array

    @property
    def size(self) -> int: ...

    def features(self, X: ArrayLike) -> Array:
        """e_m(x_n), shape (n, size)."""

    def prior_variances(self, prior: str) -> Array:
        """The prior variances of the coefficients, shape (size,), for "rkhs" or "gp"."""

    def facts(self) -> dict[str, Any]:
        """How the basis was made, as JSON can hold it."""
