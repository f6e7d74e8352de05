"""The code and the machine that the numbers of a folder come from: what a manifest says of them, and how they compare.

The version of the package stays for months while its code is edited, so the code is told by a digest of its sources.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.runs.storage.versions import versions
from particlegvi.tools import system

PACKAGE = Path(__file__).resolve().parents[2]
# They draw, ask and tell, after the numbers are there or beside them; an edit in them changes no file that is compared.
AFTER_THE_NUMBERS = ("bench/", "cli/", "pages/", "plotting/", "tools/export/", "tools/words/", "verification/")
SOURCES = "sources"  # the key of the digest, in manifests and beside the versions of a sweep
SHORT = 12  # characters of a commit that a sentence shows


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


def decisive() -> dict[str, str]:
    """The versions that numbers depend on, and the digest of the sources: they name the cells of a sweep."""
    return versions() | {SOURCES: sources()}


def code() -> dict[str, str]:
    """The digest of the sources, and the commit where there is one."""
    at = commit()
    return {SOURCES: sources(), **({"commit": at} if at else {})}


def machine() -> dict[str, str]:
    """The kind of processor, and the libraries of linear algebra with the kernels that they chose for it."""
    return {"processor": system.processor(), "blas": system.linear_algebra()}


def check_code(folder: Path, manifest: Facts, anyway: bool) -> Facts:
    """Compare the sources with those that a run was begun with, or that it was last gone on with.

    Returns
    -------
    dict
        The entry of the manifest that says so, where ``anyway`` goes on with others; empty otherwise, and for a folder
        of before, which names no sources.

    Raises
    ------
    ValueError
        If they differ, and ``anyway`` is not said.
    """
    known = [entry for entry in manifest.get("anyway", []) if isinstance(entry, dict) and SOURCES in entry]
    before, now = known[-1] if known else manifest.get("code", {}), code()
    if not isinstance(before, dict) or before.get(SOURCES, now[SOURCES]) == now[SOURCES]:
        return {}
    if anyway:
        return {**now, "from_" + SOURCES: before[SOURCES]}
    raise ValueError(
        f"{folder} was begun with other sources of particlegvi ({_shown(before)}) than these ({_shown(now)}), which may"
        " give other numbers; go on with those, start over with --overwrite, or say --anyway (anyway=True)"
    )


def _shown(code: Mapping[str, object]) -> str:
    at = f", commit {str(code['commit'])[:SHORT]}" if code.get("commit") else ""
    return f"digest {str(code[SOURCES])[:16]}{at}"


def warn_of_other_code(folder: Path, manifest: Facts) -> None:
    """A warning where results come from other sources than these."""
    code_then = manifest.get("code")
    if isinstance(code_then, dict) and code_then.get(SOURCES, sources()) != sources():
        warnings.warn(
            f"{folder} was simulated with other sources of particlegvi ({_shown(code_then)}) than these: its files are"
            " unchanged, and numbers that are computed from them now may differ",
            UserWarning,
            stacklevel=2,
        )


def warn_of_other_machine(folder: Path, manifest: Facts) -> Facts:
    """A warning where a run was begun on another processor or linear algebra; what is here then, and {} otherwise."""
    before, now = manifest.get("machine"), machine()
    if not isinstance(before, dict):
        return {}
    changed = next((name for name in now if before.get(name, now[name]) != now[name]), None)
    if changed is None:
        return {}
    warnings.warn(
        f"{folder} was begun with the {NAMED[changed]} {str(before[changed]):.60}, and this is {now[changed]}: the last"
        " digits of its numbers may differ, and functions may be others from the same law",
        UserWarning,
        stacklevel=2,
    )
    return {"machine": now}


NAMED = {"processor": "processor", "blas": "linear algebra"}
