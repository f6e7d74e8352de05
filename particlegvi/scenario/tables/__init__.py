"""Benchmark tables: models on data sets over splits, one small file for each finished cell, and the printed numbers.

`run_table` makes the thesis's Table 6.2 with `ProjectedSettings`, its Table 5.1 with `EnsembleSettings` and its Table
4.1 with `WassersteinSettings`, Figures 2 to 4 of Burt et al. (2020) with `LinearSettings` and Figures 3 to 5 of
Huggins et al. (2019) with `ApproximationSettings`; `DigitsSettings` is for images with classes held out. A stopped
table can continue. Each table is a folder: its ``__init__.py`` declares the table (`Table`), the other files have its
settings, problems, models and scores.
"""

from particlegvi.scenario.tables.approximation import ApproximationSettings, ApproximationTable
from particlegvi.scenario.tables.digits import DigitsSettings, DigitsTable
from particlegvi.scenario.tables.ensembles import EnsembleSettings, EnsembleTable
from particlegvi.scenario.tables.functions import ProjectedSettings, ProjectedTable
from particlegvi.scenario.tables.functions.protocols import published, rows
from particlegvi.scenario.tables.linear import LinearSettings, LinearTable
from particlegvi.scenario.tables.running import measure, run_table
from particlegvi.scenario.tables.settings import Task
from particlegvi.scenario.tables.wasserstein import WassersteinSettings, WassersteinTable

__all__ = [
    "ApproximationSettings", "ApproximationTable", "DigitsSettings", "DigitsTable", "EnsembleSettings",
    "EnsembleTable", "LinearSettings", "LinearTable", "ProjectedSettings", "ProjectedTable", "Task",
    "WassersteinSettings", "WassersteinTable", "measure", "published", "rows", "run_table",
]  # fmt: skip
