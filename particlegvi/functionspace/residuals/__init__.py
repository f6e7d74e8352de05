"""The residual G of a function outside the basis: F(x) = sum_m u_m e_m(x) + G(x), G independent of u.

Each residual has `covariance`, `variance` and `sample`. To add a residual, add a file here.
"""

from __future__ import annotations

from particlegvi.contracts import Basis
from particlegvi.functionspace.residuals.conditional import Residual
from particlegvi.functionspace.residuals.thesis import ThesisResidual
from particlegvi.tools.registry import Registry

__all__ = ["Residual", "ThesisResidual", "get", "names"]

_registry: Registry[type[Residual | ThesisResidual]] = Registry(__name__, "residual")
names = _registry.names


def get(name: str, basis: Basis) -> Residual | ThesisResidual:
    """The residual of this name for a basis, for example ``get("gp", basis)``."""
    return _registry.get(name)(basis)
