"""Work in many cells: each is computed once, in batches on any engine, and kept in a small file.

`store` keeps finished cells, `batches` hands them out in batches of about a second and survives processes that are
killed, and `engines` has the engines: this process, joblib, Dask by address. Sweeps, tables and replicates give the
function that computes a cell.
"""

from particlegvi.tools.cells.batches import Batch, Done, compute
from particlegvi.tools.cells.engines import Engine, WorkerLost, choose
from particlegvi.tools.cells.store import Store

__all__ = ["Batch", "Done", "Engine", "Store", "WorkerLost", "choose", "compute"]
