"""The finished cells of a table: one small JSON file each, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from particlegvi import cells
from particlegvi.contracts import Facts
from particlegvi.tables.cells import Cell
from particlegvi.tables.many_splits import ManySplits
from particlegvi.tables.settings import Settings


class Store:
    """The folder ``cells`` of a table's folder (`particlegvi.cells.Store`).

    A file counts only for the settings that made it, which it holds: after a change of settings the cells are computed
    anew, after one of a single model's own settings those of that model, and another number of splits or rows changes
    nothing. A damaged cell is one that is not finished.
    """

    def __init__(self, folder: Path, settings: Settings | ManySplits) -> None:
        self.settings = settings
        self._cells = cells.Store(folder, "scores", flush=True)  # one takes minutes, and waits for the disk
        self.folder = self._cells.folder

    def prepare(self) -> None:
        """Make the folder."""
        self._cells.prepare()

    def write(self, cell: Cell, scores: dict[str, float], seconds: float) -> None:
        """Keep a finished cell."""
        self._cells.write(cell.name, self._identity(cell), scores, seconds)

    def read(self, cell: Cell) -> dict[str, float] | None:
        """The scores of a cell, or None where it is not finished with these settings, or damaged."""
        return self._cells.read(cell.name, self._identity(cell))

    def finished(self, every: Iterable[Cell]) -> dict[Cell, dict[str, float]]:
        """The scores of those among the cells that are finished."""
        found = {cell: self.read(cell) for cell in every}
        return {cell: scores for cell, scores in found.items() if scores is not None}

    def _identity(self, cell: Cell) -> Facts:
        return {"cell": cell._asdict(), "settings": self.settings.fits(cell.model)}
