"""The code and the machine that the numbers of a folder come from, compared with those of this process."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.tools import system
from particlegvi.tools.sources import SOURCES, code, sources

SHORT = 12  # characters of a commit that a sentence shows
NAMED = {"processor": "processor", "blas": "linear algebra"}


def machine() -> dict[str, str]:
    """The kind of processor, and the libraries of linear algebra with the kernels that they chose for it."""
    return {"processor": system.processor(), "blas": system.linear_algebra()}


def check_code(folder: Path, manifest: Facts, anyway: bool) -> Facts:
    """Refuse other sources than those that a run was begun with, or that it was last gone on with.

    The entry of the manifest that says so, where ``anyway`` goes on with others; empty otherwise, and for a folder of
    before, which names no sources.
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
