"""Computing the missing cells of a table, side by side in processes, and writing the table."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from particlegvi.contracts import Progress
from particlegvi.engine.numerics import threads
from particlegvi.scenario.tables.benchmarks import benchmark, scores_of, settings_of
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.scenario.tables.store import Store
from particlegvi.scenario.tables.table import Table
from particlegvi.tools import arguments, files, parts
from particlegvi.tools.cells import Batch, Done, Engine, choose, compute
from particlegvi.tools.quoting import refuse

Group: TypeAlias = tuple[Task, ...]  # the tasks of one problem
Scored: TypeAlias = tuple[dict[str, float], float]  # scores, and the seconds that they took

@dataclass(frozen=True)
class Measure:
    """Measures batches of problems with their tasks, in any process.

    Attributes
    ----------
    settings : TableSettings
    folder : Path
        The folder of the table. A cell is written as soon as it is finished, so that a killed process loses at most one
        cell. If the folder is missing, as on another machine, only the result has the scores.
    """

    settings: TableSettings
    folder: Path

    def __call__(self, batch: Batch[Group]) -> Done[list[Scored]]:
        results, seconds = [], []
        for group in batch.items:
            begun = time.perf_counter()
            results.append(self.group(group))
            seconds.append(time.perf_counter() - begun)
        return Done(batch.number, results, seconds)

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
    ValueError
        If the settings are bad or data are missing, before anything is computed.
    WorkerLost
        If processes are killed again and again in the same cells; the finished cells are in the folder.
    """
    chosen = settings_of(settings)
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
    table = benchmark(settings)(settings, Store(folder, settings).finished(tasks))
    if json.loads(json.dumps(table.summary())) != files.read_json(folder / "table.json"):
        raise ValueError(f"{folder / 'cells'} is damaged: its cells are not those of table.json")
    return table
