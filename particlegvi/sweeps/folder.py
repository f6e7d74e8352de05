"""The folder of a sweep: it appears whole, has one writer, and any sweep whose folder exists can go on.

scenario.toml   the complete scenario with its table [sweep]: particlegvi sweep FOLDER/scenario.toml does the same
manifest.json   format, schema, status, versions, the name of the scenario, and sha256 of tables
cells/*.json    finished cells, named by the sha256 of resolved scenario, seed and versions
lock            the process that writes, while there is one (`particlegvi.runs.storage.manifest`)
table.csv       one line for each cell and method; once the sweep is finished, like the following files
table.md        marginal means with intervals over seeds, and the best settings
table.tex       the same tables in LaTeX
sweep.json      the same as data, with the grid
*.png           heat-map.png or lines.png
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from particlegvi import scenario as scenarios
from particlegvi.contracts import Facts
from particlegvi.runs.results.results import complete
from particlegvi.runs.storage.creating import create_whole
from particlegvi.runs.storage.manifest import MANIFEST, SCENARIO, Lock, LockedFolder, difference
from particlegvi.sweeps.grid import numbers_of
from particlegvi.tools import files
from particlegvi.tools.errors import warn
from particlegvi.tools.sources import changed, check_there, decisive

FORMAT, SCHEMA = "particlegvi sweep", 1
STATUS = ("running", "finished")
TABLES = ("table.csv", "table.md", "table.tex", "sweep.json")
ENDS = (b"IEND", b"</svg>", b"%%EOF")  # of a picture in png, svg and pdf


class SweepFolder(LockedFolder):
    """The folder of a sweep whose lock is held; ``text`` is the content of ``scenario.toml``."""

    def __init__(self, path: Path, manifest: Facts, text: str, fresh: bool) -> None:
        super().__init__(path, manifest, Lock(path))
        self.text = text
        self.fresh = fresh  # made just now

    def discard(self) -> None:
        """Give the lock back, and remove the folder if it is new."""
        self.check_held()
        self.release()
        if self.fresh:
            shutil.rmtree(self.path, ignore_errors=True)


def take(path: Path, scenario: Facts, versions: dict[str, str]) -> SweepFolder:
    """Make the folder of a sweep, or take the lock of one that is there, for the grid of this scenario.

    A ValueError if the path exists and is not the folder of a sweep, if it holds another scenario, if another process
    is writing into it, or if it cannot be made.
    """
    text = scenarios.text(scenario)
    manifest: Facts = {
        "format": FORMAT, "schema": SCHEMA, "status": "running", "scenario": scenario["name"], "versions": versions
    }  # fmt: skip

    def fill(place: Path) -> None:
        (place / "cells").mkdir()
        files.write_text(place / SCENARIO, text)
        files.write_json(place / MANIFEST, manifest)

    try:
        fresh = create_whole(path, fill)
        folder = SweepFolder(path, read(path), text, fresh)
        if not fresh:
            try:
                _go_on(folder, scenario, versions)
            except BaseException:
                folder.release()
                raise
        return folder
    except OSError as error:
        raise ValueError(f"the folder {path} cannot be used for a sweep: {error.strerror}") from None


def _go_on(folder: SweepFolder, scenario: Facts, versions: dict[str, str]) -> None:
    """Write this scenario into the folder of an earlier sweep; a ValueError if that had other numbers."""
    path = folder.path
    folder.manifest = read(path)
    for place in (path, path / "cells"):
        files.sweep(place)
    before = ""
    if os.path.lexists(path / SCENARIO):
        other = difference(numbers_of(stored_scenario(path)), numbers_of(scenario))
        if other is not None:
            key, then, now = other
            raise ValueError(
                f"{path} is a sweep of another scenario: {key} is {then!r:.60}, not {now!r:.60};"
                " choose another folder (--out)"
            )
        before = files.read_text(path / SCENARIO, links=False)
    if changed(versions) is not None:
        folder.update(anyway=[*folder.manifest.get("anyway", []), decisive()])
    if before != folder.text or folder.manifest["versions"] != versions:
        folder.update(status="running", versions=versions, scenario=scenario["name"])
        files.write_text(path / SCENARIO, folder.text)


def used(path: Path | None, anyway: bool) -> dict[str, str] | None:
    """The versions that name the cells of a folder, if its cells are used; None if this process names its own.

    Warns
    -----
    UserWarning
        If the cells of the folder come from other code, and are computed anew.
    """
    if path is None or not is_sweep(path):
        return None
    versions: dict[str, str] = read(path)["versions"]
    words = changed(versions)
    if words is None or anyway:
        return versions
    if next((path / "cells").glob("*.json"), None) is not None:
        warn(
            f"the cells in {path} were computed with {words[0]}, and are computed anew; --anyway (anyway=True) uses"
            " them"
        )
    return None


def is_sweep(path: str | os.PathLike[str]) -> bool:
    """Whether this is the folder of a sweep."""
    return files.has_format(files.place("folder", path) / MANIFEST, FORMAT)


def is_whole(path: Path, manifest: Facts) -> bool:
    """Whether a sweep is finished, its tables are as they were written, and its pictures are there and not cut.

    A picture may differ: ``particlegvi plot`` draws it in the style that its user asks for.
    """
    digests = manifest.get("digests", {})
    if manifest["status"] != "finished" or not isinstance(digests, dict) or not digests.keys() >= {*TABLES}:
        return False
    try:
        tables = all(files.digest(path / name) == digests[name] for name in TABLES)
        return tables and all(_ends(path / Path(name).name) for name in manifest.get("pictures", []))
    except ValueError:  # a file is not there, or cannot be read
        return False


def _ends(picture: Path) -> bool:
    with files.open_regular(picture, links=False) as file:
        return any(end in file.read()[-16:] for end in ENDS)


def read(path: Path) -> Facts:
    """The manifest of the folder of a sweep; a ValueError if there is none, it is damaged, or needs parts not here."""
    place = path / MANIFEST
    if not os.path.isfile(place) or not is_sweep(path):
        raise ValueError(f"{path} exists and is not the folder of a sweep; choose another folder (--out)")
    manifest = files.read_json(place)
    if (path / "cells").is_symlink():
        raise ValueError(f"{path / 'cells'} is a link, which is not followed")
    if manifest.get("schema") != SCHEMA:
        raise ValueError(f"{path} has the schema {manifest.get('schema')!r:.40}; this version reads {SCHEMA}")
    versions = manifest.get("versions")
    sound = isinstance(versions, dict) and all(isinstance(version, str) for version in versions.values())
    if manifest.get("status") not in STATUS or not sound:
        raise ValueError(f"{place} is damaged")
    check_there(path, manifest["versions"])
    return manifest


def stored_scenario(path: Path) -> Facts:
    """The complete scenario of a sweep, checked as strictly as any other file."""
    place = path / SCENARIO
    scenario = complete(place, files.read_text(place, links=False))
    if "sweep" not in scenario:
        raise ValueError(f"{place} must have a table [sweep], as the scenario of every sweep has")
    return scenario
