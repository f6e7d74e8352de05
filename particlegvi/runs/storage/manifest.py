"""The manifest of a run's folder: its first content, and the checks that it must pass before it is used."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from particlegvi.contracts import Array, Facts
from particlegvi.runs.storage import origin
from particlegvi.runs.storage.arrays import as_file
from particlegvi.settings import checks
from particlegvi.tools import files
from particlegvi.tools.sources import code

SCHEMA, FIRST_SCHEMA = 2, 1
FORMAT = "particlegvi run"
GIVEN = "@"  # begins the names of arrays that were handed in; no label of a method has it
# "simulated": only the pictures are missing
STATUS = ("running", "simulated", "finished", "interrupted", "diverged", "failed")
UNFINISHED = ("running", "simulated", "interrupted", "failed")
NEXT = "next.json"  # a run takes the folder over: `particlegvi.runs.storage.creating`
PICTURES = (".png", ".pdf", ".svg", ".gif", ".webp", ".apng", ".mp4", ".webm")  # films included
SINCE_SCHEMA_2 = ("settings", "sha256", "resumed")
ENTRIES = {
    "status": str, "scenario": str, "settings": dict, "seed": int, "versions": dict, "methods": list, "sha256": dict,
    "seconds": dict, "figures": list, "resumed": list,
}  # fmt: skip
# `particlegvi.runs.storage.origin`; folders of before have none of them
ORIGIN: dict[str, type] = {"code": dict, "machine": dict, "anyway": list, "parts": dict}


class New(NamedTuple):
    """The first content of the folder of a new run."""

    name: str  # name of the scenario
    text: str  # the content of ``scenario.toml``
    settings: Facts  # the part of the scenario on which the numbers depend
    seed: int
    versions: dict[str, str]  # versions of the packages on which the numbers depend
    labels: list[str]  # labels of the methods, or of whatever else is run
    parts: dict[str, str] = {}  # notes of the parts from outside: `particlegvi.tools.origins`
    arrays: Mapping[str, Array] = {}  # arrays that were handed in, by a name that follows from their numbers

    def manifest(self) -> Facts:
        """The manifest of a run that starts."""
        return {
            "format": FORMAT, "schema": SCHEMA, "status": "running", "scenario": self.name, "settings": self.settings,
            "seed": self.seed, "versions": self.versions, "methods": [], "seconds": {}, "figures": [],
            "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in self.files().items()},
            "resumed": [], "labels": self.labels, "code": code(), "machine": origin.machine(),
            **({"parts": self.parts} if self.parts else {}),
        }  # fmt: skip

    def files(self) -> dict[str, bytes]:
        """The files of the arrays that were handed in, by their place in the folder."""
        return {f"arrays/{GIVEN}{name}.points.npy": as_file(array) for name, array in self.arrays.items()}


def read(folder: Path) -> Facts:
    """The manifest of a folder; if a run takes the folder over, the manifest of that run.

    A ValueError if there is none, or it is not that of a run, damaged, or of a newer version.
    """
    taken = next_run(folder)
    manifest = earlier(folder) if taken is None else _checked(folder, taken[1], folder / NEXT)
    if manifest is None:
        if not os.path.lexists(folder):
            raise ValueError(f"{folder} does not exist")
        raise ValueError(f"{folder} is not the folder of a run: it has no manifest.json")
    return manifest


def next_run(folder: Path) -> tuple[str, Facts] | None:
    """The scenario, as a text, and the manifest of a run that takes the folder over; None if none does."""
    place = folder / NEXT
    if not os.path.lexists(place):
        return None
    try:
        content = files.read_json(place)
    except ValueError:
        if os.path.lexists(place):
            raise
        return None  # the take-over was completed meanwhile
    if not isinstance(content.get("scenario"), str) or not isinstance(content.get("manifest"), dict):
        raise ValueError(f"{place} is damaged")
    return content["scenario"], content["manifest"]


def earlier(folder: Path) -> Facts | None:
    """The content of manifest.json, also while another run takes the folder over; None if there is no such file."""
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
    if manifest.get("schema") == FIRST_SCHEMA and type(manifest["schema"]) is int:
        manifest = _upgraded(folder, manifest)
    elif manifest.get("schema") != SCHEMA:
        raise ValueError(
            f"{folder} has the schema {manifest.get('schema')!r:.40}; this version reads {FIRST_SCHEMA} and {SCHEMA}"
        )
    for name, kind in ENTRIES.items():
        if not isinstance(manifest.get(name), kind) or (name == "status" and manifest[name] not in STATUS):
            raise ValueError(f"{place} is damaged: {name} is {manifest.get(name)!r:.40}")
    labels = manifest.get("labels", [])  # early folders of schema 2 have none
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"{place} is damaged: labels is {labels!r:.40}")
    for name, kind in ORIGIN.items():
        if not isinstance(manifest.get(name, kind()), kind):
            raise ValueError(f"{place} is damaged: {name} is {manifest[name]!r:.40}")
    if not all(isinstance(each, str) for each in manifest.get("parts", {}).values()):
        raise ValueError(f"{place} is damaged: its parts are no texts")
    checks.whole(0, 2**64 - 1)(manifest["seed"], f"the seed in {place}")
    for name in manifest["figures"]:
        if not isinstance(name, str) or Path(name).name != name or Path(name).suffix not in PICTURES:
            raise ValueError(f"{place} is damaged: {name!r:.40} is not the name of a picture")
    return manifest


def _upgraded(folder: Path, manifest: Facts) -> Facts:
    """A manifest of schema 1 with the entries of schema 2: files by their names, for which it has no sha256."""
    methods = manifest.get("methods")
    sound = [label for label in methods if isinstance(label, str)] if isinstance(methods, list) else []
    names = [f"arrays/{label}.{ending}" for label in sound for ending in ("positions.npy", "steps.npy", "json")]
    if (folder / "summary.json").exists():
        names.append("summary.json")
    return {**manifest, "settings": {}, "sha256": dict.fromkeys(names), "resumed": []}


def as_stored(manifest: Facts) -> Facts:
    """The content of manifest.json: of schema 1 without the entries that `read` has added."""
    if manifest["schema"] == SCHEMA:
        return manifest
    return {name: entry for name, entry in manifest.items() if name not in SINCE_SCHEMA_2}


def check_same(folder: Path, manifest: Facts, settings: Facts, expected: Facts | None, seed: int | None) -> None:
    """Refuse, with a ValueError, a run of other settings or of another seed than expected; None accepts all."""
    changed = None if expected is None else difference(settings, expected)
    if changed is not None:
        key, before, after = changed
        raise ValueError(f"{folder} is a run of another scenario: {key} is {before!r:.60}, not {after!r:.60}")
    if seed is not None and seed != manifest["seed"]:
        raise ValueError(f"{folder} has the seed {manifest['seed']}, not {seed}")


def check_schema(folder: Path, manifest: Facts) -> None:
    """Refuse to go on with a run of the first schema."""
    if manifest["schema"] == FIRST_SCHEMA:
        again = f"particlegvi run {folder / 'scenario.toml'} --seed {manifest['seed']} --out {folder} --overwrite"
        raise ValueError(
            f"{folder} has the schema {FIRST_SCHEMA}, without checkpoints: load and plot read it, and resume does not;"
            f" {again} starts over"
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
