"""Finite bases e_1, ..., e_K of functions, in which a function is sum_m u_m e_m(x) plus a residual.

How the coefficients u, the covariance k and the thesis's kernel r belong together (Z the M inducing points):

====================  =====================  ================================================================
prior of u            name                   covariance of sum_m u_m e_m
====================  =====================  ================================================================
N(0, I)               ``prior="gp"``         k(x, Z) k(Z, Z)^-1 k(Z, x'): with the residual, exactly k
N(0, Lambda)          ``prior="rkhs"``       k(x, Z) k(Z, x') / M: the thesis's r (6.10), nu the points Z
====================  =====================  ================================================================

Both hold with `Nystroem`, whose e_m are orthonormal in the reproducing kernel Hilbert space of k, as in the thesis: a
function with coefficients u has the squared norm |u|^2. A new basis is one more file here.
"""

from __future__ import annotations

from particlegvi.functionspace.basis.base import PRIORS, Basis
from particlegvi.functionspace.basis.inducing_points import InducingPoints
from particlegvi.functionspace.basis.nystroem import Nystroem

__all__ = ["PRIORS", "Basis", "InducingPoints", "Nystroem"]
