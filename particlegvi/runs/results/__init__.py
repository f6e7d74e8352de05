"""Results: the runs of a scenario or a comparison, their targets, and the numbers of the summary.

`Runs` (`runs`) is the mapping from labels to runs. `particlegvi.compare` returns a `Comparison`. `Results` (`results`)
are the runs of a scenario, which may have a folder, and `load` reads them from a folder.
"""

from __future__ import annotations

from particlegvi.runs.results.results import Results, load
from particlegvi.runs.results.runs import Comparison, Runs, told

__all__ = ["Comparison", "Results", "Runs", "load", "told"]
