"""The numbers that the thesis prints in a table, from a TOML file."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.tools.registry import look_up


class PrintedTable:
    """A printed table.

    Parameters
    ----------
    path : Path
        A file with a table for each row: its ``title``, and a pair of numbers for each model, or for each metric a
        table of such pairs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _table(self) -> Facts:
        return tomllib.loads(self.path.read_text(encoding="utf-8"))

    def _row(self, row: str) -> Facts:
        found: Facts = look_up("row of the table", row, self._table)
        return found

    def rows(self) -> list[str]:
        """The data sets of the table, in its order."""
        return list(self._table)

    def title(self, row: str) -> str:
        """A row's name as printed."""
        return str(self._row(row)["title"])

    def metrics(self, row: str) -> list[str]:
        """The metrics that the table prints for a row; the first one judges the row."""
        return [key for key in self._row(row) if key != "title"]

    def published(self, row: str, model: str, metric: str = "") -> tuple[float, float] | None:
        """The printed number and the number printed after it; None where nothing is printed.

        Without a ``metric`` it is the negative log-likelihood of a table that prints no other metric.
        """
        models = self._row(row).get(metric, {}) if metric else self._row(row)
        pair = models.get(model)
        return None if pair is None else (float(pair[0]), float(pair[1]))
