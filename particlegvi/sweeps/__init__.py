"""Sweeps: a scenario over a grid of settings and seeds, each cell computed once.

`plan` reads what is asked for, `grid` resolves settings and names cells, `cell` computes one, `running` computes the
missing ones with `particlegvi.tools.cells`, `folder` is the folder of a sweep, `table` has its lines, `Sweep` the
results, and `report` puts them into words. `api` has the functions ``particlegvi.sweep``, ``particlegvi.load`` and
``particlegvi.resume``.
"""

from particlegvi.sweeps.api import load, resume, sweep
from particlegvi.sweeps.sweep import Sweep

__all__ = ["Sweep", "load", "resume", "sweep"]
