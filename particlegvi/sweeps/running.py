"""Running a sweep: the missing cells are computed, and the tables and pictures written."""

from __future__ import annotations

import contextlib
import math
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from particlegvi.contracts import Facts, Progress
from particlegvi.sweeps import folder as folders
from particlegvi.sweeps.cell import Worker, measured
from particlegvi.sweeps.folder import SweepFolder
from particlegvi.sweeps.grid import Cell
from particlegvi.sweeps.grid_table import SweepTable
from particlegvi.sweeps.plan import SweepPlan
from particlegvi.sweeps.report import as_facts, markdown
from particlegvi.sweeps.sweep import Sweep
from particlegvi.tools import arguments, files, patience
from particlegvi.tools.cells import Store, WorkerLost, compute
from particlegvi.tools.errors import FolderLost, carry
from particlegvi.tools.export.latex import latex
from particlegvi.tools.export.writing import write_table
from particlegvi.tools.patience import LongCell, TimeEstimate, cell_done
from particlegvi.tools.quoting import as_argument
from particlegvi.tools.sources import SOURCES, decisive


def run(
    plan: SweepPlan,
    out: Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    *,
    pictures: bool = True,
    style: Facts | None = None,
) -> Sweep:
    """Compute the cells that are missing, and write the tables; the arguments are those of `particlegvi.sweep`.

    ``out`` is a new folder, or that of an earlier sweep, which goes on; nothing is kept without one. ``pictures``
    and ``style`` say whether pictures are drawn into it, and how.
    """
    workers = arguments.whole("workers", workers, 1, 10_000)
    plan.grid.check()
    if out is None:
        with tempfile.TemporaryDirectory(prefix="particlegvi-") as place:
            sweep = _filled(plan, Path(place), None, workers, progress)
        sweep.folder = None
        return sweep
    if folders.is_sweep(out):
        plan.check_by_finished_cells(out)
    folder = folders.take(out, plan.scenario, {**plan.grid.versions, "python": decisive()["python"]})
    try:
        sweep = _filled(plan, out, folder, workers, progress)
        if sweep.computed or not folders.is_whole(out, folder.manifest):
            _write(sweep, folder, pictures, style or {})
            sweep.written = True
        return sweep
    except ValueError:
        if folder.fresh and not any((out / "cells").iterdir()):
            folder.discard()  # bad input: nothing remains
        raise
    finally:
        folder.release()


def _write(sweep: Sweep, folder: SweepFolder, pictures: bool, style: Facts) -> None:
    folder.check_held()
    place = folder.path
    write_table(place / "table.csv", sweep.table.for_csv())
    files.write_text(place / "table.md", markdown(sweep))
    files.write_text(place / "table.tex", latex(markdown(sweep)))
    versions = {name: version for name, version in folder.manifest["versions"].items() if name != SOURCES}
    files.write_json(place / "sweep.json", files.finite(as_facts(sweep, versions)))
    for stale in folder.manifest.get("pictures", []):
        if Path(stale).name == stale and Path(stale).stem in ("heat-map", "lines"):
            files.remove(place / stale)
    drawn = [picture.name for picture in sweep.draw_pictures(place, style)] if pictures else []
    digests = {name: files.digest(place / name) for name in folders.TABLES}
    folder.update(status="finished", pictures=drawn, digests=digests)


def _filled(plan: SweepPlan, place: Path, folder: SweepFolder | None, workers: int, progress: Progress | None) -> Sweep:
    """Compute the missing cells, and keep each as it comes."""
    store = Store(place)
    store.prepare()
    sweep, missing = table_so_far(plan, place)
    if not missing:
        return sweep
    computed, kept_before = 0, plan.grid.size - len(missing)
    results = _results(missing, workers, progress)
    try:
        for cell, result, seconds in results:
            if not computed:
                plan.check_measures(result)
            if folder is not None:
                folder.check_held()
            store.write(cell.name, cell.identity, result, seconds)
            computed += 1
            if progress is not None:
                progress("cells", kept_before + computed, plan.grid.size)
            cell_done(progress, seconds, len(missing) - computed, workers)
    except (Exception, KeyboardInterrupt) as error:
        kept = None if folder is None or isinstance(error, FolderLost) else place
        carry(error, "results", Sweep(plan.scenario, {}, [0], SweepTable(()), folder=kept))
        if isinstance(error, WorkerLost) and kept is not None:
            carry(error, "remedy", f"to go on say: particlegvi resume {as_argument(place)}")
        raise
    finally:
        results.close()  # also ends the processes after an exception here
    sweep = table_so_far(plan, place)[0]
    sweep.computed = computed
    return sweep


def _results(missing: list[Cell], workers: int, progress: Progress | None) -> Generator[tuple[Cell, Facts, float]]:
    """Compute the missing cells. If the first steps say that all take more than a minute, say so, and begin anew."""
    left = {cell.name: cell for cell in missing}
    if isinstance(progress, TimeEstimate):
        first = [cell.name for cell in missing[:workers]]
        worker = Worker(first, patience.MINUTE / math.ceil(len(missing) / workers))
        try:
            with contextlib.closing(compute(worker, missing, workers)) as results:
                for done in results:
                    del left[done[0].name]
                    yield done
            return
        except LongCell as error:
            progress.expect_cells(error.args[0], len(left), workers)
    yield from compute(Worker(), list(left.values()), workers)


def table_so_far(plan: SweepPlan, place: Path) -> tuple[Sweep, list[Cell]]:
    """The sweep with the cells that are finished and sound, and a list of the others."""
    grid, store = plan.grid, Store(place)
    table = SweepTable(list(grid.over), plan.measures)
    missing = []
    for number, cell in enumerate(plan.cells()):
        result = store.read(cell.name, cell.identity)
        if result is None:
            missing.append(cell)
        else:
            table.add(number, cell.setting.values, cell.seed, result)
    measures = [name for name in plan.measures if name in table.of]
    return Sweep(plan.scenario, grid.over, grid.seeds, table, measures, place, chosen=plan.methods), missing


def estimate(plan: SweepPlan, out: Path, workers: int) -> str:
    """The size of a sweep, and its time estimated from one cell, which is computed and not stored."""
    plan.grid.check()
    grid, first = plan.grid, next(plan.cells())
    result, _ = measured(first.setting.scenario, first.seed)  # compiling is not counted
    plan.check_measures(result)
    begun = time.perf_counter()
    measured(first.setting.scenario, first.seed)
    seconds = time.perf_counter() - begun
    store = Store(out)
    kept = sum(store.has(cell.name) for cell in plan.cells()) if folders.is_sweep(out) else 0
    left = grid.size - kept
    settings = grid.size // len(grid.seeds)
    keys = [f"{key} sets {', '.join(targets)}" for key, targets in grid.targets.items() if targets != [key]]
    words = [
        f"{plan.scenario['name']}: {settings:,} settings x {len(grid.seeds):,} seeds = {grid.size:,} cells",
        f"there already: {kept:,}; to compute: {left:,}",
        f"one takes {seconds:.2g} s: {left * seconds / workers:.3g} s with {workers} workers, after their start",
    ]
    return "\n".join([*words, *keys])
