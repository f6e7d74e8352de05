"""Benchmark tables: models on data sets over splits, one small file per finished cell, with the printed numbers.

`run_table` makes the thesis's Table 6.2 with `Settings`, its Table 5.1 with `EnsembleSettings` and its Table 4.1 with
`WassersteinSettings`, or any part of them, and goes on where a stopped run was.
"""

from particlegvi.tables.cells import Cell, measure
from particlegvi.tables.ensembles import EnsembleSettings, EnsembleTable
from particlegvi.tables.printed import published, rows
from particlegvi.tables.rendering import Table
from particlegvi.tables.running import run_table
from particlegvi.tables.settings import Settings
from particlegvi.tables.wasserstein import WassersteinSettings

__all__ = [
    "Cell", "EnsembleSettings", "EnsembleTable", "Settings", "Table", "WassersteinSettings", "measure", "published",
    "rows", "run_table",
]  # fmt: skip
