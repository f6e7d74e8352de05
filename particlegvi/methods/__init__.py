"""What flows: each method is a free energy (which weights are on), or its own flow.

A method has a ``label`` and a method ``flow(problem)`` that returns a :class:`particlegvi.methods.flow.Flow`.
"""

from particlegvi.methods.free_energy import DE, DLE, DRE, DRLE, FreeEnergy
from particlegvi.methods.gaussian import FDGVI
from particlegvi.registry import look_up

__all__ = ["DE", "DLE", "DRE", "DRLE", "FDGVI", "FreeEnergy", "get", "names"]

_METHODS = {method.label: method for method in (DE, DLE, DRE, DRLE, FDGVI)}


def names() -> list[str]:
    """Names of all methods."""
    return list(_METHODS)


def get(name: str):
    """The class of this method; an unknown name is a ``ValueError`` with the nearest right one."""
    return look_up("method", name, _METHODS)
