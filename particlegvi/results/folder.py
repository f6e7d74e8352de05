"""The folder of a run: what is in it, in which order it is written, and how it is read. Nothing else knows.

    scenario.toml               the complete scenario; running it again with the same seed gives the same run
    manifest.json               schema, status, seed, versions, how long each method took, names of the pictures
    arrays/LABEL.positions.npy  (records, particles, dim) float64
    arrays/LABEL.steps.npy      (records,) int64, the step number of each record
    arrays/LABEL.json           what else the run says about itself (kernel, algorithm, ...)
    summary.json                the numbers worth quoting; there once the run is finished
    *.png                       the pictures

The folder appears whole, with scenario and manifest, before anything is simulated. Each method is added when it is
done; the manifest names it only after its arrays are on the disk. A checkpoint would be one more array per method and
an entry of the manifest. Wall-clock times are in the manifest only: all other files depend on scenario, seed and
versions alone.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi import files
from particlegvi.results.arrays import read_array, write_array
from particlegvi.scenario import keys, text

SCHEMA = 1
FORMAT = "particlegvi run"
STATUS = ("running", "finished", "interrupted", "diverged", "failed")
PICTURES = (".png", ".pdf", ".svg")
ENTRIES = {
    "status": str, "scenario": str, "seed": int, "versions": dict, "methods": list, "seconds": dict, "figures": list
}  # fmt: skip


class Record(NamedTuple):
    """What the folder keeps of one method."""

    positions: NDArray[np.float64]
    steps: NDArray[np.int64]
    info: dict[str, Any]


class Folder:
    """A run's folder that exists: made by `create` or `open_folder`."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest

    def scenario(self) -> dict[str, Any]:
        """The complete scenario, checked as strictly as any other file."""
        place = self.path / "scenario.toml"
        try:
            return keys.check(tomllib.loads(files.read_text(place, links=False)))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{place} is not a complete scenario: {error}") from None

    def summary(self) -> dict[str, Any] | None:
        place = self.path / "summary.json"
        return files.read_json(place) if place.exists() else None

    def add(self, label: str, record: Record, seconds: float | None = None) -> None:
        """Write what one method recorded, then name it in the manifest."""
        write_array(self._array(label, "positions.npy"), record.positions)
        write_array(self._array(label, "steps.npy"), record.steps)
        files.write_json(self._array(label, "json"), finite(record.info))
        self.manifest["methods"] = [*self.manifest["methods"], label]
        if seconds is not None:
            self.manifest["seconds"][label] = round(float(seconds), 3)
        self.update()

    def record(self, label: str) -> Record:
        """Read what one method recorded.

        Raises
        ------
        ValueError
            If the method is not finished, or a file is missing, damaged or does not fit the others.
        """
        if label not in self.manifest["methods"]:
            raise ValueError(f"{self.path} has no results of {label}: it is {self.manifest['status']}")
        positions = read_array(self._array(label, "positions.npy"), np.float64, 3)
        steps = read_array(self._array(label, "steps.npy"), np.int64, 1)
        if len(positions) != len(steps) or positions.size == 0:
            raise ValueError(f"{self.path} is damaged: {label} has {len(positions)} records of {len(steps)} steps")
        info = files.read_json(self._array(label, "json"))
        if label in self.manifest["seconds"]:
            info["seconds"] = self.manifest["seconds"][label]
        return Record(positions, steps, info)

    def write_summary(self, summary: dict[str, Any]) -> None:
        files.write_json(self.path / "summary.json", finite(summary))

    def update(self, **entries: Any) -> None:
        """Change entries of the manifest and write it."""
        self.manifest.update(entries)
        files.write_json(self.path / "manifest.json", self.manifest)

    def discard(self) -> None:
        """Take away what `create` has written."""
        for name in ("scenario.toml", "manifest.json"):
            (self.path / name).unlink(missing_ok=True)
        for place in (self.path / "arrays", self.path):
            with contextlib.suppress(OSError):  # it holds something of somebody else
                place.rmdir()

    def _array(self, label: str, ending: str) -> Path:
        if not keys.checks.LABEL.fullmatch(label):  # checked before, but here it becomes a path
            raise ValueError(f"{label!r} cannot be the label of a method")
        return self.path / "arrays" / f"{label}.{ending}"


