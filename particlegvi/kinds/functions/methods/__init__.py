"""Methods of a scenario that fit functions to data.

One small file for each method, found by its name: "PLS", "SVGP", "GP", "SoR", "BLR". A method has
``fit(problem, progress, storage)``, which returns a `Fit` of plain arrays, and ``restore(problem, fit)``, which returns
the posterior with the marginals and samples of the function at new inputs. A posterior that was loaded from a folder is
the one that was written.
"""

from __future__ import annotations

import inspect
from typing import Any

from particlegvi.tools.registry import Registry, check_parameters

_registry = Registry(__name__, "method over functions")


def names() -> list[str]:
    """The names of all methods."""
    return _registry.names()


def get(name: str, **parameters: Any) -> Any:
    """The method of this name, for example ``get("PLS", moves="none")``.

    Raises
    ------
    ValueError
        If there is no such method or parameter, or a value is not allowed.
    """
    method = _registry[name]
    check_parameters(name, parameters, inspect.signature(method).parameters)
    return method(**parameters)
