"""A table in the forms of other tools: every score over rows, models, protocols and splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.tools import html
from particlegvi.tools.export import Exports
from particlegvi.tools.export.columns import Columns
from particlegvi.tools.export.datasets import Coordinates, dataset
from particlegvi.version import __version__

if TYPE_CHECKING:
    import xarray


class TableExports(Exports):
    """The exports of a table, which has these attributes."""

    settings: TableSettings
    scores: Mapping[Task, Mapping[str, float]]

    def cells(self) -> list[list[str]]:
        """The whole table as texts, line by line, the head first."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return html.framed(f"<strong>Table</strong> of {len(self.scores)} finished cells", html.grid(self.cells()))

    def attributes(self) -> Facts:
        """The settings, as JSON."""
        return {"settings": dict(vars(self.settings)), "particlegvi": __version__}

    def measured(self) -> list[str]:
        """The names of all scores that a finished cell has."""
        return list(dict.fromkeys(name for scores in self.scores.values() for name in scores))

    def to_xarray(self) -> xarray.Dataset:
        """A dataset of xarray: every score as (row, model, protocol, split), NaN where a cell has none."""
        first, number = self.settings.first_split, self.settings.splits
        names = [list(self.settings.rows), list(self.settings.models), list(self.settings.protocols)]
        shape = (*map(len, names), number)
        filled = {name: np.full(shape, np.nan) for name in self.measured()}
        for task, scores in self.scores.items():
            place = (*(known.index(str(each)) for known, each in zip(names, task, strict=False)), task.split - first)
            for name, score in scores.items():
                filled[name][place] = score
        dims = Task._fields
        along: Coordinates = {name: ((name,), known) for name, known in zip(dims, names, strict=False)}
        along["split"] = (("split",), np.arange(first, first + number))
        return dataset({name: (dims, values) for name, values in filled.items()}, along, self.attributes())

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe` as columns by name: one row for each finished cell."""
        found: Columns = {"split": np.array([task.split for task in self.scores], dtype=np.int64)}
        for place, name in enumerate(Task._fields[:3]):
            found[name] = np.array([task[place] for task in self.scores], dtype=object)
        found = {name: found[name] for name in Task._fields}
        for name in self.measured():
            found[name] = np.array([scores.get(name, np.nan) for scores in self.scores.values()], dtype=np.float64)
        return found
