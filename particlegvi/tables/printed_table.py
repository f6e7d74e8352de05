"""The numbers that the thesis prints in a table, one pair for each row and model, from a TOML file."""

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
        Of a file with a table for each row: its ``title``, and a pair of numbers for each model.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _table(self) -> Facts:
        return tomllib.loads(self.path.read_text(encoding="utf-8"))

    def rows(self) -> list[str]:
        """The data sets of the table, in its order."""
        return list(self._table)

    def title(self, row: str) -> str:
        """A row's name as printed."""
        return str(look_up("row of the table", row, self._table)["title"])

    def published(self, row: str, model: str) -> tuple[float, float] | None:
        """The printed negative log-likelihood and the number printed after it; None where nothing is printed."""
        pair = look_up("row of the table", row, self._table).get(model)
        return None if pair is None else (float(pair[0]), float(pair[1]))
