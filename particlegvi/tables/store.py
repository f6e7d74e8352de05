"""The finished cells of a table: one small JSON file each, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.tables.cells import Cell
from particlegvi.tables.ensembles.settings import EnsembleSettings
from particlegvi.tables.settings import Settings
from particlegvi.tools import files


class Store:
    """The folder ``cells`` of a table's folder.

    A file counts only for the settings that made it, which it holds: after a change of settings the cells are computed
    anew, after one of a single model's own settings those of that model, and another number of splits or rows changes
    nothing. It holds its own sha256, too: a damaged cell is one that
    is not finished.
    """

    def __init__(self, folder: Path, settings: Settings | EnsembleSettings) -> None:
        self.folder = folder / "cells"
        self.settings = settings

    def prepare(self) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, cell: Cell, scores: dict[str, float], seconds: float) -> None:
        """Keep a finished cell."""
        content: Facts = {"cell": cell._asdict(), "settings": self.settings.fits(cell.model), "scores": scores}
        content |= {"seconds": round(seconds, 3), "sha256": _digest(content)}
        files.write_json(self.folder / f"{cell.name}.json", content)

    def read(self, cell: Cell) -> dict[str, float] | None:
        """The scores of a cell, or None where it is not finished with these settings, or damaged."""
        content: Facts = {}
        with files.ignoring_damage():
            content = files.read_json(self.folder / f"{cell.name}.json")
        if content.get("sha256") != _digest(content):
            return None
        if content.get("cell") != cell._asdict() or content.get("settings") != self.settings.fits(cell.model):
            return None
        return content["scores"]

    def finished(self, cells: Iterable[Cell]) -> dict[Cell, dict[str, float]]:
        """The scores of those among the cells that are finished."""
        found = {cell: self.read(cell) for cell in cells}
        return {cell: scores for cell, scores in found.items() if scores is not None}


def _digest(content: Facts) -> str:
    counts = {name: content.get(name) for name in ("cell", "settings", "scores")}  # how long it took does not
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()
