"""Computing cells: a scenario of any kind with a seed gives rows and facts. This is what workers do."""

from __future__ import annotations

import threading
import time
import warnings
from dataclasses import dataclass
from typing import Self

from particlegvi import kinds
from particlegvi.cells import Batch, Done
from particlegvi.contracts import Facts
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.kinds.kind import Job, Parts, Targets
from particlegvi.results import Runs
from particlegvi.running.execute import Workplace
from particlegvi.storage.versions import versions
from particlegvi.sweeps.grid import Cell
from particlegvi.tools import files
from particlegvi.tools.errors import Diverged

FINISHED = "finished"

_one_at_a_time = threading.Lock()  # a worker of Dask may have several threads, and compiled code is not made for that


@dataclass(frozen=True)
class Worker:
    """The function that computes a batch of cells, in any process.

    Attributes
    ----------
    versions : dict
        Those of the client. A worker with others would give other numbers, and refuses.
    """

    versions: dict[str, str]

    def __call__(self, batch: Batch[Cell]) -> Done[Facts]:
        same_versions(self.versions)
        results, seconds = [], []
        with _one_at_a_time, one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of thousands of runs; what diverged is in the table
            for cell in batch.items:
                begun = time.perf_counter()
                results.append(measured(cell.setting.scenario, cell.name, cell.seed))
                seconds.append(time.perf_counter() - begun)
        return Done(batch.number, results, seconds)


def same_versions(wanted: dict[str, str]) -> None:
    """A ValueError if this process has not the versions that are wanted."""
    here = versions()
    for package, version in wanted.items():
        if here.get(package) != version:
            raise ValueError(
                f"a worker must have {package} {version}, as the client has, not {here.get(package, 'none')}, which may"
                " give other numbers"
            )


class Memory:
    """The parts of the last setting, with the targets that belong to them: its seeds come together."""

    def __init__(self) -> None:
        self.key = ""
        self.parts: Parts = None
        self.targets: Targets = None

    def of(self, scenario: Facts) -> Self:
        """The memory of this scenario, which forgets any other."""
        key = repr(scenario)
        if key != self.key:
            self.key, self.parts, self.targets = "", None, None  # large, and not needed while others are made
            self.parts = kinds.build(scenario)
            self.key = key
        return self


memory = Memory()


def measured(scenario: Facts, name: str, seed: int) -> Facts:
    """The result of one cell: ``status`` by label, ``rows`` of the table, and ``methods``, the facts by label.

    A label that diverged, or whose values are refused when it is simulated, has its status in words and no numbers:
    that is an answer as well.
    """
    kind, known = kinds.of(scenario), memory.of(scenario)
    parts = known.parts
    runs = Runs(kind, scenario, parts, seed)
    if known.targets is not None:
        runs.targets = kind.more_targets(runs, parts, known.targets)
    known.targets = runs.targets
    status = {}
    for label in kind.labels(scenario):
        try:
            with Workplace(None, label) as place:
                run = kind.simulate(Job(parts, scenario, label, seed, place.storage, place.folder, None))
            runs.add(label, run)
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
