"""The residual G of a function outside the basis: F(x) = sum_m u_m e_m(x) + G(x), G independent of u.

Each has `covariance`, `variance` and `sample` for a covariance and a basis. A new one is one more file here.
"""

from __future__ import annotations

from particlegvi.contracts import Basis
from particlegvi.functionspace.residuals.conditional import Residual
from particlegvi.functionspace.residuals.thesis import ThesisResidual
from particlegvi.tools.registry import Registry

__all__ = ["Residual", "ThesisResidual", "get", "names"]

_registry = Registry("particlegvi.functionspace.residuals", "residual")


def names() -> list[str]:
    """The names of all residuals, in alphabetical order."""
    return _registry.names()


def get(name: str, basis: Basis) -> Residual | ThesisResidual:
    """The residual of this name for a basis, for example ``get("gp", basis)``.

    Raises
    ------
    ValueError
        If there is no such residual; the nearest one is suggested.
    """
    return _registry[name](basis)
