"""The table of a sweep, one line for each cell and method; and its numbers as arrays over the grid."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.sweeps.cell import FINISHED
from particlegvi.sweeps.laws import laws
from particlegvi.tools.export import columns as exported
from particlegvi.tools.registry import look_up

HEAD = ("seed", "method", "status")  # after the swept keys
# The measure by default: the first of these that the table has.
USUAL = ("w1", "sliced_w1", "modes_covered", "rmse", "log_density", "nll", "auc", "average_loss")


class Columns:
    """The table of a sweep, column by column, so that a hundred thousand lines take little memory.

    ``measures`` are numbers of the summary, by dotted path, that get a column besides those of the kind of scenario.
    ``of`` has the lists by name: the swept keys, ``seed``, ``method``, ``status``, and the numbers. ``cell`` has the
    place of each line's cell in the grid, and ``truths`` the mean and the standard deviation of its target on the line.
    """

    def __init__(self, keys: Sequence[str], measures: Sequence[str] = ()) -> None:
        self.keys = list(keys)
        self.of: dict[str, list[object]] = {name: [] for name in (*keys, *HEAD)}
        self.cell: list[int] = []
        self.truths: dict[str, list[float]] = {"mean": [], "sd": []}
        self.methods: list[str] = []
        self._asked = list(measures)

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def numbers(self) -> list[str]:
        """The names of the columns of results."""
        return [name for name in self.of if name not in self.keys and name not in HEAD]

    def add(self, place: int, values: Sequence[object], seed: int, result: Facts) -> None:
        """Add the lines of a cell."""
        for method, status, found in lines(result, self._asked):
            if method not in self.methods:
                self.methods.append(method)
            target = result["methods"].get(method, {}).get("target") or {}
            mean, variance = target.get("mean"), target.get("variance")
            self.truths["mean"].append(mean if isinstance(mean, float) else np.nan)
            self.truths["sd"].append(variance**0.5 if isinstance(variance, float) else np.nan)
            head = dict(zip((*self.keys, *HEAD), (*values, seed, method, status), strict=True))
            numbers = {name: value for name, value in found.items() if name not in head and value is not None}
            for name in numbers:
                if name not in self.of:
                    self.of[name] = [None] * len(self.cell)
            for name, column in self.of.items():
                column.append(head[name] if name in head else numbers.get(name))
            self.cell.append(place)

    def for_csv(self) -> exported.Columns:
        """The columns of ``table.csv``: lists, tables, true and false as JSON."""
        written = lambda value: value if value is None or type(value) in (int, float, str) else as_text(value)
        return {name: np.array(list(map(written, column)), dtype=object) for name, column in self.of.items()}


def lines(result: Facts, asked: Sequence[str] = ()) -> Iterator[tuple[str, str, Facts]]:
    """Method, status and numbers by name of each line of a cell."""
    order = list(result["status"])
    found: list[tuple[str, str, Facts]] = []
    for row in result["rows"]:
        label = str(row["method"])
        facts = result["methods"].get(label) or (next(iter(result["methods"].values())) if len(order) == 1 else {})
        numbers = _flat({key: value for key, value in row.items() if key != "method"})
        numbers |= {name: _reached(facts, name) for name in asked if name not in numbers}
        found.append((label, FINISHED, numbers))
    found += [(label, status, {}) for label, status in result["status"].items() if status != FINISHED]
    if {label for label, *_ in found} <= set(order):
        found.sort(key=lambda line: order.index(line[0]))
    return iter(found)


def _flat(table: Facts, prefix: str = "") -> Facts:
    """Entries of lists and tables by dotted names, as ``w1_floor.1``."""
    flat: Facts = {}
    for key, value in table.items():
        if isinstance(value, list):
            value = {str(number): each for number, each in enumerate(value)}
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _reached(facts: Facts, path: str) -> object:
    """The number at a dotted path; None if there is none."""
    place: object = facts
    for step in path.split("."):
        if isinstance(place, list):
            place = place[int(step)] if step.isdecimal() and int(step) < len(place) else None
        else:
            place = place.get(step) if isinstance(place, dict) else None
    return None if isinstance(place, list | dict) else place


def as_text(value: object) -> str:
    """A value of a swept key as a text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(repr=False, eq=False)
class GridNumbers:
    """The numbers of a sweep as arrays over its grid; ``methods`` are those of the table."""

    scenario: Facts  # the complete scenario that was swept
    over: dict[str, list[object]]  # the values of each swept key
    seeds: list[int]
    table: Columns  # the lines of ``table.csv``
    measures: Sequence[str] = ()  # the numbers in tables and pictures; empty for the usual one
    folder: Path | None = None
    chosen: Sequence[str] = ()  # methods in the heat map; empty for all
    computed: int = 0  # cells that were computed now; the others were there

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
        look_up("method of the sweep", method, dict.fromkeys(self.methods))
        numbers = look_up("number of the sweep", measure, {name: self.table.of[name] for name in self.table.numbers})
        return self._of_method(method, [value if isinstance(value, int | float) else np.nan for value in numbers])

    def _of_method(self, method: str, column: Sequence[float]) -> Array:
        """The entries of a column, one for each line of the table, in the lines of a method, over the grid."""
        found = np.full(len(self), np.nan)
        for place, label, value in zip(self.table.cell, self.table.of["method"], column, strict=True):
            if label == method:
                found[place] = value
        return found.reshape(self.shape)

    @property
    def laws(self) -> dict[str, Array]:
        """The values of each law of the scenario at the values of the swept key, by name."""
        return laws(self.scenario, self.over)

    def truth(self, measure: str, method: str) -> Array | None:
        """The mean or the sd of the target, over the grid as `values`; None where it is unknown."""
        found = self._of_method(method, self.table.truths[measure]) if measure in self.table.truths else np.empty(0)
        return found if np.isfinite(found).any() else None

    def has(self, measure: str, method: str) -> bool:
        """Whether a method has a number in any cell."""
        columns = self.table.of
        if measure not in self.table.numbers:
            return False
        both = zip(columns["method"], columns[measure], strict=True)
        return any(label == method and isinstance(value, int | float) for label, value in both)

    def stopped(self, method: str) -> Array:
        """1.0 if the method diverged or was refused, else 0.0; an array of the shape of the grid, seeds last."""
        return np.nan_to_num(self._of_method(method, [float(each != FINISHED) for each in self.table.of["status"]]))

    def headline(self) -> str:
        """The number of cells, and the numbers of those in which a method diverged or was refused."""
        counts = {}
        for word in ("diverged", "refused"):
            lines = zip(self.table.cell, self.table.of["status"], strict=True)
            counts[word] = len({place for place, status in lines if str(status).startswith(word)})
        settings = len(self) // len(self.seeds)
        size = f"{_many(settings, 'setting')} x {_many(len(self.seeds), 'seed')} = {_many(len(self), 'cell')}"
        refused = f", {counts['refused']} refused" if counts["refused"] else ""
        return f"{self.scenario['name']}: {size}, {counts['diverged']} diverged{refused}"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
