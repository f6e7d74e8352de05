"""Computing the missing cells of a table, side by side in processes, and drawing up what there is."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from particlegvi.engine.numerics import threads
from particlegvi.tables.cells import Cell, measure
from particlegvi.tables.problems import problem
from particlegvi.tables.rendering import Table
from particlegvi.tables.settings import Settings
from particlegvi.tables.store import Store
from particlegvi.tools import arguments, files, parts

Progress = Callable[[str, int, int], None]


def run_table(
    settings: Settings | Mapping[str, Any],
    folder: str | os.PathLike[str],
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Table:
    """Compute the cells of a table that its folder does not hold yet, and write ``table.md`` and ``table.json`` there.

    A stopped table goes on where it was when it is run again with the same settings and folder. No cell depends on the
    others, on ``jobs``, or on what was finished before.

    Parameters
    ----------
    settings : Settings or mapping
    folder : path
        Made where it is missing. Finished cells lie in its folder ``cells``.
    progress : callable, optional
        Called as ``progress("cells", finished, all)`` when a cell was finished.
    jobs : int, optional
        Processes; by default one for each processor, and 1 computes in this process. In a program of your own, call it
        below ``if __name__ == "__main__":`` then, because new processes import the program.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If the settings are bad or data are missing, before anything is computed.
    """
    chosen = settings if isinstance(settings, Settings) else Settings.of(settings)
    parts.progress(progress)
    workers = threads.count() if jobs is None else arguments.whole("jobs", jobs, 1)
    path = files.place("folder", folder)
    store = Store(path, chosen)
    groups = _groups(chosen)
    cells = [cell for group in groups for cell in group]
    done = store.finished(cells)
    missing = [left for group in groups if (left := [cell for cell in group if cell not in done])]
    for row, protocol in {(group[0].row, group[0].protocol): None for group in missing}:
        problem(row, protocol, 0)  # whether its data are there
    store.prepare()
    finished = len(done)
    if progress is not None:
        progress("cells", finished, len(cells))
    for count in _compute(missing, chosen, path, min(workers, max(len(missing), 1))):
        finished += count
        if progress is not None:
            progress("cells", finished, len(cells))
    table = Table(chosen, store.finished(cells))
    for name, text in drawn_up(table).items():
        files.write_text(path / name, text)
    return table


def drawn_up(table: Table) -> dict[str, str]:
    """The texts of ``table.md`` and ``table.json`` by name."""
    return {"table.md": table.markdown(), "table.json": files.json_text(table.summary())}


def stored(settings: Settings, folder: Path) -> Table:
    """The table that a folder holds; a ValueError where its cells are not those of its ``table.json``."""
    cells = [cell for group in _groups(settings) for cell in group]
    table = Table(settings, Store(folder, settings).finished(cells))
    if json.loads(json.dumps(table.summary())) != files.read_json(folder / "table.json"):
        raise ValueError(f"{folder / 'cells'} is damaged: its cells are not those of table.json")
    return table


def _groups(settings: Settings) -> list[list[Cell]]:
    """The cells in groups of one problem, which share its covariance; those of one split of all rows come together."""
    return [
        [Cell(row, model, protocol, split) for model in settings.models]
        for split in range(settings.first_split, settings.first_split + settings.splits)
        for protocol in settings.protocols
        for row in settings.rows
    ]


def _compute(groups: list[list[Cell]], settings: Settings, folder: Path, workers: int) -> Iterator[int]:
    """Yield the number of cells in each group when it was finished, in whatever order."""
    if workers == 1:
        for group in groups:
            yield _finish(group, settings, folder)
        return
    before = set(multiprocessing.active_children())
    # Spawned, because a process forked beside running threads may hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        for future in as_completed([pool.submit(_finish, group, settings, folder) for group in groups]):
            yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()  # nobody waits for a half-finished cell, and cells are written whole
        raise
    pool.shutdown()


def _begin() -> None:
    """In a new process: leave Ctrl-C to the parent, the other processors to the other processes, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["NUMBA_NUM_THREADS"] = "1"
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent can tell nobody; its processes would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _finish(group: list[Cell], settings: Settings, folder: Path) -> int:
    store = Store(folder, settings)
    shared = problem(group[0].row, group[0].protocol, group[0].split)
    for cell in group:
        start = time.perf_counter()
        scores = measure(cell, settings, shared)
        store.write(cell, scores, time.perf_counter() - start)
    return len(group)
