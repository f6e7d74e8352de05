"""Running a sweep: the missing cells are computed in batches, and the tables and pictures written."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable
from pathlib import Path

from particlegvi.contracts import Facts, Progress
from particlegvi.runs.storage.lock import FolderLost
from particlegvi.scenario import kinds
from particlegvi.sweeps import folder as folders
from particlegvi.sweeps.cell import Worker, measured
from particlegvi.sweeps.grid import Cell
from particlegvi.sweeps.numbers import Columns, lines
from particlegvi.sweeps.plan import Plan
from particlegvi.sweeps.sweep import Sweep, facts, markdown
from particlegvi.tools import arguments, files, memory
from particlegvi.tools.cells import Engine, MemoryStore, Store, WorkerLost, choose, compute
from particlegvi.tools.errors import carry
from particlegvi.tools.export.writing import write_table
from particlegvi.tools.signals import say_last
from particlegvi.tools.sources import SOURCES, decisive

ROUNDS = 3  # the second finds no cell to compute, unless cells were damaged during the first


def run(
    plan: Plan,
    out: Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    *,
    dask: str | None = None,
    pool: Engine | None = None,
    pictures: bool = True,
    style: Facts | None = None,
) -> Sweep:
    """Compute the cells that are missing, and write the tables; the arguments are those of `particlegvi.sweep`.

    ``out`` is a new folder, or that of an earlier sweep, which goes on; nothing is written without one. ``pictures``
    and ``style`` say whether pictures are drawn into it, and how.
    """
    workers = arguments.whole("workers", workers, 1, 10_000)
    engine = choose(workers, dask) if pool is None else pool
    plan.grid.check()
    base = plan.grid.scenario
    kinds.of(base).check(kinds.build(base), base, None)
    if out is not None and folders.is_sweep(out):
        plan.check_by_finished_cells(out)
    if out is None:
        return _filled(plan, MemoryStore(), None, engine, workers, progress)
    folder = folders.take(out, plan.scenario, {**plan.grid.versions, "python": decisive()["python"]})
    say_last(f"; to go on say: {folders.remedy(out)}")
    try:
        found = _filled(plan, Store(out), out, engine, workers, progress)
        if found.computed or folder.manifest["status"] != "finished" or not (out / "table.csv").exists():
            _write(found, folder, pictures, style or {})
        return found
    except ValueError:
        if folder.fresh and not any((out / "cells").iterdir()):
            folder.discard()  # bad input: nothing remains
        raise
    finally:
        say_last("")
        folder.release()


def _write(found: Sweep, folder: folders.SweepFolder, pictures: bool, style: Facts) -> None:
    place = folder.path
    write_table(place / "table.csv", found.table.for_csv())
    files.write_text(place / "table.md", markdown(found))
    versions = {name: version for name, version in folder.manifest["versions"].items() if name != SOURCES}
    files.write_json(place / "sweep.json", files.finite(facts(found, versions)))
    folder.restore_scenario(folder.text)
    for stale in folder.manifest.get("pictures", []):
        if Path(stale).name == stale and Path(stale).stem in ("heat-map", "lines"):
            files.remove(place / stale)
    drawn = found.draw_pictures(place, style) if pictures else []
    folder.update(status="finished", pictures=[picture.name for picture in drawn])


def _filled(
    plan: Plan,
    store: Store | MemoryStore,
    out: Path | None,
    engine: Engine,
    workers: int,
    progress: Progress | None,
) -> Sweep:
    """Compute missing cells until there are none."""
    desk = _Desk(plan, store, out, progress)
    todo: Iterable[Cell] = desk.missing()
    for _ in range(ROUNDS):
        # The workers must have the versions and the sources of this process. Seeds of one setting share its truth,
        # which is computed once for a batch.
        here = {name: version for name, version in decisive(plan.scenario).items() if name != "python"}
        results = compute(Worker(here), todo, engine, workers, together=lambda cell: cell.setting.values)
        try:
            for cell, result, seconds in results:
                desk.take(cell, result, seconds)
        except (Exception, KeyboardInterrupt) as error:
            kept = None if isinstance(error, FolderLost) else out
            carry(error, "results", Sweep(plan.scenario, {}, [0], Columns(()), folder=kept))
            if isinstance(error, WorkerLost) and out is not None:
                carry(error, "remedy", f"to go on say: {folders.remedy(out)}")
            raise
        finally:
            results.close()
        found, missing = table_so_far(plan, store, out)
        if not missing:
            found.computed = desk.computed
            return found
        todo = missing
    raise WorkerLost(f"{len(missing)} cells were computed {ROUNDS} times, and are missing all the same")


class _Desk:
    """The place where finished cells arrive, to be stored and counted."""

    def __init__(self, plan: Plan, store: Store | MemoryStore, out: Path | None, progress: Progress | None) -> None:
        self.computed = 0
        self._plan = plan
        self._store = store
        self._out = out
        self._progress = progress
        self._there = 0
        store.prepare()
        store.sweep()

    def missing(self) -> Generator[Cell, None, None]:
        """The cells that have no file."""
        for cell in self._plan.cells():
            if self._store.has(cell.name):
                self._there += 1
            else:
                yield cell

    def take(self, cell: Cell, result: Facts, seconds: float) -> None:
        if not self.computed:
            self._check_first(result)
        self._store.write(cell.name, cell.identity, result, seconds)
        self.computed += 1
        if self._progress is not None:
            self._progress("cells", self._there + self.computed, self._plan.grid.size)

    def _check_first(self, result: Facts) -> None:
        """Refuse by the first result a measure that does not exist, or a sweep that the disk has no room for."""
        self._plan.check_measures(result)
        if self._out is not None:
            needed = size_on_disk(result) * (self._plan.grid.size - self._there)
            asked = f"the sweep has {self._plan.grid.size:,} cells, which"
            memory.check_disk(asked, needed, self._out, "give fewer values or seeds")


def table_so_far(plan: Plan, store: Store | MemoryStore, out: Path | None = None) -> tuple[Sweep, list[Cell]]:
    """The sweep with the cells that are finished and sound, and a list of the others."""
    grid = plan.grid
    columns = Columns(list(grid.over), plan.measures)
    missing = []
    for place, cell in enumerate(plan.cells()):
        result = store.read(cell.name, cell.identity)
        if result is None:
            missing.append(cell)
        else:
            columns.add(place, cell.setting.values, cell.seed, result)
    measures = [name for name in plan.measures if name in columns.of]
    return Sweep(plan.scenario, grid.over, grid.seeds, columns, measures, out, chosen=plan.methods), missing


def estimate(plan: Plan, out: Path | None, workers: int) -> str:
    """Size, time and disk of a sweep, estimated from one cell, which is computed and not stored."""
    plan.grid.check()
    first = next(plan.cells())
    measured(first.setting.scenario, first.name, first.seed)  # compiling is not counted
    begun = time.perf_counter()
    result = measured(first.setting.scenario, first.name, first.seed)
    each = time.perf_counter() - begun
    plan.check_measures(result)
    there = 0
    if out is not None and folders.is_sweep(out):
        there = sum(Store(out).has(cell.name) for cell in plan.cells())
    grid = plan.grid
    left = grid.size - there
    settings = grid.size // len(grid.seeds)
    keys = [f"{key} sets {', '.join(found)}" for key, found in grid.targets.items() if found != [key]]
    told = [
        f"{plan.scenario['name']}: {settings:,} settings x {len(grid.seeds):,} seeds = {grid.size:,} cells",
        f"there already: {there:,}; to compute: {left:,}",
        f"one takes {each:.2g} s: {left * each / workers:.3g} s with {workers} workers, after their start",
        f"{size_on_disk(result) * left / 1e6:.3g} MB of disk,"
        f" {memory_of(grid.size, result) / 1e6:.3g} MB of memory for the table",
    ]
    return "\n".join([*told, *keys])


def size_on_disk(result: Facts) -> int:
    """Approximate bytes of the file of a cell: its text and settings in blocks of 4096."""
    return 4096 * (1 + (len(json.dumps(result, indent=2)) + 2000) // 4096)


def memory_of(cells: int, result: Facts) -> int:
    """Approximate bytes of the table of a sweep in memory."""
    numbers = sum(len(found) + 4 for _, _, found in lines(result))
    return 60_000_000 + cells * (64 * numbers + 200)
