"""The plan of a sweep: what a scenario with its table ``sweep`` asks for, checked before anything is computed."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import tomli_w

from particlegvi.contracts import Facts
from particlegvi.scenario import kinds
from particlegvi.settings import grids
from particlegvi.sweeps.cell import FINISHED
from particlegvi.sweeps.grid import Cell, Grid
from particlegvi.sweeps.grid_table import lines
from particlegvi.sweeps.laws import laws
from particlegvi.tools.cells import Store
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import one_of, unknown
from particlegvi.tools.sources import decisive

SEEDS = 10  # by default


@dataclass(frozen=True)
class SweepPlan:
    """A checked sweep."""

    scenario: Facts  # the complete scenario, with its table ``sweep``
    grid: Grid
    # numbers of the summary for tables and pictures; empty for the usual one
    measures: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)  # methods in the heat map; empty for all

    def cells(self) -> Iterator[Cell]:
        """All cells, in the order of the table."""
        return itertools.chain.from_iterable(map(self.grid.cells, self.grid.settings()))

    def check_measures(self, result: Facts) -> None:
        """Refuse a measure that the result of a cell does not have, if all its methods finished."""
        if any(status != FINISHED for status in result["status"].values()):
            return
        every = list(lines(result, self.measures))
        known = [name for _, _, numbers in every for name, value in numbers.items() if isinstance(value, int | float)]
        for name in self.measures:
            if name not in known:
                others = dict.fromkeys(name for name in known if name not in self.measures)
                raise unknown("number of the summary", name, others)

    def check_by_finished_cells(self, folder: Path) -> None:
        """`check_measures` by a cell in the folder of the sweep, if there is one: before anything is written."""
        if self.measures:
            store = Store(folder)
            for cell in self.cells():
                result = store.read(cell.name, cell.identity) if store.has(cell.name) else None
                if result is not None:
                    self.check_measures(result)
                    return


def plan(scenario: Facts, used: dict[str, str] | None = None) -> SweepPlan:
    """The sweep of the table ``sweep`` of a complete scenario, by the versions ``used``, or those of this process."""
    table = scenario.get("sweep", {})
    seeds = grids.seeds(table.get("seeds", SEEDS), "seeds")
    grid = Grid(scenario, table.get("over", {}), seeds, decisive(scenario) if used is None else used)
    measures = grids.measures(table["measure"]) if "measure" in table else []
    laws(scenario, grid.over)
    kind = kinds.of(scenario)
    if "heat_map" in table and kind.name != "table":
        one_of("method of the scenario", table["heat_map"], kind.labels(scenario))
    return SweepPlan(scenario, grid, measures, [table["heat_map"]] if "heat_map" in table else [])


def with_sweep_table(scenario: Facts, over: Mapping[str, object] | None, **options: object) -> Facts:
    """A complete scenario with these entries in its table ``sweep``; entries that are None are left as they are."""
    table = dict(scenario.get("sweep", {}))
    table |= {name: value for name, value in options.items() if value is not None}
    if over is not None:
        if not isinstance(over, Mapping) or not all(isinstance(key, str) for key in over):
            raise refuse("over", over, 'a mapping such as {"methods.DLE.kl_weight": [0.1, 1.0]}')
        table["over"] = {key: _as_list(values) for key, values in over.items()}
    if "over" not in table and "seeds" not in table:
        raise ValueError("over must be given, or a scenario with a table [sweep], to say what is swept")
    table = grids.sweep(table, "sweep")
    # In the order that the file will give it back: TOML writes tables after entries of one line.
    return {**scenario, "sweep": tomllib.loads(tomli_w.dumps({"sweep": table}))["sweep"]}


def _as_list(values: object) -> object:
    """Arrays and ranges as lists, as a scenario has them."""
    import numpy as np

    if isinstance(values, np.ndarray):
        return values.tolist()
    if isinstance(values, range | tuple | list):
        return [value.item() if isinstance(value, np.generic) else value for value in values]
    return values
