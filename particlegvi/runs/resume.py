"""Going on with a run that was interrupted, to the same bytes as if it had not been."""

from __future__ import annotations

import os

from particlegvi.contracts import Facts, Loss, Progress
from particlegvi.runs.execute import check_figures, execute
from particlegvi.runs.results import Results, load
from particlegvi.runs.results.results import opened, stored_scenario
from particlegvi.runs.storage import checkpoint, manifest
from particlegvi.runs.storage.folder import open_folder
from particlegvi.simulation.storage import CHECKPOINT_EVERY, Saving
from particlegvi.tools import objects
from particlegvi.tools.files import Unreadable
from particlegvi.tools.sources import check_there

ENDED = ("finished", "diverged")


def resume_run(
    folder: str | os.PathLike[str],
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
    objects.progress(progress)
    saving = Saving(checkpoint_every=checkpoint_every, pictures=pictures, style=style)
    stored = open_folder(folder)
    check_there(stored.path, stored.manifest.get("parts", {}))
    begun = stored_scenario(stored)
    if stored.manifest["status"] in ENDED:
        manifest.remove_left_lock(stored.path)
        return load(folder, loss)
    other = manifest.check_code(stored.path, stored.manifest, anyway)
    if loss is None and "given" in begun.get("loss", {}):
        words = f'"{begun["loss"]["given"]}", functions of Python that are not in the folder'
        raise ValueError(f"{stored.path} needs its loss {words}; go on by pg.resume({str(stored.path)!r}, loss=...)")
    if style:
        check_figures(begun, style)
    stored.take()
    try:
        if stored.manifest["status"] in ENDED:  # another process was faster
            stored.release()
            return load(folder, loss)
        last = checkpoint.read(stored.path)
        if last is not None and last.seed != stored.manifest["seed"]:
            seeds = f"the seed is {stored.manifest['seed']}, but {last.seed} in its checkpoint"
            raise ValueError(f"{stored.path} is damaged: {seeds}")
        results = opened(stored, "running", begun, loss)
        for label in list(stored.manifest["methods"]):
            try:
                results.add_stored(label, stored.record(label))
            except Unreadable:
                raise
            except ValueError:
                stored.forget(label)  # damaged: simulated again
        waiting = next((label for label in results.labels if label not in stored.manifest["methods"]), None)
        step = last.snapshot.step if last is not None and last.label == waiting else 0
        entry = {"method": waiting, "step": step, **manifest.warn_of_other_machine(stored.path, stored.manifest)}
        more = {"anyway": [*stored.manifest.get("anyway", []), other]} if other else {}
        stored.update(status="running", resumed=[*stored.manifest["resumed"], entry], **more)
    except BaseException:
        stored.release()
        raise
    return execute(results, progress, saving, stored)
