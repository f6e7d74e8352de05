"""The functions that Python programs call: `sweep`, and `load` and `resume` of any folder, a run's or a sweep's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from particlegvi.contracts import Facts, Listening, Loss, Progress
from particlegvi.runs import results, sample_folder
from particlegvi.runs.results import Results
from particlegvi.runs.resume import resume_run
from particlegvi.scenario import load as load_scenario
from particlegvi.simulation.sampling.sample import Sample
from particlegvi.simulation.storage import CHECKPOINT_EVERY
from particlegvi.sweeps import folder as folders
from particlegvi.sweeps import plan as plans
from particlegvi.sweeps import running
from particlegvi.sweeps.sweep import Sweep
from particlegvi.tools import arguments, files, objects
from particlegvi.tools.patience import listening
from particlegvi.tools.sources import changed


def sweep(
    scenario: str | os.PathLike[str] | Facts,
    over: Mapping[str, object] | None = None,
    seeds: int | str | Sequence[int] | None = None,
    out: str | os.PathLike[str] | None = None,
    workers: int = 1,
    progress: Listening = "auto",
    *,
    measure: str | Sequence[str] | None = None,
    heat_map: str | None = None,
    anyway: bool = False,
    **overrides: object,
) -> Sweep:
    """Run a scenario over a grid of settings and seeds.

    Parameters
    ----------
    scenario : str, path or mapping
        As for `particlegvi.run`; its table ``[sweep]`` has the defaults of the following arguments.
    over : mapping, optional
        Values by key of the scenario, with dots: a list, or a range "0:2:9" or, with equal ratios,
        "0.01:1:5:log". ``*`` in a key stands for every entry: ``"methods.*.kl_weight"``.
    seeds : int, str or sequence of int, optional
        How many, from 0 on; "FIRST:END" without its end; or the seeds. The default is 10.
    out : path, optional
        Folder of the sweep. In a folder of the same scenario the sweep goes on: its cells are not computed again.
    workers : int
        Processes of this machine, by joblib. With more than one, call `sweep` below
        ``if __name__ == "__main__":``.
    progress : bool, "auto" or callable, optional
        As for `particlegvi.run`; a function is called as ``progress("cells", finished, all)``.
    measure : str or sequence of str, optional
        The numbers in tables and pictures, by their dotted path in the summary: "w1" or "free_energy.total.0".
    heat_map : str, optional
        The method in the heat map; all methods by default.
    anyway : bool
        Use cells in ``out`` of other versions or sources of the package; the manifest says so then. Without it they are
        computed anew.
    **overrides
        Values for keys of the scenario, as for `particlegvi.run`.

    Returns
    -------
    Sweep
        Methods that diverged have this as their status.

    Raises
    ------
    ValueError
        If the scenario, the grid or ``out`` is bad, or ``out`` is a sweep of another scenario; nothing is
        written then.
    WorkerLost
        If a process is killed; the finished cells are in ``out``, and `resume` computes the others.

    Notes
    -----
    A cell is named by the sha256 of resolved scenario, seed, versions and sources of the package. Its result does not
    depend on the number of workers, nor on interruptions.
    """
    objects.check_listening(progress)
    settings = load_scenario(scenario, overrides)
    listed = list(seeds) if isinstance(seeds, range | tuple) else seeds
    asked = list(measure) if isinstance(measure, tuple) else measure
    whole = plans.with_sweep_table(settings, over, seeds=listed, measure=asked, heat_map=heat_map)
    place = None if out is None else files.place("out", out)
    plan = plans.plan(whole, folders.used(place, anyway))
    with listening(progress) as reporter:
        return running.run(plan, place, workers, reporter)


def load(folder: str | os.PathLike[str], loss: Loss | None = None) -> Results | Sweep | Sample:
    """Load the saved results of a run (`particlegvi.runs.results.load`), of a sample, or of a sweep as far as it is.

    Parameters
    ----------
    folder : path
        The folder of a run, of a sample or of a sweep.
    loss : Loss, optional
        The loss of a run that `particlegvi.simulate`, `compare` or `sample` has saved, if it is in functions of Python,
        which a folder does not have. Without it the records, the table and most figures are there, and the truth is
        not.

    Returns
    -------
    Results, Sweep or Sample
    """
    place = files.place("folder", folder)
    if sample_folder.is_sample(place):
        return sample_folder.load(place, loss)
    if not folders.is_sweep(folder):
        return results.load(folder, loss)
    used = folders.read(place)["versions"]
    return running.table_so_far(plans.plan(folders.stored_scenario(place), used), place)[0]


def resume(
    folder: str | os.PathLike[str],
    progress: Listening = "auto",
    checkpoint_every: float = CHECKPOINT_EVERY,
    *,
    workers: int = 1,
    anyway: bool = False,
    loss: Loss | None = None,
) -> Results | Sweep | Sample:
    """Finish a run or a sweep that was interrupted, to the same bytes. The folder of a sample is always finished.

    Parameters
    ----------
    folder : path
    checkpoint_every : float
        For a run: seconds between checkpoints.
    progress : bool, "auto" or callable, optional
    workers : int
        For a sweep.
    anyway : bool
        Go on with other versions or sources of the package, too; the manifest says so then.
    loss : Loss, optional
        The loss of a run that `particlegvi.simulate` or `compare` has begun, if it is in functions of Python. It must
        be the same: its dimension and its values at a few points are compared.

    Returns
    -------
    Results, Sweep or Sample
    """
    objects.check_listening(progress)
    if sample_folder.is_sample(folder):
        return sample_folder.load(folder, loss)
    swept = folders.is_sweep(folder)
    with listening(progress, "" if swept else "results") as reporter:
        if not swept:
            return resume_run(folder, reporter, checkpoint_every, anyway=anyway, loss=loss)
        return finish(files.place("folder", folder), workers, reporter, anyway=anyway)


def finish(
    place: Path,
    workers: int = 1,
    progress: Progress | None = None,
    *,
    pictures: bool = True,
    style: Facts | None = None,
    anyway: bool = False,
) -> Sweep:
    """`resume` of a sweep. A finished and sound one is loaded, and nothing in it changes.

    Tables and pictures that are cut or not there are made again from the cells.
    """
    workers = arguments.whole("workers", workers, 1, 10_000)
    manifest = folders.read(place)
    stored = folders.stored_scenario(place)
    if folders.is_whole(place, manifest):
        so_far, missing = running.table_so_far(plans.plan(stored, manifest["versions"]), place)
        if not missing:
            return so_far
    words = changed(manifest["versions"])
    if words is not None and not anyway:
        raise ValueError(
            f"{place} was begun with {words[0]} and this is {words[1]}, which may give other numbers; go on with the"
            f" version that began it, say particlegvi sweep {place / 'scenario.toml'} --out {place} to compute all"
            " anew, or say --anyway (anyway=True)"
        )
    plan = plans.plan(stored, manifest["versions"])
    return running.run(plan, place, workers, progress, pictures=pictures, style=style)
