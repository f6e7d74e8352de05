"""Methods: settings of one free energy (the weights that are on), or flows of their own.

A method is a subclass of `Method` with a ``name``, a ``label`` and a method ``flow(problem)`` that returns a
:class:`particlegvi.contracts.Flow`. A new one is one more file here.
"""

from typing import Any

from particlegvi.methods.free_energy import DE, DLE, DRE, DRLE, FreeEnergy
from particlegvi.methods.gaussian import FDGVI
from particlegvi.methods.implicit import JKO
from particlegvi.methods.method import Method
from particlegvi.methods.mmd_flow import MMDFlow
from particlegvi.methods.svgd import SVGD
from particlegvi.tools.registry import Registry

__all__ = [
    "DE", "DLE", "DRE", "DRLE", "FDGVI", "JKO", "SVGD", "FreeEnergy", "MMDFlow", "Method", "get", "names",
    "register",
]  # fmt: skip

_registry: Registry[type[Method]] = Registry(__name__, "method")
names, get, register = _registry.names, _registry.get, _registry.register


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and name in _registry:
        return get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
