"""The functions that Python programs call: `sweep`, and `load` and `resume` of any folder, a run's or a sweep's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from particlegvi import results
from particlegvi.cells import Store
from particlegvi.contracts import Facts, Listening, Progress
from particlegvi.results import Results
from particlegvi.running.resume import resume as resume_run
from particlegvi.scenario import load as load_scenario
from particlegvi.storage.folder_storage import CHECKPOINT_EVERY
from particlegvi.storage.versions import versions
from particlegvi.sweeps import folder as folders
from particlegvi.sweeps import running
from particlegvi.sweeps.sweep import Sweep
from particlegvi.tools import arguments, files, parts
from particlegvi.tools.bars import listening
from particlegvi.tools.workers import LazyPool


def sweep(
    scenario: str | os.PathLike[str] | Facts,
    over: Mapping[str, object] | None = None,
    seeds: int | str | Sequence[int] | None = None,
    out: str | os.PathLike[str] | None = None,
    workers: int = 1,
    progress: Listening = "auto",
    *,
    dask: str | None = None,
    measure: str | Sequence[str] | None = None,
    heat_map: str | None = None,
    pool: LazyPool | None = None,
    **overrides: object,
) -> Sweep:
    """Run a scenario over a grid of settings and seeds.

    Parameters
    ----------
    scenario : str, path or mapping
        As for `particlegvi.run`; its table ``[sweep]`` says what is not said here.
    over : mapping, optional
        Values by key of the scenario, with dots: a list, a range ``{"from": 0.0, "to": 2.0, "count": 9}`` (with
        ``"spacing": "log"`` of equal ratios), or that as a text, "0:2:9" or "0.01:1:5:log". ``*`` in a key stands for
        every entry: ``"methods.*.kl_weight"``.
    seeds : int, str or sequence of int, optional
        How many, from 0 on; "FIRST:END" without its end; or the seeds. 10 where nothing is said.
    out : path, optional
        Folder of the sweep. One that is there is gone on with: what it shares with this grid is not computed again.
    workers : int
        Processes of this machine, by joblib where it is installed. With more than one, call it below
        ``if __name__ == "__main__":``.
    progress : bool, "auto" or callable, optional
        As for `particlegvi.run`; a function is called as ``progress("cells", finished, all)``.
    dask : str, optional
        Address of a scheduler of Dask, whose workers compute instead.
    measure : str or sequence of str, optional
        What tables and pictures are about: numbers of the summary by dotted path, "w1" or "free_energy.total.0".
    heat_map : str, optional
        The method that the heat map shows; all of them by default.
    pool : callable, optional
        An engine of your own, as `particlegvi.tools.workers.LazyPool` describes it.
    **overrides
        Values for keys of the scenario, as for `particlegvi.run`.

    Returns
    -------
    Sweep
        Methods that diverged are in it as such.

    Raises
    ------
    ValueError
        If the scenario, the grid, ``out`` or an address is bad; nothing is written then.
    WorkerLost
        If processes are killed again and again; what is finished is in ``out``.

    Notes
    -----
    A cell is named by the sha256 of resolved scenario, seed and versions. Its result does not depend on the number of
    workers, nor on interruptions.
    """
    parts.listening(progress)
    settings = load_scenario(scenario, overrides)
    listed = list(seeds) if isinstance(seeds, range | tuple) else seeds
    asked = list(measure) if isinstance(measure, tuple) else measure
    whole = running.planned(settings, over, seeds=listed, measure=asked, heat_map=heat_map)
    place = None if out is None else files.place("out", out)
    plan = running.plan(whole)
    with listening(progress) as heard:
        return running.run(plan, place, workers, heard, dask=dask, pool=pool)


def load(folder: str | os.PathLike[str]) -> Results | Sweep:
    """Results that were saved: of a run (`particlegvi.results.load`), or of a sweep as far as it is finished.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Results or Sweep

    Raises
    ------
    ValueError
        If the folder is not that of a run or a sweep, or something in it is damaged.
    """
    if not folders.is_sweep(folder):
        return results.load(folder)
    place = files.place("folder", folder)
    used = folders.read(place)["versions"]
    return running.tabled(running.plan(folders.stored_scenario(place), used), Store(place), place)[0]


def resume(
    folder: str | os.PathLike[str],
    scenario: str | os.PathLike[str] | Facts | None = None,
    seed: int | None = None,
    progress: Listening = "auto",
    checkpoint_every: float = CHECKPOINT_EVERY,
    *,
    workers: int = 1,
    dask: str | None = None,
) -> Results | Sweep:
    """Finish a run (`particlegvi.running.resume.resume`) or a sweep that was interrupted, to the same bytes.

    Parameters
    ----------
    folder : path
    scenario, seed, checkpoint_every
        Of a run.
    progress : bool, "auto" or callable, optional
    workers, dask
        Of a sweep.

    Returns
    -------
    Results or Sweep

    Raises
    ------
    ValueError
        If the folder is neither a run's nor a sweep's, or is damaged, another process is writing into it, or the
        versions are not those that it was begun with.
    """
    if not folders.is_sweep(folder):
        return resume_run(folder, scenario, seed, progress, checkpoint_every)
    parts.listening(progress)
    with listening(progress) as heard:
        return finish(files.place("folder", folder), workers, heard, dask=dask)


def finish(
    place: Path,
    workers: int = 1,
    progress: Progress | None = None,
    *,
    dask: str | None = None,
    pictures: bool = True,
    style: Facts | None = None,
) -> Sweep:
    """`resume` of a sweep; one that is finished and sound is loaded, and nothing in it changes."""
    workers = arguments.whole("workers", workers, 1, 10_000)
    manifest = folders.read(place)
    stored = folders.stored_scenario(place)
    if manifest["status"] == "finished":
        found, missing = running.tabled(running.plan(stored, manifest["versions"]), Store(place), place)
        if not missing:
            return found
    here = {name: version for name, version in versions().items() if name != "python"}
    for package, version in here.items():
        if manifest["versions"].get(package) != version:
            raise ValueError(
                f"{place} was begun with {package} {manifest['versions'].get(package)} and this is {version}, which may"
                f" give other numbers; go on with that, or say particlegvi sweep {place / 'scenario.toml'} --out"
                f" {place} to compute all anew"
            )
    return running.run(running.plan(stored), place, workers, progress, dask=dask, pictures=pictures, style=style)
