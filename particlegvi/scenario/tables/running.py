"""Computing the missing cells of a table of any kind, side by side in processes, and writing the table."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from particlegvi.contracts import Facts, Progress
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.scenario.tables.approximation import ApproximationSettings, ApproximationTable
from particlegvi.scenario.tables.digits import DigitsSettings, DigitsTable
from particlegvi.scenario.tables.ensembles import EnsembleSettings, EnsembleTable
from particlegvi.scenario.tables.functions import ProjectedSettings, ProjectedTable
from particlegvi.scenario.tables.linear import LinearSettings, LinearTable
from particlegvi.scenario.tables.settings import Problem, TableSettings, Task
from particlegvi.scenario.tables.table import Table
from particlegvi.scenario.tables.wasserstein import WassersteinSettings, WassersteinTable
from particlegvi.scenario.tables.wasserstein.protocols import Trials
from particlegvi.tools import arguments, cells, files, origins, parts
from particlegvi.tools.cells import Batch, Done, Engine, choose, compute
from particlegvi.tools.quoting import refuse
from particlegvi.tools.sources import SOURCES, sources

Group: TypeAlias = tuple[Task, ...]  # the tasks of one problem
Scored: TypeAlias = tuple[dict[str, float], float]  # scores, and the seconds that they took
BENCHMARKS: dict[type[TableSettings], type[Table]] = {
    ProjectedSettings: ProjectedTable,
    EnsembleSettings: EnsembleTable,
    WassersteinSettings: WassersteinTable,
    LinearSettings: LinearTable,
    ApproximationSettings: ApproximationTable,
    DigitsSettings: DigitsTable,
}


@dataclass(frozen=True)
class Measure:
    """Measures batches of problems with their tasks, in any process."""

    settings: TableSettings
    # the folder of the table; a cell is written as soon as it is finished, so that a killed process loses at most one
    # cell; if the folder is missing, as on another machine, only the result has the scores
    folder: Path

    def __call__(self, batch: Batch[Group]) -> Done[list[Scored]]:
        return batch.done(self.group)

    def group(self, group: Group) -> list[Scored]:
        """The scores of the tasks of one problem, and the seconds that each took."""
        store = Store(self.folder, self.settings)
        first = group[0]
        shared = benchmark(self.settings).problem(first.row, first.protocol, first.split)
        found = []
        for task in group:
            begun = time.perf_counter()
            scores = store.read(task)  # a process that was lost may have finished it
            if scores is None:
                scores = scores_of(task, self.settings, shared)
                if store.folder.is_dir():
                    store.write(task, scores, time.perf_counter() - begun)
            found.append((scores, time.perf_counter() - begun))
        return found


def run_table(
    settings: TableSettings | Mapping[str, Any],
    folder: str | os.PathLike[str],
    progress: Progress | None = None,
    workers: int | None = None,
    *,
    pool: Engine | None = None,
) -> Table:
    """Compute the cells that the folder of a table does not hold yet, and write ``table.md`` and ``table.json`` there.

    A stopped table continues if it is run again with the same settings and folder. A cell does not depend on other
    cells, on ``workers``, or on cells that were finished before.

    Parameters
    ----------
    settings : TableSettings or mapping
        Settings of a table; a mapping means Table 6.2.
    folder : path
        Folder of the table, created if it is missing. Finished cells are in its folder ``cells``.
    progress : callable, optional
        Called as ``progress("cells", finished, all)`` after each cell.
    workers : int, optional
        Number of processes, by default one for each processor; with 1 this process computes.
    pool : callable, optional
        An engine of your own, as `particlegvi.tools.cells.Engine` describes it.

    Returns
    -------
    Table
        The class that belongs to the settings, such as `EnsembleTable` to `EnsembleSettings`.

    Raises
    ------
    WorkerLost
        If processes are killed again and again in the same cells; the finished cells are in the folder.
    """
    chosen = settings if isinstance(settings, TableSettings) else ProjectedSettings.of(settings)
    parts.progress(progress)
    number = threads.count() if workers is None else arguments.whole("workers", workers, 1)
    if pool is not None and not callable(pool):
        raise refuse("pool", pool, "a function of a function, tasks and a number of processes")
    path = files.place("folder", folder)
    store = Store(path, chosen)
    problems = chosen.problems()
    tasks = [task for group in problems for task in group]
    done = store.finished(tasks)
    missing = [left for group in problems if (left := tuple(task for task in group if task not in done))]
    for row, protocol in {(group[0].row, group[0].protocol): None for group in missing}:
        benchmark(chosen).problem(row, protocol, 0)  # refuses missing data
    store.prepare()
    finished = len(done)
    if progress is not None:
        progress("cells", finished, len(tasks))
    number = min(number, max(1, len(missing)))
    engine = choose(number) if pool is None else pool
    results = compute(Measure(chosen, path), missing, engine, number, seconds=0.0)  # a cell may take minutes
    try:
        for group, scored, _ in results:
            for task, (scores, seconds) in zip(group, scored, strict=True):
                if store.read(task) is None:  # the cell was measured on a machine without the folder
                    store.write(task, scores, seconds)
            finished += len(group)
            if progress is not None:
                progress("cells", finished, len(tasks))
    finally:
        results.close()  # ends its processes, also after an exception here
    table = benchmark(chosen)(chosen, store.finished(tasks))
    for name, text in output_texts(table).items():
        files.write_text(path / name, text)
    return table


def output_texts(table: Table) -> dict[str, str]:
    """The texts of ``table.md`` and ``table.json`` by name."""
    return {"table.md": table.markdown(), "table.json": files.json_text(table.summary())}


def stored(settings: TableSettings, folder: Path) -> Table:
    """The table that a folder holds; a ValueError where its cells are not those of its ``table.json``."""
    tasks = [task for group in settings.problems() for task in group]
    table = benchmark(settings)(settings, Store(folder, settings, any_sources=True).finished(tasks))
    if json.loads(json.dumps(table.summary())) != files.read_json(folder / "table.json"):
        raise ValueError(f"{folder / 'cells'} is damaged: its cells are not those of table.json")
    return table


def benchmark(settings: TableSettings) -> type[Table]:
    """The table of these settings."""
    return BENCHMARKS[type(settings)]


def measure(task: Task, settings: TableSettings, problem: Any = None) -> dict[str, float]:
    """Fit and score: a pure function of the task and the settings.

    Parameters
    ----------
    task : Task
    settings : TableSettings
    problem : Problem, optional
        The problem of this task, if it exists already: models of one problem share work.

    Returns
    -------
    dict
        Scores by name; the ``score`` function of each table says which.
    """
    _check(task, settings, problem)
    made = benchmark(settings).problem(task.row, task.protocol, task.split) if problem is None else problem
    return scores_of(task, settings, made)


def scores_of(task: Task, settings: TableSettings, problem: Any) -> dict[str, float]:
    """Fit and score a task of a checked table."""
    with one_blas_thread():  # the last bits of matrix factors depend on the number of threads
        return benchmark(settings).score(task, settings, problem)


def _check(task: Any, settings: Any, problem: Any) -> None:
    kinds = [("task", task, Task), ("settings", settings, TableSettings)]
    for key, value, kind in kinds if problem is None else [*kinds, ("problem", problem, Problem | Trials)]:
        if not isinstance(value, kind):
            name = getattr(kind, "__name__", "Problem")
            raise arguments.refuse(key, value, f"a {name} of particlegvi.scenario.tables")
    # Validate the task as a table of one cell; the numbers of inducing points are the protocols of approximations.
    chosen = {"protocols": (task.protocol,)} if not isinstance(settings, ApproximationSettings) else {}
    replace(settings, rows=(task.row,), models=(task.model,), first_split=task.split, **chosen)


def _sources(task: Task) -> str:
    """The digest of the package's sources, and that of the model's where it is one from outside."""
    return " ".join([sources(), *origins.notes(task.model).values()])


class Store:
    """The folder ``cells`` of a table's folder (`particlegvi.tools.cells.Store`).

    The file of a cell holds the settings that determine its scores and the digest of the package's sources, and is
    valid for them only. Another number of splits or rows changes no cell; if a setting of one model changes, the cells
    of this model are computed again. With ``any_sources`` cells of other sources are read, too.
    """

    def __init__(self, folder: Path, settings: TableSettings, any_sources: bool = False) -> None:
        self.settings, self.any_sources = settings, any_sources
        self._cells = cells.Store(folder, "scores", flush=True)  # a cell takes minutes, so it waits for the disk
        self.folder = self._cells.folder

    def prepare(self) -> None:
        """Make the folder."""
        self._cells.prepare()

    def write(self, task: Task, scores: dict[str, float], seconds: float) -> None:
        """Keep the cell of a task."""
        self._cells.write(task.name, self._identity(task, _sources(task)), scores, seconds)

    def read(self, task: Task) -> dict[str, float] | None:
        """The scores of a task, or None where its cell is not finished with these settings, or damaged."""
        if not self.any_sources:
            return self._cells.read(task.name, self._identity(task, _sources(task)))
        there: Facts = {}
        with files.ignoring_damage():
            there = files.read_json(self.folder / f"{task.name}.json")
        identity = self._identity(task, there.get(SOURCES, ""))
        if SOURCES not in there:  # a cell of before
            del identity[SOURCES]
        return self._cells.read(task.name, identity)

    def finished(self, tasks: Iterable[Task]) -> dict[Task, dict[str, float]]:
        """The scores of the tasks that are finished."""
        found = {task: self.read(task) for task in tasks}
        return {task: scores for task, scores in found.items() if scores is not None}

    def _identity(self, task: Task, digest: str) -> Facts:
        return {"cell": task._asdict(), "settings": self.settings.fits(task.model), SOURCES: digest}
