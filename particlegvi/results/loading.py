"""Reading results from the folder of a run."""

from __future__ import annotations

import os
import tomllib
from typing import Any

from particlegvi import kinds, scenario
from particlegvi.contracts import Facts, Record
from particlegvi.kinds.kind import Job
from particlegvi.results.results import Results
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.storage.folder import Folder, open_folder
from particlegvi.storage.manifest import difference
from particlegvi.tools.files import Unreadable


def load(folder: str | os.PathLike[str]) -> Results:
    """Results that `run` or the command line has saved.

    Parameters
    ----------
    folder : path
        For example ``runs/global-minimiser``.

    Returns
    -------
    Results
        With the loss, the prior and the methods made anew from the scenario in the folder. A run that is not finished
        has the methods that are.

    Raises
    ------
    ValueError
        If the folder is not a run's, or a file in it is missing or damaged.
    """
    while True:
        there = open_folder(folder)
        try:
            return _load(there)
        except ValueError:
            if open_folder(folder).manifest == there.manifest:
                raise  # no process was writing meanwhile: the folder itself is wrong


def _load(there: Folder) -> Results:
    manifest = there.manifest
    # while only the pictures are missing, all there is to load is there
    results = opened(there, "finished" if manifest["status"] == "simulated" else manifest["status"])
    for label in results.labels:
        done = label in manifest["methods"]
        record = there.record(label) if done else there.unfinished(label)
        if record is not None:
            results.add(label, unpacked(there, results, label, record))
    try:
        results.take_summary(there.summary())
    except ValueError as error:
        raise ValueError(f"{there.path / 'summary.json'} is damaged: {error}") from None
    return results


def opened(there: Folder, status: str, content: dict[str, Any] | None = None) -> Results:
    """Results of a folder without its runs; ``content`` is its scenario, where that was read already."""
    # the settings differ where another run has taken the folder over since
    if content is None or scenario.decisive(content) != there.manifest["settings"]:
        content = stored_scenario(there)
    results = Results(content, kinds.build(content), there.manifest["seed"], there.path, status)
    results.pictures = list(there.manifest["figures"])
    return results


def unpacked(there: Folder, results: Results, label: str, record: Record) -> Any:
    """The run of one label from its record; a ValueError that names the folder if the record is damaged."""
    job = Job(
        results.parts, results.scenario, label, results.seed, lambda _: MemoryStorage(), lambda: there.path, None
    )  # fmt: skip
    try:
        return results.kind.unpacked(job, record)
    except Unreadable:
        raise
    except (LookupError, ValueError, TypeError) as error:
        raise ValueError(f"{there.path} is damaged: {label}: {error}") from None


def stored_scenario(there: Folder) -> Facts:
    """The complete scenario of a folder, checked as strictly as any other file.

    Raises
    ------
    ValueError
        If it is damaged, or does not simulate what the run did: the sentence names the key.
    """
    place = there.path / "scenario.toml"
    try:
        found = scenario.check(tomllib.loads(there.text()))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} is not a complete scenario: {error}") from None
    changed = difference(there.manifest["settings"], scenario.decisive(found))
    if changed is not None:
        key, before, after = changed
        raise ValueError(f"{place} has changed since the run began: {key} is {after!r:.60}, and was {before!r:.60}")
    return found
