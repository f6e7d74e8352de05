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
SHORT = 12  # characters of a commit that a sentence shows


def versions() -> dict[str, str]:
    """Version by package, and Python's."""
    found = {"particlegvi": __version__, "python": platform.python_version()}
    return found | {name: _installed(name) for name in ("numpy", "scipy", "numba")}


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
        for name in sorted(each for each in names if each.endswith(".py")):
            inside = f"{room}/{name}" if room else name
            if not inside.startswith(AFTER_THE_NUMBERS):
                with open(os.path.join(place, name), "rb") as file:
                    content = file.read()
                digest.update(f"{inside} {len(content)} ".encode())
                digest.update(content)
    return digest.hexdigest()[:16]


@cache
def commit(checkout: Path = PACKAGE.parent) -> str:
    """The commit that a checkout is at, read from its folder ``.git``; empty where there is none."""
    try:
        git = checkout / ".git"
        if git.is_file():  # of a worktree
            git = checkout / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return _whole(head)
        name = head.removeprefix("ref: ")
        common = git / "commondir"
        shared = git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
        for folder in (git, shared):
            if (folder / name).is_file():
                return _whole((folder / name).read_text(encoding="utf-8").strip())
        packed = (shared / "packed-refs").read_text(encoding="utf-8").splitlines()
        return _whole(next((line.split()[0] for line in packed if line.endswith(f" {name}")), ""))
    except (OSError, UnicodeDecodeError):
        return ""


def _whole(found: str) -> str:
    return found if len(found) in (40, 64) and set(found) <= set("0123456789abcdef") else ""


def decisive(scenario: object = None) -> dict[str, str]:
    """The versions that numbers depend on, and the digest of the sources: they name the cells of a sweep.

    With those of the parts from outside that a scenario names.
    """
    return versions() | {SOURCES: sources()} | origins.notes(scenario)


def code() -> dict[str, str]:
    """The digest of the sources, and the commit where there is one."""
    at = commit()
    return {SOURCES: sources(), **({"commit": at} if at else {})}


def changed(then: Mapping[str, object]) -> tuple[str, str] | None:
    """The first version, the sources, or the part from outside, in which this process differs: both in words.

    Python's own version does not reach the numbers. Where ``then`` names no sources, as in early folders, only versions
    are compared.
    """
    here = {**decisive(), **code()}
    for name in [*versions(), SOURCES]:
        before, now = then.get(name, "none"), here[name]
        if name == "python" or before == now or (name == SOURCES and SOURCES not in then):
            continue
        if name == SOURCES:
            return f"other sources of particlegvi ({_shown(then)})", _shown(here)
        return f"{name} {before}", now
    return origins.changed(then)


def _shown(code: Mapping[str, object]) -> str:
    at = f", commit {str(code['commit'])[:SHORT]}" if code.get("commit") else ""
    return f"digest {str(code[SOURCES])[:16]}{at}"
