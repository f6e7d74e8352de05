"""The versions of the packages that the numbers of a run may depend on."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

from particlegvi.version import __version__


def versions() -> dict[str, str]:
    """Version by package, and Python's."""
    found = {"particlegvi": __version__, "python": platform.python_version()}
    return found | {name: _installed(name) for name in ("numpy", "scipy", "numba")}


@cache
def _installed(name: str) -> str:
    return metadata.version(name)
