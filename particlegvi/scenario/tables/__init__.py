"""Benchmark tables: models on data sets over splits, one small file for each finished cell, and the printed numbers.

`run_table` makes the thesis's Table 6.2 with `ProjectedSettings`, its Table 5.1 with `EnsembleSettings` and its Table
4.1 with `WassersteinSettings`, Figures 2 to 4 of Burt et al. (2020) with `LinearSettings` and Figures 3 to 5 of
Huggins et al. (2019) with `ApproximationSettings`; `DigitsSettings` is for images with classes held out. A stopped
table can continue. Each table is a file, or a folder whose ``__init__.py`` declares the table (`Table`) and whose other
files have its settings, problems, models and scores.
"""

from particlegvi.tools.lazy import bound

__all__ = bound(__name__)
