"""The numbers of a sweep as arrays over its grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.sweeps.cell import FINISHED
from particlegvi.sweeps.grid_table import SweepTable
from particlegvi.sweeps.laws import laws
from particlegvi.tools.registry import look_up, one_of

VERDICT = "equilibrium"  # the column with the rule of the verdict
# The measure by default: the first of these that the table has.
USUAL = ("w1", "sliced_w1", "modes_covered", "rmse", "log_density", "nll", "auc", "average_loss")


@dataclass(repr=False, eq=False)
class GridNumbers:
    """The numbers of a sweep as arrays over its grid; ``methods`` are those of the table."""

    scenario: Facts  # the complete scenario that was swept
    over: dict[str, list[object]]  # the values of each swept key
    seeds: list[int]
    table: SweepTable  # the lines of ``table.csv``
    measures: Sequence[str] = ()  # the numbers in tables and pictures; empty for the usual one
    folder: Path | None = None
    chosen: Sequence[str] = ()  # methods in the heat map; empty for all
    computed: int = 0  # cells that were computed now; the others were there
    written: bool = False  # whether tables and pictures were written now

    def __post_init__(self) -> None:
        known = self.table
        self.methods = known.methods
        self.measures = list(self.measures) or [name for name in USUAL if name in known.of][:1] or known.numbers[:1]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline()})"

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each key, and of seeds."""
        return (*(len(values) for values in self.over.values()), len(self.seeds))

    def values(self, measure: str, method: str) -> Array:
        """A number of a method over the grid, an array of the shape of the grid with the seeds last.

        NaN stands for a method that diverged, or has no such number.
        """
        one_of("method of the sweep", method, self.methods)
        numbers = look_up("number of the sweep", measure, {name: self.table.of[name] for name in self.table.numbers})
        return self._of_method(method, [value if isinstance(value, int | float) else np.nan for value in numbers])

    def _of_method(self, method: str, column: Sequence[object], blank: float | str = np.nan) -> Array:
        """The entries of a column, one for each line of the table, in the lines of a method, over the grid."""
        over_grid = np.full(len(self), blank, dtype=object if isinstance(blank, str) else np.float64)
        for place, label, value in zip(self.table.cell, self.table.of["method"], column, strict=True):
            if label == method:
                over_grid[place] = value
        return over_grid.reshape(self.shape)

    @property
    def laws(self) -> dict[str, Callable[[Array], Array]]:
        """The laws of the scenario by name: functions of values of the swept key."""
        return laws(self.scenario, self.over)

    def truth(self, measure: str, method: str) -> Array | None:
        """The mean or the sd of the target, over the grid as `values`; None where it is unknown."""
        numbers = self._of_method(method, self.table.truths[measure]) if measure in self.table.truths else np.empty(0)
        return numbers if np.isfinite(numbers).any() else None

    def has(self, measure: str, method: str) -> bool:
        """Whether a method has a number in any cell."""
        columns = self.table.of
        if measure not in self.table.numbers:
            return False
        both = zip(columns["method"], columns[measure], strict=True)
        return any(label == method and isinstance(value, int | float) for label, value in both)

    def stopped(self, method: str) -> Array:
        """1.0 if the method diverged or was refused, else 0.0; an array of the shape of the grid, seeds last."""
        return np.nan_to_num(self._of_method(method, [float(status != FINISHED) for status in self.table.of["status"]]))

    def verdicts(self, method: str) -> Array:
        """The rule of the verdict on each run of a method, over the grid, "" where there is none; seeds last."""
        return self._of_method(method, [rule or "" for rule in self._column(VERDICT)], "")

    def has_verdicts(self, method: str) -> bool:
        """Whether there is a verdict on any run of a method."""
        return bool(np.any(self.verdicts(method) != ""))

    def unsettled(self, method: str) -> Array:
        """1.0 where the verdict on a run of a method is not that it has arrived, else 0.0; over the grid, seeds last.

        A method without verdicts has zeros.
        """
        return np.nan_to_num(self._of_method(method, [float(said) for said in self._said(False)]))

    def _column(self, name: str) -> Sequence[object]:
        return self.table.of.get(name, [None] * len(self.table))

    def _said(self, arrived: bool) -> list[bool]:
        """For each line of the table, whether a verdict says that its run has arrived, or has not."""
        both = zip(self._column(VERDICT), self._column("reached_equilibrium"), strict=True)
        return [bool(rule) and (reached is True) == arrived for rule, reached in both]

    def headline(self) -> str:
        """The number of cells, and of runs: those that diverged, those that were refused, and those at equilibrium."""
        statuses = [str(status) for status in self.table.of["status"]]
        counts = {word: sum(status.startswith(word) for status in statuses) for word in ("diverged", "refused")}
        settings = len(self) // len(self.seeds)
        size = f"{_many(settings, 'setting')} x {_many(len(self.seeds), 'seed')} = {_many(len(self), 'cell')}"
        size += f" with {_many(len(statuses), 'run')}" if len(self.methods) > 1 else ""
        refused = f", {counts['refused']} refused" if counts["refused"] else ""
        stopped = sum(
            status != FINISHED and not rule for status, rule in zip(statuses, self._column(VERDICT), strict=True)
        )
        arrived, others = sum(self._said(True)), sum(self._said(False))
        whole = arrived + others and arrived + others + stopped  # a run that diverged may have no verdict
        settled = f", {arrived:,} of {_many(whole, 'run')} at equilibrium" if whole else ""
        return f"{self.scenario['name']}: {size}, {counts['diverged']} diverged{refused}{settled}"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
