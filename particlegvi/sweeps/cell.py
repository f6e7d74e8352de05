"""Computing cells, in any process: a scenario of any kind with a seed gives rows and facts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection

from particlegvi.contracts import Facts, Progress
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics.compiled import compiling_told
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.runs.results import Runs
from particlegvi.scenario import kinds
from particlegvi.scenario.kinds.kind import Job
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.sweeps.grid import Cell
from particlegvi.tools import files
from particlegvi.tools.errors import Diverged
from particlegvi.tools.patience import CellEstimate
from particlegvi.tools.progress import tell

FINISHED = "finished"


_before: list[Runs] = []  # the runs of the cell before in this process: seeds of one setting in a row share its truth


class Worker:
    """The function that computes a cell, in any process.

    It raises `LongCell` where one of the cells named ``first`` takes more than ``most`` seconds, by its first steps.
    """

    def __init__(self, first: Collection[str] = (), most: float = math.inf) -> None:
        _before.clear()  # a part of the sweep before may have another definition now
        self.first, self.most = first, most

    def __call__(self, cell: Cell) -> Facts:
        scenario = cell.setting.scenario
        before = _before[0] if _before and _before[0].scenario == scenario else None
        listener = CellEstimate(self.most) if cell.name in self.first else None
        with one_blas_thread(), warnings.catch_warnings(), compiling_told(listener):
            warnings.simplefilter("ignore", UserWarning)  # too many to show; the table says which diverged
            result, runs = measured(scenario, cell.seed, before, listener)
        _before[:] = [runs]
        return result


def measured(
    scenario: Facts, seed: int, before: Runs | None = None, progress: Progress | None = None
) -> tuple[Facts, Runs]:
    """The result of one cell, and its runs: ``status`` by label, ``rows`` of the table, ``methods``, facts by label.

    A method that diverged, or whose values are refused in the simulation, has a status in words and no numbers.
    Divergence is a valid result. Parts and targets are taken from runs of the same scenario with another seed,
    ``before``.
    """
    kind = kinds.of(scenario)
    parts = kinds.build(scenario) if before is None else before.parts
    runs = Runs(kind, scenario, parts, seed)
    if before is not None:
        runs.targets = kind.targets(runs, parts, before.targets)
    status = {}
    labels = kind.labels(scenario)
    for number, label in enumerate(labels):
        tell(progress, "steps", number, len(labels))
        try:
            runs.add(label, kind.simulate(Job(parts, scenario, label, seed, MemoryStorage(), None, progress)))
            status[label] = FINISHED
        except Diverged as error:
            status[label] = f"diverged at step {error.step}"
        except MissingData:
            raise
        except ValueError as error:
            status[label] = f"refused: {error}"
    summary = runs.summary
    status |= runs.kind.diverged(summary)
    rows = [
        {key: value for key, value in row.items() if key != "seconds"}
        for row in (runs.table() if runs else [])
        if status.get(row["method"], FINISHED) == FINISHED
    ]
    result: Facts = files.finite({"status": status, "rows": rows, "methods": summary["methods"]})
    return result, runs
