"""Running a scenario: one loop for every kind, and the state of the folder after an error."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from particlegvi.contracts import Facts, Listening, Progress, Scenario, Storage
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics.compiling import compiling_told
from particlegvi.runs.results import Results
from particlegvi.runs.storage.creating import create
from particlegvi.runs.storage.folder import Folder
from particlegvi.runs.storage.folder_storage import CHECKPOINT_EVERY, FolderStorage
from particlegvi.runs.storage.lock import FolderLost
from particlegvi.scenario import kinds, load, text
from particlegvi.scenario.kinds.kind import Job, Space
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.tools import arguments, files
from particlegvi.tools.errors import Diverged, carried, carry, remembered
from particlegvi.tools.parts import listening as check_listening
from particlegvi.tools.parts import progress as check_progress
from particlegvi.tools.progress import listening
from particlegvi.tools.quoting import as_argument
from particlegvi.tools.signals import say_last
from particlegvi.tools.stages import tell


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
    every = checkpoint_every
    with remembered(), listening(progress) as heard:
        return execute(settings, seed, out, overwrite, heard, save=out is not None, checkpoint_every=every)


def execute(
    scenario: dict[str, Any],
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    *,
    save: bool = True,
    checkpoint_every: float = CHECKPOINT_EVERY,
    pictures: bool = False,
) -> Results:
    """Run a complete scenario; with ``save`` and without ``out`` its folder is the first free one in ``runs``.

    With ``pictures`` the figures of the scenario are drawn into the folder, while its lock is held.
    """
    seed = arguments.seed(seed)
    check_progress(progress)
    arguments.flag("overwrite", overwrite)
    checkpoint_every = arguments.positive("checkpoint_every", checkpoint_every)
    if save:  # without a folder nothing is drawn, and matplotlib need not be there
        check_figures(scenario)
    try:
        parts = kinds.build(scenario)
    except ValueError as error:
        kind = MissingData if isinstance(error, MissingData) else ValueError
        raise kind(f"{scenario['name']}: {error}") from None
    results = Results(scenario, parts, seed, status="running")
    return carry_out(results, out, overwrite, progress, save=save, checkpoint_every=checkpoint_every, pictures=pictures)


def carry_out(
    results: Results,
    out: str | os.PathLike[str] | None,
    overwrite: bool,
    progress: Progress | None,
    *,
    save: bool,
    checkpoint_every: float,
    pictures: bool = False,
) -> Results:
    """Simulate every method of results that have none yet, in a new folder where they are saved."""
    place = files.place("out", "runs" if out is None else out) if save else None
    freed = files.size(place / "arrays") if place is not None and overwrite else 0
    results.kind.check(results.parts, results.scenario, Space(place, freed))
    folder = create(out, results.new(), overwrite) if save else None
    results.folder = folder.path if folder else None
    simulate_rest(results, folder, progress, checkpoint_every, pictures)
    return results


def check_figures(scenario: Scenario, style: Facts | None = None) -> None:
    """Raise a ValueError, before anything is simulated, if an entry of ``[[figures]]`` cannot be drawn."""
    if scenario["figures"]:
        from particlegvi import plotting  # imports matplotlib

        for figure in scenario["figures"]:
            plotting.check({**figure, **(style or {})}, scenario.get("kind", "particles"))


def simulate_rest(
    results: Results,
    folder: Folder | None,
    progress: Progress | None,
    checkpoint_every: float,
    pictures: bool,
    style: Facts | None = None,
) -> None:
    """Simulate the methods that ``results`` does not have, and finish the folder, whose lock is held."""
    if folder is not None:
        in_python = "given" in results.scenario.get("loss", {})
        command = f"particlegvi resume {as_argument(folder.path)}"
        say_last(f"; to go on say: {f'pg.resume({str(folder.path)!r}, loss=...)' if in_python else command}")
    try:
        with compiling_told(progress, partial(results.kind.compiles, results.parts, results.scenario)):
            for number, label in enumerate(results.labels):
                if label not in results:
                    tell(progress, "steps", number, len(results.labels))
                    _simulate(results, label, folder, progress, checkpoint_every)
            results.status = "finished"
            if folder is not None:
                folder.restore_scenario(text(results.scenario))
                folder.clear_progress()  # a process may have died before it did so
                tell(progress, "truth", total=1)
                folder.write_summary(results.summary)
                drawn = _draw(results, folder, progress, style) if pictures else {}
                folder.update(status="finished", **drawn)
    except BaseException as error:
        _keep(results, folder, error)
        raise
    finally:
        if folder is not None:
            say_last("")
            folder.release()


class Workplace:
    """The storage and the folder that one label of a run works with. Use it as a context; leaving closes files.

    Without the ``folder`` of a run, whose lock is held, everything is kept in memory and temporary files.
    """

    def __init__(self, folder: Folder | None, label: str, checkpoint_every: float = CHECKPOINT_EVERY) -> None:
        self._folder = folder
        self._label = label
        self._checkpoint_every = checkpoint_every
        self._storage: FolderStorage | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def storage(self) -> Storage:
        """The storage of the run."""
        if self._folder is None:
            return MemoryStorage()
        if self._storage is None:
            self._storage = FolderStorage(self._folder, self._label, self._checkpoint_every)
            self._open.callback(self._storage.close)
        return self._storage

    def folder(self) -> Path:
        """The folder of the run, or a temporary one."""
        if self._folder is not None:
            return self._folder.path
        return Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="particlegvi-")))

    @property
    def earlier(self) -> float:
        """Seconds that interrupted processes spent on steps that were not repeated."""
        return 0.0 if self._storage is None else self._storage.earlier

    def finish(self) -> dict[str, str]:
        """Move the records of the run to their place in the folder; returns the sha256 of the arrays moved."""
        storage = self._storage
        written = {"positions": storage.finish()} if storage is not None and storage.count else {}
        self._open.close()  # Windows cannot remove open files, and the checkpoints are removed next
        return written


def _simulate(
    results: Results, label: str, folder: Folder | None, progress: Progress | None, checkpoint_every: float
) -> None:
    """Run one label of any kind, and put it into the results and into the folder."""
    with Workplace(folder, label, checkpoint_every) as place:
        begun = time.perf_counter()
        job = Job(results.parts, results.scenario, label, results.seed, place.storage, place.folder, progress)
        run = results.kind.simulate(job)
        results.add(label, run, place.earlier + time.perf_counter() - begun)
        if folder is not None:
            folder.add(label, results.kind.packed(run), run.info["seconds"], place.finish(), results.labels)


def _draw(results: Results, folder: Folder, progress: Progress | None, style: Facts | None) -> Facts:
    """Draw the figures of the scenario; returns the entry of the manifest with their names."""
    folder.update(status="simulated")
    try:
        pictures = results.draw_pictures(progress, style)
    except (OSError, MemoryError):
        raise  # the status stays "simulated": `resume` draws the pictures when there is room
    except Exception as error:
        folder.update(status="finished")  # `resume` would fail again: the figure must be mended first
        carry(error, "remedy", f"particlegvi plot {as_argument(folder.path)} draws the pictures when that is mended")
        raise
    results.pictures = sorted({*folder.manifest["figures"], *(picture.name for picture in pictures)})
    return {"figures": results.pictures}


def _keep(results: Results, folder: Folder | None, error: BaseException) -> None:
    """Write into the folder how the run ended, and give the error the results up to there."""
    carry(error, "results", results)
    if isinstance(error, FolderLost):
        results.folder = None  # the folder at this path is another one
        folder = None
    partly = carried(error, "run")  # Diverged and KeyboardInterrupt have it
    if partly is not None:
        label = next(label for label in results.labels if label not in results)
        results.add(label, partly)
    if isinstance(error, Diverged):
        results.status = "diverged"
        if folder is not None:
            if partly is not None:
                folder.add(label, results.kind.packed(partly), order=results.labels)
            folder.clear_progress()
            folder.write_summary(results.summary)
            folder.update(status="diverged")
        return
    if folder is not None and folder.manifest["status"] in ("simulated", "finished"):
        return  # only pictures are missing
    results.status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
    if folder is None:
        return
    if isinstance(error, ValueError) and folder.is_fresh():
        folder.discard()  # a bad value was noticed only in the simulation: nothing remains
        return
    try:
        folder.update(status=results.status)
    except FolderLost:
        results.folder = None
    except OSError:
        pass  # a full disk, for example: the folder stays readable
