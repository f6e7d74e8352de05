"""Running a scenario: every method from the same start and the same noise, and what is kept of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from particlegvi.contracts import Storage
from particlegvi.datasets import MissingData
from particlegvi.kinds.particles.building import build
from particlegvi.kinds.particles.replicates import replicate
from particlegvi.methods.flow import Problem
from particlegvi.results import Results, recorded
from particlegvi.scenario import load
from particlegvi.simulation.loop import follow
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.simulation.run import Run
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.storage.checkpoint import REPLICATES
from particlegvi.storage.creating import create
from particlegvi.storage.folder import Folder
from particlegvi.storage.folder_storage import CHECKPOINT_EVERY, FolderStorage
from particlegvi.storage.versions import versions
from particlegvi.tools import arguments, files
from particlegvi.tools.errors import Diverged
from particlegvi.tools.parts import progress as check_progress
from particlegvi.tools.quoting import as_argument
from particlegvi.tools.signals import Answered

Progress = Callable[[str, int, int], None]
Draw = Callable[[Results], Iterable[Path]]


def run(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    **overrides: Any,
) -> Results:
    """Run a scenario.

    Parameters
    ----------
    scenario : str, path or mapping
        Name of a scenario (`particlegvi.scenarios.names()`), path of a TOML file, or the content of one.
    seed : int
        From 0 to 2^64 - 1. The same scenario, seed and versions give the same bytes.
    out : path, optional
        Folder to write; nothing is written without it.
    overwrite : bool
        Whether ``out`` may be the folder of an earlier run.
    progress : callable, optional
        Called as ``progress(label, steps done, steps)`` now and then.
    checkpoint_every : float
        Seconds of run time between checkpoints in ``out``: as much work as is lost at most when the process dies.
        `resume` goes on from there.
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
        If a step made a particle non-finite. What was recorded before is in ``error.results``, and in ``out``.
    """
    return execute(load(scenario, overrides), seed, out, overwrite, progress, out is not None, checkpoint_every)


def execute(
    scenario: dict[str, Any],
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    save: bool = True,
    checkpoint_every: float = CHECKPOINT_EVERY,
    draw: Draw | None = None,
) -> Results:
    """Run a complete scenario; with ``save`` and without ``out`` its folder is the first free one in ``runs``.

    ``draw`` puts pictures of the results into their folder, while it is still ours, and returns their paths.
    """
    seed = arguments.seed(seed)
    check_progress(progress)
    arguments.flag("overwrite", overwrite)
    checkpoint_every = arguments.positive("checkpoint_every", checkpoint_every)
    try:
        parts = build(scenario)
    except ValueError as error:
        kind = MissingData if isinstance(error, MissingData) else ValueError
        raise kind(f"{scenario['name']}: {error}") from None
    results = Results(scenario, parts, seed, status="running")
    results.kind.ready(parts)
    place = files.place("out", "runs" if out is None else out) if save else None
    freed = files.size(place / "arrays") if place is not None and overwrite else 0
    results.kind.check_disk(scenario, parts, place, freed)
    folder = create(out, scenario, seed, versions(), overwrite) if save else None
    results.folder = folder.path if folder else None
    simulate_rest(results, folder, progress, checkpoint_every, draw)
    return results


def simulate_rest(
    results: Results, folder: Folder | None, progress: Progress | None, checkpoint_every: float, draw: Draw | None
) -> None:
    """Simulate the methods that ``results`` does not have, and finish the folder, whose lock is held."""
    if folder is not None:
        Answered.last_words = f"; to go on say: particlegvi resume {as_argument(folder.path)}"
    try:
        for label in results.labels:
            if label not in results:
                results.kind.simulate(results, label, folder, progress, checkpoint_every)
        results.status = "finished"
        if folder is not None:
            folder.clear_progress()  # a process may have died before it did
            folder.write_summary(results.summary)
            if draw is not None:
                _draw(results, folder, draw)
            folder.update(status="finished")
    except BaseException as error:
        _keep(results, folder, error)
        raise
    finally:
        if folder is not None:
            Answered.last_words = ""
            folder.release()


def _draw(results: Results, folder: Folder, draw: Draw) -> None:
    folder.update(status="simulated")
    try:
        pictures = draw(results)
    except (OSError, MemoryError):
        raise  # the pictures can be drawn when there is room
    except Exception:
        folder.update(status="finished")  # all but the pictures, and drawing them again would not help
        raise
    folder.update(figures=sorted({*folder.manifest["figures"], *(picture.name for picture in pictures)}))


def simulate_method(
    results: Results, label: str, folder: Folder | None, progress: Progress | None, checkpoint_every: float
) -> None:
    """Simulate one method of a scenario of particles, from its start or from its checkpoint in the folder."""
    method = results.parts.methods[label]
    hear = None if progress is None else partial(progress, label)
    problem = _problem(results, method, results.scenario.get("record_every"))
    if folder is None:
        results.add(label, _made(results, problem, method, hear, MemoryStorage(), MemoryStorage()))
        return
    keeper = FolderStorage(folder, label, checkpoint_every)
    ends = FolderStorage(folder, label, checkpoint_every, REPLICATES)
    try:
        made = _made(results, problem, method, hear, keeper, ends)
        results.add(label, made)
        record, seconds = recorded(made)
        folder.add(label, record, keeper.earlier + (seconds or 0.0), keeper.finish())
    finally:
        keeper.close()
        ends.close()


def _made(
    results: Results,
    problem: Problem,
    method: Any,
    hear: Callable[[int, int], None] | None,
    keeper: Storage,
    ends: Storage,
) -> Run:
    scenario = results.scenario
    if "replicates" not in scenario:
        return follow(problem, method, scenario.get("record_every"), hear, keeper)
    total = scenario["replicates"] * scenario["steps"]
    hear_all = None if hear is None else lambda done, _: hear(done, total)
    run = follow(problem, method, scenario.get("record_every"), hear_all, keeper, store_end=True)
    run.info["replicates"] = replicate(run, results.parts, scenario, ends, hear_all)
    return run


def _problem(results: Results, method: Any, record_every: int | None) -> Problem:
    parts = results.parts
    given = {key: results.scenario[key] for key in ("particles", "steps", "step_size", "integrator", "tolerance")}
    settings = Settings(**given, record_every=record_every, seed=results.seed)
    return check_problem(parts.loss, method, parts.prior, parts.initial, settings)


def _keep(results: Results, folder: Folder | None, error: BaseException) -> None:
    """Leave the folder as truthful as the way the run ended allows; the error carries the results that there are."""
    with contextlib.suppress(AttributeError):
        error.results = results  # type: ignore[attr-defined]
    partly = getattr(error, "run", None)  # what Diverged and KeyboardInterrupt carry
    if partly is not None:
        label = next(label for label in results.labels if label not in results)
        results.add(label, partly)
    if isinstance(error, Diverged):
        results.status = "diverged"
        if folder is not None:
            if partly is not None:
                results.kind.write(folder, label, partly)
            folder.clear_progress()
            folder.write_summary(results.summary)
            folder.update(status="diverged")
        return
    if folder is not None and folder.manifest["status"] in ("simulated", "finished"):
        return  # only the pictures are missing
    results.status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
    if folder is None:
        return
    if isinstance(error, ValueError) and folder.is_fresh():
        folder.discard()  # a bad value that showed only in the simulation: as if nothing had been written
        return
    with contextlib.suppress(OSError):  # a full disk is what went wrong, and what is there stays readable
        folder.update(status=results.status)
