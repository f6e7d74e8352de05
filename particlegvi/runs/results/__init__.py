"""Results: the runs of a scenario or a comparison, their targets, and the numbers of the summary.

`Runs` (`runs`) is the mapping from labels to runs. `Results` (`results`) are the runs of a scenario, which may have a
folder, and `load` reads them from a folder. `particlegvi.compare` returns a `Comparison`, which are results of objects.
"""

from particlegvi.runs.results.results import Comparison, Results, load
from particlegvi.runs.results.runs import Runs

__all__ = ["Comparison", "Results", "Runs", "load"]
