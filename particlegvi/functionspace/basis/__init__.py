"""Finite bases e_1, ..., e_K of functions, in which a function is sum_m u_m e_m(x) plus a residual.

The prior of the coefficients u determines the covariance of the function. For `Nystroem`, with k the covariance, r
the kernel of the thesis and Z the M inducing points:

====================  =====================  ================================================================
prior of u            name                   covariance of sum_m u_m e_m
====================  =====================  ================================================================
N(0, I)               ``prior="gp"``         k(x, Z) k(Z, Z)^-1 k(Z, x'): with the residual, exactly k
N(0, Lambda)          ``prior="rkhs"``       k(x, Z) k(Z, x') / M: the thesis's r (6.10), nu the points Z
====================  =====================  ================================================================

`Mercer` has the exact eigenpairs of a squared exponential under a normal nu; those of `Nystroem` estimate them from Z.

The e_m of `Nystroem` are orthonormal in the reproducing kernel Hilbert space of k, as in the thesis: a function with
coefficients u has the squared norm |u|^2.

Any object with the attributes of `particlegvi.contracts.Basis` can be given in the place of inducing points. A basis
may have no inducing points and no eigenvalues.
"""

from __future__ import annotations

from particlegvi.contracts import Basis
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.basis.projection import Projection

__all__ = ["PRIORS", "Basis", "Mercer", "Nystroem", "Projection"]

PRIORS = ("rkhs", "gp")
