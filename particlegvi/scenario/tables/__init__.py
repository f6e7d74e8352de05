"""Benchmark tables: models on data sets over splits, one small file for each finished cell, and the printed numbers.

`run_table` makes the thesis's Tables 6.2 ("functions"), 5.1 ("ensembles") and 4.1 ("wasserstein"), Figures 2 to 4 of
Burt et al. (2020, "linear"), Figures 3 to 5 of Huggins et al. (2019, "approximation"), and a table of images with
classes held out ("digits"). A stopped table can continue. Each table is a TOML file, which declares its rows, models,
scores, protocols and printed numbers (`settings.Declaration`), and a module of the same name with the functions
``problem(row, protocol, split)`` and ``score(task, settings, problem)``.
"""

from particlegvi.tools.lazy import attach

__getattr__, __all__ = attach(__name__)
