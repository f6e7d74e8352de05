"""Starting over in the folder of an earlier run: ``next.json`` is the commit record.

    next.json   the scenario and the manifest of the run that takes the folder over

Once it is there, any process that takes the lock completes the take-over. Before that, the folder is the earlier run's,
whole; from then on it is the new one's: readers take scenario and manifest from there (`manifest.read`), and a process
that has the lock removes what the earlier run has written, and nothing else, and puts the two in their places. Where it
dies, the next one goes on.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from particlegvi.settings import checks
from particlegvi.storage import checkpoint
from particlegvi.storage import manifest as manifests
from particlegvi.tools import files

ENDINGS = ("positions.npy", "steps.npy", "json", "growing.npy", "replicates.growing.npy")  # of the files of a method
OTHER = re.compile(r"arrays/([^/.]+)\.([a-z_]+)\.npy")  # their other arrays
TABLES = ("table.md", "table.json")


def begin(path: Path, scenario: str, manifest: dict[str, Any]) -> None:
    """Put scenario and manifest of a run that has done nothing into its folder."""
    (path / "arrays").mkdir(exist_ok=True)
    files.write_text(path / "scenario.toml", scenario)
    files.write_json(path / "manifest.json", manifest)


def take_over(path: Path, scenario: str, manifest: dict[str, Any]) -> None:
    """Start a new run in a folder whose lock is held, and which is empty or an earlier run's.

    Raises
    ------
    ValueError
        If the folder of the earlier run is damaged; nothing has changed then.
    """
    finish(path)
    manifests.earlier(path)
    files.write_json(path / manifests.NEXT, {"scenario": scenario, "manifest": manifest})
    finish(path)


def finish(path: Path) -> None:
    """Do what is left of a take-over, in a folder whose lock is held; mostly nothing."""
    taken = manifests.next_run(path)
    if taken is None:
        return
    manifests.read(path)  # a file that was made to do harm is refused before anything is removed
    earlier = manifests.earlier(path)
    checkpoint.clear(path)
    for stale in _written(path, earlier) if earlier else []:
        stale.unlink(missing_ok=True)
    begin(path, *taken)
    (path / manifests.NEXT).unlink()


def _written(path: Path, manifest: dict[str, Any]) -> list[Path]:
    """The files that a run may have written, besides its scenario, manifest and checkpoints."""
    labels = [label for label in manifest["settings"].get("methods", {}) if checks.LABEL.fullmatch(label)]
    arrays = [path / "arrays" / f"{label}.{ending}" for label in labels for ending in ENDINGS]
    listed = [path / name for name in manifest["sha256"] if OTHER.fullmatch(name) or name in TABLES]
    is_table = manifest["settings"].get("kind") == "table"
    cells = (path / "cells").glob("*.*.*.[0-9]*.json") if is_table else []
    pictures = [path / name for name in manifest["figures"]]
    return [path / "summary.json", *pictures, *arrays, *listed, *cells]
