"""The finished cells of a table: one small JSON file each, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.tools import cells


class Store:
    """The folder ``cells`` of a table's folder (`particlegvi.tools.cells.Store`).

    The file of a cell holds the settings that determine its scores, and is valid for them only. Another number of
    splits or rows changes no cell; if a setting of one model changes, the cells of this model are computed again.
    """

    def __init__(self, folder: Path, settings: TableSettings) -> None:
        self.settings = settings
        self._cells = cells.Store(folder, "scores", flush=True)  # a cell takes minutes, so it waits for the disk
        self.folder = self._cells.folder

    def prepare(self) -> None:
        """Make the folder."""
        self._cells.prepare()

    def write(self, task: Task, scores: dict[str, float], seconds: float) -> None:
        """Keep the cell of a task."""
        self._cells.write(task.name, self._identity(task), scores, seconds)

    def read(self, task: Task) -> dict[str, float] | None:
        """The scores of a task, or None where its cell is not finished with these settings, or damaged."""
        return self._cells.read(task.name, self._identity(task))

    def finished(self, tasks: Iterable[Task]) -> dict[Task, dict[str, float]]:
        """The scores of the tasks that are finished."""
        found = {task: self.read(task) for task in tasks}
        return {task: scores for task, scores in found.items() if scores is not None}

    def _identity(self, task: Task) -> Facts:
        return {"cell": task._asdict(), "settings": self.settings.fits(task.model)}
