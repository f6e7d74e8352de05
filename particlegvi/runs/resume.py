"""Going on with a run that was interrupted, to the same bytes as if it had not been."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from particlegvi import scenario as scenarios
from particlegvi.contracts import Facts, Loss, Progress
from particlegvi.runs.execute import check_figures, simulate_rest
from particlegvi.runs.results import Results, load
from particlegvi.runs.results.results import opened, stored_scenario
from particlegvi.runs.storage import checkpoint as checkpoints
from particlegvi.runs.storage import manifest, origin
from particlegvi.runs.storage.checkpoint import Checkpoint
from particlegvi.runs.storage.folder import Folder, open_folder
from particlegvi.runs.storage.folder_storage import CHECKPOINT_EVERY
from particlegvi.scenario import decisive
from particlegvi.tools import arguments, origins, parts
from particlegvi.tools.files import Unreadable

ENDED = ("finished", "diverged")


def go_on(
    folder: str | os.PathLike[str],
    scenario: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    pictures: bool = False,
    *,
    style: Facts | None = None,
    anyway: bool = False,
    loss: Loss | None = None,
) -> Results:
    """Finish a run that was interrupted, as `particlegvi.resume` says.

    With ``pictures`` the figures of the scenario are drawn into the folder, in the look ``style`` for this time.
    """
    parts.progress(progress)
    checkpoint_every = arguments.positive("checkpoint_every", checkpoint_every)
    seed = None if seed is None else arguments.seed(seed)
    there = open_folder(folder)
    origins.check_there(there.path, there.manifest.get("parts", {}))
    begun = stored_scenario(there)
    expected = None if scenario is None else decisive(scenarios.load(scenario))
    manifest.check_same(there.path, there.manifest, decisive(begun), expected, seed)
    other: Facts = {}
    if there.manifest["status"] not in ENDED:
        manifest.check_schema(there.path, there.manifest)
        other = origin.check_code(there.path, there.manifest, anyway)
    elif not there.has_lock():
        return load(folder, loss)
    if loss is None and "given" in begun.get("loss", {}):
        words = f'"{begun["loss"]["given"]}", functions of Python that are not in the folder'
        raise ValueError(f"{there.path} needs its loss {words}; go on by pg.resume({str(there.path)!r}, loss=...)")
    if style:
        check_figures(begun, style)
    noted = there.take()
    try:
        there.sweep()
        if there.manifest["status"] in ENDED:  # another process was faster, or died before it could take its lock away
            there.clear_progress()
            there.release()
            return load(folder, loss)
        stored = checkpoints.noted(there.path, there.manifest["seed"])
        results = opened(there, "running", begun, loss)
        for label in list(there.manifest["methods"]):
            try:
                results.add_stored(label, there.record(label, results.largest))
            except Unreadable:
                raise
            except ValueError:
                there.forget(label)  # damaged: simulated again
        entry = {**_entry(there, results, noted, stored), **origin.warn_of_other_machine(there.path, there.manifest)}
        more = {"anyway": [*there.manifest.get("anyway", []), other]} if other else {}
        there.update(status="running", resumed=[*there.manifest["resumed"], entry], **more)
    except BaseException:
        there.release()
        raise
    simulate_rest(results, there, progress, checkpoint_every, pictures, style)
    return results


def _entry(there: Folder, results: Results, noted: Facts, stored: list[Checkpoint]) -> Facts:
    """Describe the resumption: the method and step to go on from, and the steps lost by a process that died."""
    label, step = noted.get("label"), noted.get("step")
    waiting = next((name for name in results.labels if name not in there.manifest["methods"]), None)
    first = max((found.snapshot.step for found in stored if found.label == waiting), default=0)
    repeated = max(0, step - first) if label == waiting and type(step) is int else 0
    return {"method": waiting, "step": first, "repeated": repeated}
