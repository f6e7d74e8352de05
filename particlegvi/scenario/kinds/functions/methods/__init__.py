"""Methods of a scenario that fit functions to data.

One small file for each method, found by its name: "PLS", "SVGP", "GP", "SoR", "BLR", "GWI". A method has
``fit(problem, progress, storage)``, which returns a `Fit` of plain arrays, and ``restore(problem, fit)``, which returns
the posterior with the marginals and samples of the function at new inputs. A posterior that is loaded from a folder
equals the one that was written.
"""

from __future__ import annotations

from typing import Any

from particlegvi.tools.registry import Registry

_registry: Registry[Any] = Registry(__name__, "method over functions")
names, get, register = _registry.names, _registry.make, _registry.register
