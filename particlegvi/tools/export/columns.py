"""Long tables as columns by name, the form that pandas and CSV share; names that never coincide."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.tools.errors import needed

if TYPE_CHECKING:
    import pandas


Column: TypeAlias = "NDArray[np.generic]"
Columns: TypeAlias = dict[str, Column]
ROWS = 10_000  # rows that are written at a time


def of_particles(positions: Array, names: list[str], records: Mapping[str, Column] | None = None) -> Columns:
    """One row for each particle of each record, from positions (records, particles, dim).

    ``names`` are those of the coordinates, and ``records`` has columns (records,) that identify the record.
    """
    count, particles, dim = positions.shape
    columns: Columns = {name: np.repeat(column, particles) for name, column in (records or {}).items()}
    columns["particle"] = np.tile(np.arange(particles), count)
    rows = positions.reshape(-1, dim)
    taken = ("method", "record", "time", "particle")
    return columns | {name: rows[:, i] for i, name in enumerate(unique(names, taken))}


def stacked(tables: Mapping[str, Columns], key: str) -> Columns:
    """Tables one below the other, the name of each in the first column; NaN where one lacks a column."""
    lengths = [len(next(iter(table.values()))) for table in tables.values()]
    columns: Columns = {key: np.repeat(np.array(list(tables), dtype=object), lengths)}
    for name in dict.fromkeys(name for table in tables.values() for name in table):
        parts = [
            table.get(name, np.full(length, np.nan)) for table, length in zip(tables.values(), lengths, strict=True)
        ]
        columns[name] = np.concatenate(parts)
    return columns


def frame(columns: Mapping[str, Column | list[object]]) -> pandas.DataFrame:
    """A ``pandas.DataFrame``."""
    needed("a data frame", "export", "pandas")
    import pandas

    return pandas.DataFrame(columns)


def write_csv(columns: Columns, file: IO[bytes]) -> None:
    """Write a table as CSV in UTF-8; each number with all its digits, and nothing where it is NaN."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    length = len(next(iter(columns.values())))
    for first in range(0, length, ROWS):
        part = [column[first : first + ROWS].tolist() for column in columns.values()]
        rows.writerows([["" if entry != entry else entry for entry in row] for row in zip(*part, strict=True)])
    text.detach()


def unique(wanted: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Each name, followed by underscores until it differs from the names before it and from those taken."""
    used = set(taken)
    chosen = []
    for name in wanted:
        while name in used:
            name += "_"
        used.add(name)
        chosen.append(name)
    return chosen


def groups(labels: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """By label a name that a group of a NetCDF file can have: without a slash, and not made of dots alone."""
    wanted = list(labels)
    plain = [label.replace("/", "_").strip() for label in wanted]
    return dict(zip(wanted, unique((name if name.strip(".") else f"run{name}_" for name in plain), taken), strict=True))
