"""Running a scenario: one loop for every kind, and the state of the folder after an error."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from typing import Any

from particlegvi.contracts import Facts, Listening, Progress, Scenario
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics.compiled import compiling_told
from particlegvi.runs.results import Results
from particlegvi.runs.storage.checkpoint import FolderStorage
from particlegvi.runs.storage.creating import create
from particlegvi.runs.storage.folder import Folder
from particlegvi.runs.storage.manifest import FolderLost
from particlegvi.scenario import kinds, load
from particlegvi.scenario.kinds.kind import Job
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.storage import CHECKPOINT_EVERY, MemoryStorage
from particlegvi.tools import arguments, files
from particlegvi.tools.errors import Diverged, carried, carry, remembered
from particlegvi.tools.objects import listening as check_listening
from particlegvi.tools.objects import progress as check_progress
from particlegvi.tools.patience import TooLong, listening
from particlegvi.tools.progress import tell

STATUS = {Diverged: "diverged", KeyboardInterrupt: "interrupted"}  # after an error; after any other "failed"


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
    settings = load(scenario, overrides)
    saves, every = out is not None, checkpoint_every
    with remembered(), listening(progress) as reporter:
        return execute(prepared_results(settings, seed), out, overwrite, reporter, save=saves, checkpoint_every=every)


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
    results: Results,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    *,
    save: bool = True,
    checkpoint_every: float = CHECKPOINT_EVERY,
    pictures: bool = False,
) -> Results:
    """Simulate all methods of results that have no runs; with ``save`` in a new folder.

    Without ``out`` the folder is the first free one in ``runs``. With ``pictures`` the figures of the scenario are
    drawn into it, while its lock is held.
    """
    check_progress(progress)
    arguments.flag("overwrite", overwrite)
    checkpoint_every = arguments.positive("checkpoint_every", checkpoint_every)
    if save:  # without a folder nothing is drawn, and matplotlib need not be there
        check_figures(results.scenario, dim=results.parts.prior.dim if isinstance(results.parts, Parts) else None)
    place = files.place("out", "runs" if out is None else out) if save else None
    results.kind.check(results.parts, results.scenario, place)
    folder = create(out, results.new(), overwrite) if save else None
    results.folder = folder.path if folder else None
    return simulate_rest(results, folder, progress, checkpoint_every, pictures)


def check_figures(scenario: Scenario, style: Facts | None = None, dim: int | None = None) -> None:
    """Raise a ValueError, before anything is simulated, if an entry of ``[[figures]]`` cannot be drawn.

    ``dim`` is the dimension of particles, where the scenario has any.
    """
    if scenario.get("figures"):
        from particlegvi import plotting  # imports matplotlib

        for figure in scenario["figures"]:
            plotting.check({**figure, **(style or {})}, scenario.get("kind", "particles"), dim)


def simulate_rest(
    results: Results,
    folder: Folder | None,
    progress: Progress | None,
    checkpoint_every: float,
    pictures: bool,
    style: Facts | None = None,
) -> Results:
    """Simulate the methods that ``results`` does not have, and finish the folder, whose lock is held."""
    try:
        with compiling_told(progress):
            for number, label in enumerate(results.labels):
                if label not in results:
                    tell(progress, "steps", number, len(results.labels))
                    _simulate(results, label, folder, progress, checkpoint_every)
            results.status = "finished"
            if folder is not None:
                _finish(results, folder, progress, pictures, style)
    except BaseException as error:
        _note_end(results, folder, error)
        raise
    finally:
        if folder is not None:
            folder.release()
    return results


def _simulate(
    results: Results, label: str, folder: Folder | None, progress: Progress | None, checkpoint_every: float
) -> None:
    """Run one label of any kind, and put it into the results and into the folder."""
    begun = time.perf_counter()
    job = Job(results.parts, results.scenario, label, results.seed, MemoryStorage(), None, progress)
    if folder is None:
        results.add(label, results.kind.simulate(job), time.perf_counter() - begun)
        return
    storage = FolderStorage(folder, label, checkpoint_every)
    try:
        run = results.kind.simulate(job._replace(storage=storage, folder=folder.path))
        results.add(label, run, storage.earlier + time.perf_counter() - begun)
        written = {"positions": storage.finish()} if storage.count else {}
    finally:
        storage.close()
    folder.add(label, results.kind.packed(run), run.info["seconds"], written, results.labels)


def _finish(results: Results, folder: Folder, progress: Progress | None, pictures: bool, style: Facts | None) -> None:
    """Write what a folder has besides the runs: the scenario if somebody has removed it, the summary, the pictures."""
    folder.clear_progress()  # a process may have died before it did so
    tell(progress, "truth", total=1)
    folder.write_summary(results.summary)
    results.status = results.summary["status"]  # "diverged" where the verdict says so
    if pictures:
        folder.update(status="simulated")  # until they are drawn: `resume` draws them
        drawn = results.draw_pictures(progress, style)
        results.pictures = sorted({*folder.manifest["figures"], *(picture.name for picture in drawn)})
        folder.update(figures=results.pictures)
    folder.update(status=results.status)


def _note_end(results: Results, folder: Folder | None, error: BaseException) -> None:
    """Write into the folder how the run ended, and give the error the results up to there."""
    carry(error, "results", results)
    if isinstance(error, FolderLost):
        results.folder = folder = None  # the folder at this path is another one
    partly = carried(error, "run")  # Diverged and KeyboardInterrupt have it
    if partly is not None:
        label = next(label for label in results.labels if label not in results)
        results.add(label, partly)
    if results.status == "finished" and folder is not None and folder.manifest["status"] == "simulated":
        return  # only pictures are missing
    results.status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), "failed")
    if folder is None:
        return
    unasked = isinstance(error, TooLong) and not results and not folder.manifest["resumed"]
    if unasked or (isinstance(error, ValueError) and folder.is_fresh()):
        folder.discard()  # a bad value was noticed only in the simulation: nothing remains
        return
    with contextlib.suppress(OSError):  # a full disk, for example: the folder stays readable
        if isinstance(error, Diverged):
            if partly is not None:
                folder.add(label, results.kind.packed(partly), order=results.labels)
            folder.clear_progress()
            folder.write_summary(results.summary)
        folder.update(status=results.status)
