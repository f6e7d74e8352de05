"""The projection onto functionals: the best approximation of a Gaussian process by m linear functionals of it."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace import covariances, functionals
from particlegvi.functionspace.basis.nystroem import DROP, NEGATIVE, Nystroem, in_blocks
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.linalg import directions
from particlegvi.tools.arguments import points, refuse


class Projection:
    """``e(x) = C_LL^-1/2 Cov(L F, F(x))``, whitened functionals, for ``prior="gp"``.

    C_LL is scaled to a unit diagonal before its eigenvectors are computed: without the scaling, Fourier features would
    lose functions to rounding. With `Points` the features span the space of `Nystroem`, in other coordinates.

    Parameters
    ----------
    covariance : Covariance or a kernel of particlegvi.kernels
        k.
    of : Functionals or array (m, dim)
        L, a set of `particlegvi.functionspace.functionals`; an array means the values at its rows.

    Attributes
    ----------
    covariance : Covariance
    functionals : Functionals
    inputs, size : int
    weights : array (m, size)
        The features are C_LT (transposed) times these weights.

    Raises
    ------
    ValueError
        If a functional is not defined under k, or C_LL has a negative eigenvalue beyond rounding.
    """

    name = "projection"

    def __init__(self, covariance: KernelLike, of: Functionals | ArrayLike) -> None:
        if not isinstance(of, Functionals):
            of = functionals.Points(points("of", of, least=1))
        k = covariances.of(covariance)
        matrix = of.gram(k)
        scale = 1.0 / np.sqrt(matrix.diagonal())
        ascending, vectors = directions(scale[:, None] * matrix * scale)
        if not ascending[0] >= -NEGATIVE * ascending[-1]:
            raise ValueError(
                f"the covariance matrix of the functionals must be positive semi-definite, not have the eigenvalue "
                f"{ascending[0]:.3g} after scaling"
            )
        kept = np.flatnonzero(ascending > DROP * ascending[-1])[::-1]
        self._set(k, of, scale[:, None] * vectors[:, kept] / np.sqrt(ascending[kept]))

    def _set(self, covariance: covariances.Covariance, of: Functionals, weights: Array) -> None:
        self.covariance, self.functionals, self.weights = covariance, of, weights

    @property
    def inputs(self) -> int:
        return self.functionals.inputs

    @property
    def size(self) -> int:
        return self.weights.shape[1]

    def features(self, X: ArrayLike) -> Array:
        """e_m(x_n), shape (n, size), for inputs (n, dim)."""
        x = points("X", X, self.inputs)
        return in_blocks(lambda rows: self.functionals.cross(self.covariance, rows).T, x, self.weights)

    def prior_variances(self, prior: str) -> Array:
        """Ones, for "gp"; there are no eigenvalues for "rkhs"."""
        if prior != "gp":
            raise refuse("prior", prior, '"gp" for functionals that are no points')
        return np.ones(self.size)

    def facts(self) -> Facts:
        """The functionals, and the numbers of kept and dropped functions."""
        number = len(self.weights)
        return {**self.functionals.facts(), "number": number, "kept": self.size, "dropped": number - self.size}

    def state(self) -> dict[str, Array]:
        """The array from which `restore` makes the same basis, bit for bit."""
        return {"weights": self.weights}

    @classmethod
    def restore(cls, covariance: KernelLike, of: Functionals, weights: Array) -> Self:
        """The basis of these functionals with the ``weights`` (m, size) of its `state`."""
        k = covariances.of(covariance)
        of.check(k)
        if weights.ndim != 2 or len(weights) != len(of):
            raise refuse("weights", weights.shape, f"an array ({len(of)}, size), a row for each functional")
        basis = cls.__new__(cls)
        cls._set(basis, k, of, np.asfortranarray(weights))
        return basis


def basis_of(covariance: KernelLike, choice: ArrayLike | Functionals | Basis, inputs: int) -> Basis:
    """The projection onto functionals, a given basis itself, or the Nystroem basis of points, for so many inputs."""
    if isinstance(choice, Basis):
        if choice.inputs != inputs:
            raise ValueError(f"the basis must be of functions of {inputs} coordinates like X, not {choice.inputs}")
        if choice.covariance.facts() != covariances.of(covariance).facts():
            raise ValueError(f"the basis must have the prior's covariance {covariance!r}, not {choice.covariance!r}")
        return choice
    if not isinstance(choice, Functionals):
        return Nystroem(covariance, points("inducing_points", choice, inputs))
    if choice.inputs != inputs:
        raise ValueError(f"functionals must be of functions of {inputs} coordinates like X, not {choice.inputs}")
    return Projection(covariance, choice)
