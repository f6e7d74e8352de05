"""Inducing functions k(z_m, .): the coordinates U = F(Z) of appendix D.13."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.basis.nystroem import Nystroem


class InducingValues(Nystroem):
    """Projected Langevin sampling for the values U = F(Z), with the coordinates whitened.

    (D.200) moves the values U with drift -k(Z, Z) grad V(U) and noise sqrt(2 k(Z, Z)) dB. Write U = L u with
    L L^T = k(Z, Z). Then u moves with drift -grad and unit noise for the potential V(L u), and an Euler-Maruyama step
    of one is a step of the other. With L = V sqrt(M Lambda), the only root that also makes the prior (D.202) of u
    independent, u are the coefficients of the Nystroem basis: the two algorithms agree, in two sets of coordinates.
    So this class is `Nystroem` with the maps between the coordinates.

    With all eigenvalues kept the maps are inverses of each other. If some are dropped, `coefficients` first projects
    the values onto the values of functions of the basis (in the inner product of the kept eigenvectors).
    """

    name = "inducing-values"

    def values(self, coefficients: ArrayLike) -> Array:
        """U = F(Z), shape (..., M), of coefficients (..., size)."""
        roots = np.sqrt(len(self.inducing_points) * self.eigenvalues)
        return (np.asarray(coefficients) * roots) @ self.vectors.T

    def coefficients(self, values: ArrayLike) -> Array:
        """The coefficients (..., size) of a function of this basis with the values F(Z) (..., M)."""
        roots = np.sqrt(len(self.inducing_points) * self.eigenvalues)
        return np.asarray(values) @ self.vectors / roots
