"""Which versions a run was made with: those that its numbers may depend on."""

from __future__ import annotations

import platform
from importlib import metadata

from particlegvi import __version__


def versions() -> dict[str, str]:
    """Version by package, and Python's."""
    found = {"particlegvi": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "numba"):
        found[name] = metadata.version(name)
    return found
