"""Computing cells, in any process: a scenario of any kind with a seed gives rows and facts."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from typing import Self

from particlegvi.contracts import Facts
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.runs.results import Runs
from particlegvi.scenario import kinds
from particlegvi.scenario.kinds.kind import Job, Parts, Targets
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.sweeps.grid import Cell
from particlegvi.tools import files
from particlegvi.tools.cells import Batch, Done
from particlegvi.tools.errors import Diverged
from particlegvi.tools.sources import changed

FINISHED = "finished"

_one_at_a_time = threading.Lock()  # a worker of Dask may have several threads, and compiled code allows one


@dataclass(frozen=True)
class Worker:
    """The function that computes a batch of cells, in any process."""

    # versions of the client; a worker with others refuses, because it could give other numbers
    versions: dict[str, str]

    def __call__(self, batch: Batch[Cell]) -> Done[Facts]:
        same_versions(self.versions)
        with _one_at_a_time, one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # too many to show; the table says which diverged
            return batch.done(lambda cell: measured(cell.setting.scenario, cell.name, cell.seed))


def same_versions(wanted: dict[str, str]) -> None:
    """Raise a ValueError if this process has other versions or sources."""
    words = changed(wanted)
    if words is not None:
        then = words[0].removeprefix("other ")
        raise ValueError(f"a worker must have {then}, as the client has, not {words[1]}, which may give other numbers")


class LastSetting:
    """The parts and the targets of the last setting, for the next seed of the same setting."""

    def __init__(self) -> None:
        self.key = ""
        self.parts: Parts = None
        self.targets: Targets = None

    def of(self, scenario: Facts) -> Self:
        """Build the parts of a scenario, unless it is the last one."""
        key = repr(scenario)
        if key != self.key:
            self.key, self.parts, self.targets = "", None, None  # free the memory of the last one first
            self.parts = kinds.build(scenario)
            self.key = key
        return self


last_setting = LastSetting()


def measured(scenario: Facts, name: str, seed: int) -> Facts:
    """The result of one cell: ``status`` by label, ``rows`` of the table, and ``methods``, the facts by label.

    A method that diverged, or whose values are refused in the simulation, has a status in words and no numbers.
    Divergence is a valid result.
    """
    kind, known = kinds.of(scenario), last_setting.of(scenario)
    parts = known.parts
    runs = Runs(kind, scenario, parts, seed)
    if known.targets is not None:
        runs.targets = kind.more_targets(runs, parts, known.targets)
    known.targets = runs.targets
    status = {}
    for label in kind.labels(scenario):
        try:
            runs.add(label, kind.simulate(Job(parts, scenario, label, seed, MemoryStorage(), None, None)))
            status[label] = FINISHED
        except Diverged as error:
            status[label] = f"diverged at step {error.step}"
        except MissingData:
            raise
        except ValueError as error:
            status[label] = f"refused: {error}"
    summary = runs.summary
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in runs.table()] if runs else []
    found: Facts = files.finite({"status": status, "rows": rows, "methods": summary["methods"]})
    return found
