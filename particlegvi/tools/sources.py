"""The code of this process: the versions of the packages that numbers depend on, and a digest of the package's sources.

The version of the package stays for months while its code is edited, so the code is told by a digest of its sources.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

from particlegvi.tools import origins
from particlegvi.version import __version__

PACKAGE = Path(__file__).resolve().parents[1]
# They draw, ask and tell, after the numbers are there or beside them; an edit in them changes no file that is compared.
AFTER_THE_NUMBERS = ("cli/", "pages/", "plotting/", "tools/export/", "tools/words/", "verification/")
SOURCES = "sources"  # the key of the digest, in manifests and beside the versions of a sweep


def versions() -> dict[str, str]:
    """Version by package, and Python's."""
    own = {"particlegvi": __version__, "python": platform.python_version()}
    return own | {name: _installed(name) for name in ("numpy", "scipy", "numba", "finufft")}


@cache
def _installed(name: str) -> str:
    return metadata.version(name)


@cache
def sources() -> str:
    """Digest of the package's sources that can change a saved number: all but `AFTER_THE_NUMBERS`."""
    digest = hashlib.sha256()
    for place, folders, names in os.walk(PACKAGE):
        folders.sort()
        room = place[len(str(PACKAGE)) + 1 :].replace(os.sep, "/")
        for name in sorted(file_name for file_name in names if file_name.endswith(".py")):
            inside = f"{room}/{name}" if room else name
            if not inside.startswith(AFTER_THE_NUMBERS):
                with open(os.path.join(place, name), "rb") as file:
                    content = file.read()
                digest.update(f"{inside} {len(content)} ".encode())
                digest.update(content)
    return digest.hexdigest()[:16]


def decisive(scenario: object = None) -> dict[str, str]:
    """The versions that numbers depend on, and the digest of the sources: they name the cells of a sweep.

    With those of the parts from outside that a scenario names.
    """
    return versions() | {SOURCES: sources()} | origins.notes(scenario)


def code() -> dict[str, str]:
    """The digest of the sources, as the manifest has it."""
    return {SOURCES: sources()}


def changed(then: Mapping[str, object]) -> tuple[str, str] | None:
    """The first version, the sources, or the part from outside, in which this process differs: both in words.

    Python's own version does not reach the numbers. Where ``then`` names no sources, as in early folders, only versions
    are compared.
    """
    here = decisive()
    for name in [*versions(), SOURCES]:
        before, now = then.get(name, "none"), here[name]
        if name == "python" or before == now or (name == SOURCES and SOURCES not in then):
            continue
        if name == SOURCES:
            return f"other sources of particlegvi (digest {str(before)[:16]})", f"digest {now}"
        return f"{name} {before}", now
    return origins.changed(then)
