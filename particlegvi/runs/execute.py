"""Running a scenario: one loop for every kind, and the state of the folder after an error."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from typing import Any, NamedTuple

from particlegvi.contracts import Facts, Listening, Progress, Scenario
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics.compiled import compiling_told
from particlegvi.runs.results import Results
from particlegvi.runs.storage.checkpoint import FolderStorage
from particlegvi.runs.storage.creating import create
from particlegvi.runs.storage.folder import Folder
from particlegvi.scenario import kinds, load
from particlegvi.scenario.kinds.kind import Job
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.storage import CHECKPOINT_EVERY, MemoryStorage, Saving
from particlegvi.tools import arguments, files
from particlegvi.tools.errors import Diverged, FolderLost, carried, carry
from particlegvi.tools.objects import check_listening
from particlegvi.tools.objects import progress as check_progress
from particlegvi.tools.patience import TooLong, listening
from particlegvi.tools.progress import tell


class Ending(NamedTuple):
    """The status of runs that an error has ended, and what becomes of their folder."""

    status: str
    is_result: bool = False  # whether the run up to there, and the numbers of the runs, belong into the folder
    is_discarded: Callable[[Results, Folder], bool] = lambda results, folder: False  # whether no folder remains


ENDS: dict[type[BaseException], Ending] = {  # the first that fits
    Diverged: Ending("diverged", is_result=True),
    KeyboardInterrupt: Ending("interrupted"),
    # nobody has agreed to a long run
    TooLong: Ending("failed", is_discarded=lambda results, folder: not (results or folder.manifest["resumed"])),
    # a bad value that was noticed only in the simulation
    ValueError: Ending("failed", is_discarded=lambda results, folder: folder.is_fresh()),
    BaseException: Ending("failed"),
}


def run(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Listening = "auto",
    checkpoint_every: float = CHECKPOINT_EVERY,
    **overrides: Any,
) -> Results:
    """Run a scenario.

    Parameters
    ----------
    scenario : str, path or mapping
        Name of a scenario (`particlegvi.scenarios.names()`), path of a TOML file, or the content of one.
    seed : int
        From 0 to 2^64 - 1. Equal scenarios, seeds and versions give equal bytes.
    out : path, optional
        Folder to write; nothing is written without it.
    overwrite : bool
        Whether ``out`` may be the folder of an earlier run.
    progress : bool, "auto" or callable, optional
        "auto" shows a bar after a second, in a notebook and on a terminal; True shows one at once, anywhere; None or
        False shows none. A function is called as ``progress(label, steps done, steps)`` now and then. A
        `particlegvi.contracts.Stages` hears of stages too.
    checkpoint_every : float
        Seconds between checkpoints in ``out``, the most work that is lost when the process dies. `resume` goes on from
        the last checkpoint.
    **overrides
        Values for keys of the scenario, such as ``particles=1000`` or ``methods={"DRLE": {"kl_weight": 0.3}}``; with
        ``**{"methods.DRLE.kl_weight": 0.3}`` any key can be reached.

    Returns
    -------
    Results
        A mapping from labels to runs.

    Raises
    ------
    ValueError
        If the scenario, an override, the seed or ``out`` is bad; nothing is written then.
    Diverged
        If a step made a particle non-finite. The records up to there are in ``error.results``, in
        ``particlegvi.last_interrupted()``, and in ``out``; after Ctrl-C they are there too.
    """
    check_listening(progress)
    settings, saving = load(scenario, overrides), Saving(out, overwrite, checkpoint_every)
    with listening(progress, "results") as reporter:
        return execute(prepared_results(settings, seed), reporter, None if out is None else saving)


def prepared_results(scenario: Facts, seed: int = 0) -> Results:
    """The results of a complete scenario before anything is simulated: with its parts, and without runs."""
    seed = arguments.seed(seed)
    try:
        parts = kinds.build(scenario)
    except ValueError as error:
        kind = MissingData if isinstance(error, MissingData) else ValueError
        raise kind(f"{scenario['name']}: {error}") from None
    return Results(scenario, parts, seed, status="running")


def execute(
    results: Results, progress: Progress | None = None, saving: Saving | None = None, folder: Folder | None = None
) -> Results:
    """Simulate all methods of results that have no runs: in memory, or with ``saving`` in a new folder.

    ``folder`` is one that exists, with its lock held; the lock is released at the end.
    """
    check_progress(progress)
    if folder is None:
        folder = _begun(results, saving)
    try:
        with compiling_told(progress):
            for number, label in enumerate(results.labels):
                if label in results:
                    continue
                tell(progress, "steps", number, len(results.labels))
                begun, job = time.perf_counter(), partial(Job, results.parts, results.scenario, label, results.seed)
                if folder is None or saving is None:
                    run = results.kind.simulate(job(MemoryStorage(), None, progress))
                    results.add(label, run, time.perf_counter() - begun)
                    continue
                with closing(FolderStorage(folder, label, saving.checkpoint_every)) as storage:
                    run = results.kind.simulate(job(storage, folder.path, progress))
                    results.add(label, run, storage.earlier + time.perf_counter() - begun)
                    storage.finish(results.kind.packed(run), results.labels)
            results.status = "finished"
            if folder is not None and saving is not None:
                _finish(results, folder, progress, saving)
    except BaseException as error:
        _note_end(results, folder, error)
        raise
    finally:
        if folder is not None:
            folder.release()
    return results


def _begun(results: Results, saving: Saving | None) -> Folder | None:
    """A new folder for results where there is a ``saving``; a ValueError where they cannot be had, or cannot be drawn.

    Without a folder nothing is drawn, and matplotlib need not be there.
    """
    if saving is None:
        results.kind.check(results.parts, results.scenario, None)
        return None
    check_figures(results.scenario, dim=results.parts.prior.dim if isinstance(results.parts, Parts) else None)
    place = files.place("out", "runs" if saving.out is None else saving.out)
    results.kind.check(results.parts, results.scenario, place)
    folder = create(saving.out, results.folder_content(), saving.overwrite)
    results.folder = folder.path
    return folder


def check_figures(scenario: Scenario, style: Facts | None = None, dim: int | None = None) -> None:
    """Raise a ValueError, before anything is simulated, if an entry of ``[[figures]]`` cannot be drawn.

    ``dim`` is the dimension of particles, where the scenario has any.
    """
    if scenario.get("figures"):
        from particlegvi import plotting  # imports matplotlib

        for figure in scenario["figures"]:
            plotting.check({**figure, **(style or {})}, scenario.get("kind", "particles"), dim)


def _finish(results: Results, folder: Folder, progress: Progress | None, saving: Saving) -> None:
    """Write what a folder has besides the runs: the scenario if somebody has removed it, the summary, the pictures."""
    folder.clear_progress()  # a process may have died before it did so
    tell(progress, "truth", total=1)
    folder.write_summary(results.summary)
    results.status = results.summary["status"]  # "diverged" where the verdict says so
    if saving.pictures:
        folder.update(status="simulated")  # until they are drawn: `resume` draws them
        drawn = results.draw_pictures(progress, saving.style)
        results.pictures = sorted({*folder.manifest["figures"], *(picture.name for picture in drawn)})
        folder.update(figures=results.pictures)
    folder.update(status=results.status)


def _note_end(results: Results, folder: Folder | None, error: BaseException) -> None:
    """Write into the folder how the run ended, and give the error the results up to there."""
    carry(error, "results", results)
    end = next(end for kind, end in ENDS.items() if isinstance(error, kind))
    if isinstance(error, FolderLost):
        results.folder = folder = None  # the folder at this path is another one
    partly = carried(error, "run")  # Diverged and KeyboardInterrupt have it
    if partly is not None:
        label = next(label for label in results.labels if label not in results)
        results.add(label, partly)
    if results.status == "finished" and folder is not None and folder.manifest["status"] == "simulated":
        return  # only pictures are missing
    results.status = end.status
    if folder is None:
        return
    if end.is_discarded(results, folder):
        folder.discard()
        return
    with suppress(OSError):  # a full disk, for example: the folder stays readable
        if end.is_result:
            if partly is not None:
                folder.add(label, results.kind.packed(partly), order=results.labels)
            folder.clear_progress()
            folder.write_summary(results.summary)
        folder.update(status=results.status)
