"""Finite bases e_1, ..., e_K of functions, in which a function is sum_m u_m e_m(x) plus a residual.

The prior of the coefficients u decides about the covariance of the function. For `Nystroem`, with k the covariance, r
the kernel of the thesis and Z the M inducing points:

====================  =====================  ================================================================
prior of u            name                   covariance of sum_m u_m e_m
====================  =====================  ================================================================
N(0, I)               ``prior="gp"``         k(x, Z) k(Z, Z)^-1 k(Z, x'): with the residual, exactly k
N(0, Lambda)          ``prior="rkhs"``       k(x, Z) k(Z, x') / M: the thesis's r (6.10), nu the points Z
====================  =====================  ================================================================

The e_m of `Nystroem` are orthonormal in the reproducing kernel Hilbert space of k, as in the thesis: a function with
coefficients u has the squared norm |u|^2.

A new basis is one more file here: a class with a ``name`` and the attributes of `particlegvi.contracts.Basis`, and a
class method ``restore(covariance, state)``. ``state`` is what the method ``state()`` returned, with numbers possibly as
arrays of one entry. A basis need have neither inducing points nor eigenvalues.
"""

from __future__ import annotations

from typing import Any

from particlegvi.contracts import Basis
from particlegvi.functionspace.basis.inducing_values import InducingPoints, InducingValues
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.basis.projection import Projection
from particlegvi.tools.registry import Registry

__all__ = ["PRIORS", "Basis", "InducingPoints", "InducingValues", "Nystroem", "Projection", "get", "names"]

PRIORS = ("rkhs", "gp")
_registry = Registry(__name__, "basis")


def names() -> list[str]:
    """The names of all bases, in alphabetical order."""
    return _registry.names()


def get(name: str) -> Any:
    """The class of the basis of this name, for example ``get("nystroem")``.

    Raises
    ------
    ValueError
        If there is no such basis; the nearest one is suggested.
    """
    return _registry[name]
