"""The code and the machine that the numbers of a folder come from, compared with those of this process."""

from __future__ import annotations

from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.tools import system
from particlegvi.tools.errors import warn
from particlegvi.tools.sources import SOURCES, changed, note_now, sources, versions

NAMED = {"processor": "processor", "blas": "linear algebra"}


def machine() -> dict[str, str]:
    """The kind of processor, and the libraries of linear algebra with the kernels that they chose for it."""
    return {"processor": system.processor(), "blas": system.linear_algebra()}


def check_code(folder: Path, manifest: Facts, anyway: bool) -> Facts:
    """Refuse other versions, sources or parts than those that a run was begun with, or that it was last gone on with.

    The entry of the manifest that says so, where ``anyway`` goes on with others; empty otherwise.
    """
    known = [entry for entry in manifest.get("anyway", []) if isinstance(entry, dict) and SOURCES in entry]
    own = known[-1] if known else manifest["code"]
    noted: Facts = {**manifest.get("parts", {})}
    for entry in manifest.get("anyway", []):
        noted |= entry.get("parts", {}) if isinstance(entry, dict) else {}
    others: Facts = {}
    for then, entry in (
        (manifest["versions"], {"versions": versions()}),
        ({**versions(), **own}, {SOURCES: sources(), f"from_{SOURCES}": own.get(SOURCES)}),
        ({**versions(), **noted}, {"parts": {key: note_now(key) for key in noted}}),
    ):
        words = changed(then)
        if words is not None and not anyway:
            raise ValueError(
                f"{folder} was begun with {words[0]} and this is {words[1]}, which may give other numbers; go on with"
                " the version that began it, start over with --overwrite, or say --anyway (anyway=True)"
            )
        others |= {} if words is None else entry
    return others


def warn_of_other_code(folder: Path, manifest: Facts) -> None:
    """A warning where results come from other sources than these, of the package or of parts from outside."""
    words = changed({**versions(), **manifest["code"], **manifest.get("parts", {})})
    if words is not None:
        warn(
            f"{folder} was simulated with {words[0]} and this is {words[1]}: its files are unchanged, and numbers that"
            " are computed from them now may differ"
        )


def warn_of_other_machine(folder: Path, manifest: Facts) -> Facts:
    """A warning where a run was begun on another processor or linear algebra; what is here then, and {} otherwise."""
    before, now = manifest["machine"], machine()
    changed = next((name for name in now if before.get(name, now[name]) != now[name]), None)
    if changed is None:
        return {}
    warn(
        f"{folder} was begun with the {NAMED[changed]} {str(before[changed]):.60}, and this is {now[changed]}: the last"
        " digits of its numbers may differ, and functions may be others from the same law"
    )
    return {"machine": now}
