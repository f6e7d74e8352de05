"""Finite bases e_1, ..., e_K of functions, in which a function is sum_m u_m e_m(x) plus a residual.

The prior of the coefficients u determines the covariance of the function. For `Nystroem`, with k the covariance, r
the kernel of the thesis and Z the M inducing points:

====================  =====================  ================================================================
prior of u            name                   covariance of sum_m u_m e_m
====================  =====================  ================================================================
N(0, I)               ``prior="gp"``         k(x, Z) k(Z, Z)^-1 k(Z, x'): with the residual, exactly k
N(0, Lambda)          ``prior="rkhs"``       k(x, Z) k(Z, x') / M: the thesis's r (6.10), nu the points Z
====================  =====================  ================================================================

`Mercer` has the exact eigenpairs of k under a Gaussian or uniform nu, which those of `Nystroem` estimate from Z.

The e_m of `Nystroem` are orthonormal in the reproducing kernel Hilbert space of k, as in the thesis: a function with
coefficients u has the squared norm |u|^2.

To add a basis, add a file here: a class with a ``name`` and the attributes of `particlegvi.contracts.Basis`, and a
class method ``restore(covariance, state)``. Here ``state`` is the result of the method ``state()``; its numbers may
have become arrays of one entry. A basis may have no inducing points and no eigenvalues.
"""

from __future__ import annotations

from typing import Any

from particlegvi.contracts import Basis
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.basis.projection import Projection
from particlegvi.tools.registry import Registry

__all__ = ["PRIORS", "Basis", "Mercer", "Nystroem", "Projection", "get", "names", "register"]

PRIORS = ("rkhs", "gp")
_registry: Registry[Any] = Registry(__name__, "basis")
names, get, register = _registry.names, _registry.get, _registry.register
