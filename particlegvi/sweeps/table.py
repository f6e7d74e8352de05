"""The lines of a sweep, one for each cell and method, as columns; and ``table.csv``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence

from particlegvi.contracts import Facts
from particlegvi.sweeps.cell import FINISHED

HEAD = ("seed", "method", "status")  # after the swept keys


class Columns:
    """The table of a sweep, column by column, so that a hundred thousand lines are small.

    Parameters
    ----------
    keys : sequence of str
        The swept keys.
    measures : sequence of str
        Numbers of the summary, by dotted path, that get a column besides those that the kind of scenario tells.

    Attributes
    ----------
    of : dict
        Lists by name: the swept keys, ``seed``, ``method``, ``status``, and the numbers.
    cell : list of int
        The place of each line's cell in the grid.
    """

    def __init__(self, keys: Sequence[str], measures: Sequence[str] = ()) -> None:
        self.keys = list(keys)
        self.of: dict[str, list[object]] = {name: [] for name in (*keys, *HEAD)}
        self.cell: list[int] = []
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
            head = dict(zip((*self.keys, *HEAD), (*values, seed, method, status), strict=True))
            numbers = {name: value for name, value in found.items() if name not in head and value is not None}
            for name in numbers:
                if name not in self.of:
                    self.of[name] = [None] * len(self.cell)
            for name, column in self.of.items():
                column.append(head[name] if name in head else numbers.get(name))
            self.cell.append(place)

    def csv(self) -> str:
        """The table as CSV: numbers to their last digit, nothing where there is none."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.of)
        writer.writerows([_written(value) for value in line] for line in zip(*self.of.values(), strict=True))
        return text.getvalue()


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
    """The number that a dotted path reaches; None where there is none."""
    place: object = facts
    for step in path.split("."):
        if isinstance(place, list):
            place = place[int(step)] if step.isdecimal() and int(step) < len(place) else None
        else:
            place = place.get(step) if isinstance(place, dict) else None
    return None if isinstance(place, list | dict) else place


def as_text(value: object) -> str:
    """A value of a swept key in a table: numbers and texts as they are, lists and tables as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _written(value: object) -> object:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else as_text(value)
