"""Work in many cells: each is computed once, in batches on any pool of processes, and kept in a small file.

`store` keeps finished cells, `batches` hands them out in batches of about a second and survives processes that are
killed, and `engines` has the pools: that of the package, joblib, Dask by address. Nothing here knows what a cell is.
"""

from particlegvi.cells.batches import Batch, Done, compute
from particlegvi.cells.engines import choose
from particlegvi.cells.store import Memory, Store

__all__ = ["Batch", "Done", "Memory", "Store", "choose", "compute"]
