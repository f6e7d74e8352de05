"""The manifest of a run's folder: what it holds at first, and the checks that it must pass to be believed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from particlegvi.contracts import Facts
from particlegvi.settings import checks
from particlegvi.tools import files

SCHEMA = 2
FORMAT = "particlegvi run"
# "simulated": all but the pictures is there
STATUS = ("running", "simulated", "finished", "interrupted", "diverged", "failed")
UNFINISHED = ("running", "simulated", "interrupted", "failed")
NEXT = "next.json"  # of a run that takes the folder over: `particlegvi.storage.overwriting`
PICTURES = (".png", ".pdf", ".svg", ".gif", ".webp", ".apng", ".mp4", ".webm")  # and films
ENTRIES = {
    "status": str, "scenario": str, "settings": dict, "seed": int, "versions": dict, "methods": list, "sha256": dict,
    "seconds": dict, "figures": list, "resumed": list,
}  # fmt: skip


class New(NamedTuple):
    """The first content of the folder of a new run.

    Attributes
    ----------
    name : str
        Of the scenario.
    text : str
        The content of ``scenario.toml``.
    settings : dict
        The part of the scenario that decides about the numbers.
    seed : int
    versions : dict
        Versions of the packages that decide about the numbers.
    labels : list of str
        Of what is run.
    """

    name: str
    text: str
    settings: Facts
    seed: int
    versions: dict[str, str]
    labels: list[str]

    def manifest(self) -> Facts:
        """The manifest of a run that begins."""
        return {
            "format": FORMAT, "schema": SCHEMA, "status": "running", "scenario": self.name, "settings": self.settings,
            "seed": self.seed, "versions": self.versions, "methods": [], "sha256": {}, "seconds": {}, "figures": [],
            "resumed": [], "labels": self.labels,
        }  # fmt: skip


def read(folder: Path) -> Facts:
    """The manifest of a folder; that of the run that takes it over, where one does.

    Raises
    ------
    ValueError
        If it is not there, not a run's, damaged, or written by another version.
    """
    taken = next_run(folder)
    manifest = earlier(folder) if taken is None else _checked(folder, taken[1], folder / NEXT)
    if manifest is None:
        raise ValueError(f"{folder} is not the folder of a run: it has no manifest.json")
    return manifest


def next_run(folder: Path) -> tuple[str, Facts] | None:
    """The scenario, as a text, and the manifest of a run that takes the folder over; None where none does."""
    place = folder / NEXT
    if not os.path.lexists(place):
        return None
    try:
        content = files.read_json(place)
    except ValueError:
        if os.path.lexists(place):
            raise
        return None  # it has done so meanwhile
    if not isinstance(content.get("scenario"), str) or not isinstance(content.get("manifest"), dict):
        raise ValueError(f"{place} is damaged")
    return content["scenario"], content["manifest"]


def earlier(folder: Path) -> Facts | None:
    """The content of manifest.json, also while another run takes the folder over; None where there is no such file."""
    place = folder / "manifest.json"
    return _checked(folder, files.read_json(place), place) if os.path.isfile(place) else None


def _checked(folder: Path, manifest: Facts, place: Path) -> Facts:
    for part in ("arrays", "checkpoint", "checkpoint/replicates", "cells"):
        if (folder / part).is_symlink():
            raise ValueError(f"{folder / part} is a link, which is not followed")
    if manifest.get("format") == "particlegvi sweep":
        raise ValueError(f"{place.parent} must be the folder of a run, not of a sweep, which has no particles in it")
    if manifest.get("format") != FORMAT:
        raise ValueError(f"{place} is not the manifest of a particlegvi run")
    if manifest.get("schema") != SCHEMA:
        raise ValueError(f"{folder} has the schema {manifest.get('schema')!r:.40}; this version reads {SCHEMA}")
    for name, kind in ENTRIES.items():
        if not isinstance(manifest.get(name), kind) or (name == "status" and manifest[name] not in STATUS):
            raise ValueError(f"{place} is damaged: {name} is {manifest.get(name)!r:.40}")
    labels = manifest.get("labels", [])  # folders of before have none
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"{place} is damaged: labels is {labels!r:.40}")
    checks.whole(0, 2**64 - 1)(manifest["seed"], f"the seed in {place}")
    for name in manifest["figures"]:
        if not isinstance(name, str) or Path(name).name != name or Path(name).suffix not in PICTURES:
            raise ValueError(f"{place} is damaged: {name!r:.40} is not the name of a picture")
    return manifest


def check_same(folder: Path, manifest: Facts, settings: Facts, expected: Facts | None, seed: int | None) -> None:
    """Refuse, with a ValueError, a run of other settings or of another seed than expected; None expects nothing."""
    changed = None if expected is None else difference(settings, expected)
    if changed is not None:
        key, before, after = changed
        raise ValueError(f"{folder} is a run of another scenario: {key} is {before!r:.60}, not {after!r:.60}")
    if seed is not None and seed != manifest["seed"]:
        raise ValueError(f"{folder} has the seed {manifest['seed']}, not {seed}")


def check_versions(folder: Path, manifest: Facts, versions: dict[str, str]) -> None:
    """Refuse, with a ValueError, a run that was begun with other versions than these, which may give other numbers."""
    # Python's own version does not reach the numbers.
    changed = difference({**manifest["versions"], "python": ""}, {**versions, "python": ""})
    if changed is not None:
        package, before, now = changed
        raise ValueError(
            f"{folder} was begun with {package} {before} and this is {now}, which may give other numbers;"
            f" go on with {package} {before}, or start over with --overwrite"
        )


def difference(before: Any, after: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """The first place at which two tables differ, as (dotted key, before, after)."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return None if before == after else (key, before, after)
    for name in sorted({*before, *after}):
        found = difference(before.get(name), after.get(name), f"{key}.{name}".strip("."))
        if found is not None:
            return found
    return None
