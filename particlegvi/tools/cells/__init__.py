"""Work in many cells: each is computed once, in this process or in several, and kept in a small file.

`store` keeps finished cells, and `computing` computes the others. Sweeps and tables give the function that computes a
cell.
"""

from particlegvi.tools.cells.computing import WorkerLost, compute
from particlegvi.tools.cells.store import Store

__all__ = ["Store", "WorkerLost", "compute"]