def create(
    out: str | os.PathLike[str] | None, scenario: dict[str, Any], seed: int, versions: dict[str, str], overwrite: bool
) -> Folder:
    """Make the folder of a new run, with its scenario and manifest, in one step.

    Without ``out`` it is ``runs/NAME``, or ``runs/NAME-2`` and so on if that is taken.

    Raises
    ------
    ValueError
        If ``out`` exists and may not be overwritten, or cannot be made.
    """
    manifest = {
        "format": FORMAT, "schema": SCHEMA, "status": "running", "scenario": scenario["name"], "seed": seed,
        "versions": versions, "methods": [], "seconds": {}, "figures": [],
    }  # fmt: skip
    try:
        if out is None:
            return _first_free(Path("runs") / scenario["name"], scenario, manifest)
        path = files.place("out", out)
        if os.path.lexists(path):
            if not overwrite:
                raise ValueError(f"{path} exists already; choose another folder, or say --overwrite (overwrite=True)")
            return _again(path, scenario, manifest)
        if not _appear(path, scenario, manifest):
            raise ValueError(f"{path} exists already: another run has just made it")
        return Folder(path, manifest)
    except OSError as error:
        raise ValueError(f"the folder {out or 'runs'} cannot be used for results: {error.strerror}") from None


def _first_free(path: Path, scenario: dict[str, Any], manifest: dict[str, Any]) -> Folder:
    number = 1
    while True:
        candidate = path if number == 1 else path.with_name(f"{path.name}-{number}")
        if not os.path.lexists(candidate) and _appear(candidate, scenario, manifest):
            return Folder(candidate, manifest)
        number += 1


def _appear(path: Path, scenario: dict[str, Any], manifest: dict[str, Any]) -> bool:
    """Fill a folder under a temporary name and rename it; False if somebody else was faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.mkdir()
    try:
        _begin(temporary, scenario, manifest)
        try:
            temporary.rename(path)
        except OSError:
            if not os.path.lexists(path):
                raise
            return False
        return True
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _begin(path: Path, scenario: dict[str, Any], manifest: dict[str, Any]) -> None:
    (path / "arrays").mkdir(exist_ok=True)
    files.write_text(path / "scenario.toml", text(scenario))
    files.write_json(path / "manifest.json", manifest)


def _again(path: Path, scenario: dict[str, Any], manifest: dict[str, Any]) -> Folder:
    """Start over in the folder of an earlier run. Only files that a run has written are removed."""
    if not path.is_dir() or (any(path.iterdir()) and not (path / "manifest.json").is_file()):
        raise ValueError(f"{path} is not the folder of a run, so it is not overwritten")
    old = open_folder(path).manifest if (path / "manifest.json").exists() else {"figures": []}
    arrays = path / "arrays"
    if arrays.is_symlink():
        raise ValueError(f"{arrays} is a link, so it is not overwritten")
    _begin(path, scenario, manifest)
    pictures = [path / name for name in old["figures"]]
    for stale in [path / "summary.json", *pictures, *arrays.glob("*.npy"), *arrays.glob("*.json")]:
        stale.unlink(missing_ok=True)
    return Folder(path, manifest)


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """The folder of an earlier run.

    Raises
    ------
    ValueError
        If it is not there, not a run's, damaged, or written by a newer version.
    """
    path = files.place("folder", path)
    if not os.path.isfile(path / "manifest.json"):
        raise ValueError(f"{path} is not the folder of a run: it has no manifest.json")
    manifest = files.read_json(path / "manifest.json")
    if (path / "arrays").is_symlink():
        raise ValueError(f"{path / 'arrays'} is a link, which is not followed")
    if manifest.get("format") != FORMAT:
        raise ValueError(f"{path / 'manifest.json'} is not the manifest of a particlegvi run")
    if manifest.get("schema") != SCHEMA:
        raise ValueError(f"{path} has the schema {manifest.get('schema')!r:.40}; this version reads {SCHEMA}")
    for name, kind in ENTRIES.items():
        if not isinstance(manifest.get(name), kind) or (name == "status" and manifest[name] not in STATUS):
            raise ValueError(f"{path / 'manifest.json'} is damaged: {name} is {manifest.get(name)!r:.40}")
    keys.checks.whole(0, 2**64 - 1)(manifest["seed"], f"the seed in {path / 'manifest.json'}")
    for name in manifest["figures"]:
        if not isinstance(name, str) or Path(name).name != name or Path(name).suffix not in PICTURES:
            raise ValueError(f"{path / 'manifest.json'} is damaged: {name!r:.40} is not the name of a picture")
    return Folder(path, manifest)


def finite(content: Any) -> Any:
    """The content as JSON can hold it: numpy's numbers as Python's, and None for what is not finite."""
    if isinstance(content, dict):
        return {str(name): finite(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite(value) for value in content]
    if isinstance(content, np.generic | np.ndarray):
        return finite(content.tolist())
    if isinstance(content, float) and not np.isfinite(content):
        return None
    return content
