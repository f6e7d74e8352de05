"""Computing the missing cells of a table of any kind, side by side in processes, and writing the table."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from particlegvi.contracts import Facts, Progress
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.scenario.tables.table import Table
from particlegvi.tools import arguments, files, objects
from particlegvi.tools.cells import Store, compute
from particlegvi.tools.patience import cell_done
from particlegvi.tools.sources import SOURCES, libraries, notes, sources

Group: TypeAlias = tuple[Task, ...]  # the tasks of one problem
Scored: TypeAlias = tuple[dict[str, float], float]  # scores, and the seconds that they took


@dataclass(frozen=True)
class Measure:
    """Measures the tasks of one problem, in any process: their scores, and the seconds that each took."""

    settings: TableSettings

    def __call__(self, group: Group) -> list[Scored]:
        problem, results = problem_of(self.settings, group[0]), []
        for task in group:
            begun = time.perf_counter()
            scores = scores_of(task, self.settings, problem)
            results.append((scores, time.perf_counter() - begun))
        return results


def run_table(
    settings: TableSettings | Mapping[str, Any],
    folder: str | os.PathLike[str],
    progress: Progress | None = None,
    workers: int | None = None,
) -> Table:
    """Compute the cells that the folder of a table does not hold yet, and write ``table.md`` and ``table.json`` there.

    A stopped table continues if it is run again with the same settings and folder. A cell does not depend on other
    cells, on ``workers``, or on cells that were finished before.

    Parameters
    ----------
    settings : TableSettings or mapping
        The keys of a scenario: ``table`` ("functions", Table 6.2, if it is missing; "ensembles", "wasserstein",
        "linear", "digits", "approximation"), ``rows``, ``models``, ``splits``, ...; and ``seed``.
    folder : path
        Folder of the table, created if it is missing. Finished cells are in its folder ``cells``.
    progress : callable, optional
        Called as ``progress("cells", finished, all)`` after each cell.
    workers : int, optional
        Number of processes, by default one for each processor; with 1 this process computes.

    Returns
    -------
    Table

    Raises
    ------
    WorkerLost
        If a process is killed; the finished cells are in the folder.
    """
    chosen = settings if isinstance(settings, TableSettings) else TableSettings.of(settings)
    objects.progress(progress)
    number = threads.count() if workers is None else arguments.whole("workers", workers, 1)
    path = files.place("folder", folder)
    store = Store(path, "scores")
    problems = chosen.problems()
    tasks = [task for group in problems for task in group]
    done = finished(store, chosen, tasks)
    missing = [left for group in problems if (left := tuple(task for task in group if task not in done))]
    check_data(chosen, missing)
    store.prepare()
    number_done = len(done)
    if progress is not None:
        progress("cells", number_done, len(tasks))
    number = min(number, max(1, len(missing)))
    results = compute(Measure(chosen), missing, number)
    try:
        for rank, (group, scored, spent) in enumerate(results, start=1):
            for task, (scores, seconds) in zip(group, scored, strict=True):
                store.write(task.name, identity(task, chosen), scores, seconds)
            number_done += len(group)
            if progress is not None:
                progress("cells", number_done, len(tasks))
            cell_done(progress, spent, len(missing) - rank, number)
    finally:
        results.close()  # ends its processes, also after an exception here
    table = Table(chosen, finished(store, chosen, tasks))
    for name, text in output_texts(table).items():
        files.write_text(path / name, text)
    return table


def check_data(settings: TableSettings, groups: list[Group]) -> None:
    """Refuse missing data, and settings that the data do not allow, by the first problem of each row and protocol."""
    for task in {(group[0].row, group[0].protocol): group[0] for group in groups}.values():
        problem_of(settings, task._replace(split=0))


def output_texts(table: Table) -> dict[str, str]:
    """The texts of ``table.md`` and ``table.json`` by name."""
    return {"table.md": table.markdown(), "table.json": files.json_text(table.summary())}


def stored(settings: TableSettings, folder: Path) -> Table:
    """The table that a folder holds, whatever sources made it; a ValueError where cells are damaged or missing."""
    store = Store(folder, "scores")
    tasks = [task for group in settings.problems() for task in group]
    scores = {task: cell for task in tasks if (cell := with_any_settings(store, task)) is not None}
    if len(scores) != files.read_json(folder / "table.json").get("cells"):
        raise ValueError(f"{store.folder} is damaged: its cells are not those of table.json")
    return Table(settings, scores)


def measure(task: Task, settings: TableSettings) -> dict[str, float]:
    """Fit and score: a pure function of the task and the settings; ``score`` of each table says which scores."""
    TableSettings.of({"table": settings.table, "rows": [task.row], "models": [task.model]})
    return scores_of(task, settings, problem_of(settings, task))


def problem_of(settings: TableSettings, task: Task) -> Any:
    """The problem of a task."""
    return settings.declared.module().problem(task.row, task.protocol, task.split)


def scores_of(task: Task, settings: TableSettings, problem: Any) -> dict[str, float]:
    """Fit and score a task of a checked table."""
    with one_blas_thread():  # the last bits of matrix factors depend on the number of threads
        scores: dict[str, float] = settings.declared.module().score(task, settings, problem)
    return scores


def finished(store: Store, settings: TableSettings, tasks: list[Task]) -> dict[Task, dict[str, float]]:
    """The scores of the tasks that are finished with these settings and sources."""
    scores = {task: store.read(task.name, identity(task, settings)) for task in tasks}
    return {task: cell for task, cell in scores.items() if cell is not None}


def with_any_settings(store: Store, task: Task) -> dict[str, float] | None:
    """The scores of a task with any settings and sources, or None where its cell is not finished, or damaged."""
    content: Facts = {}
    with files.ignoring_damage():
        content = files.read_json(store.folder / f"{task.name}.json")
    known = {key: content[key] for key in ("cell", "settings", SOURCES) if key in content}
    return store.read(task.name, known) if known.get("cell") == task._asdict() else None


def identity(task: Task, settings: TableSettings) -> Facts:
    """The settings that determine the scores of a cell, and the digest of all sources; splits and rows change none."""
    outside = notes([task.row, task.model]) | libraries([task.row, task.model])
    digest = " ".join([sources(), *outside.values()])
    return {"cell": task._asdict(), "settings": settings.decisive(), SOURCES: digest}
