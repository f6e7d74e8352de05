"""Sweeps: a scenario over a grid of settings and seeds, each cell computed once, and no work lost.

`grid` resolves settings and names cells, `cell` computes one, `running` computes what is missing with
`particlegvi.cells`, `folder` is the folder of a sweep, and `Sweep` (`sweep`) has the results, with `table`, `report`
and `pictures`. `front` has what ``particlegvi.sweep``, ``particlegvi.load`` and ``particlegvi.resume`` are.
"""

from particlegvi.sweeps.front import load, resume, sweep
from particlegvi.sweeps.sweep import Sweep

__all__ = ["Sweep", "load", "resume", "sweep"]
