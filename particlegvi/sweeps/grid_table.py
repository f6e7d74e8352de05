"""The table of a sweep: one line for each cell and method."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.sweeps.cell import FINISHED
from particlegvi.tools.export import columns as exported

HEAD = ("seed", "method", "status")  # after the swept keys


class SweepTable:
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
        for method, status, row in lines(result, self._asked):
            if method not in self.methods:
                self.methods.append(method)
            target = result["methods"].get(method, {}).get("target") or {}
            mean, variance = target.get("mean"), target.get("variance")
            self.truths["mean"].append(mean if isinstance(mean, float) else np.nan)
            self.truths["sd"].append(variance**0.5 if isinstance(variance, float) else np.nan)
            head = dict(zip((*self.keys, *HEAD), (*values, seed, method, status), strict=True))
            numbers = {name: value for name, value in row.items() if name not in head and value is not None}
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
    rows: list[tuple[str, str, Facts]] = []
    for row in result["rows"]:
        label = str(row["method"])
        facts = result["methods"].get(label) or (next(iter(result["methods"].values())) if len(order) == 1 else {})
        numbers = _flat({key: value for key, value in row.items() if key != "method"})
        numbers |= {name: _reached(facts, name) for name in asked if name not in numbers}
        rows.append((label, FINISHED, numbers))
    rows += [(label, status, {}) for label, status in result["status"].items() if status != FINISHED]
    if {label for label, *_ in rows} <= set(order):
        rows.sort(key=lambda line: order.index(line[0]))
    return iter(rows)


def _flat(table: Facts, prefix: str = "") -> Facts:
    """Entries of lists and tables by dotted names, as ``w1_floor.1``."""
    flat: Facts = {}
    for key, value in table.items():
        if isinstance(value, list):
            value = {str(number): entry for number, entry in enumerate(value)}
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
