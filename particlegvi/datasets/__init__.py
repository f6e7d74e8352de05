"""The benchmark data sets of the sources, by name, and the splits that their tables use.

>>> from particlegvi import datasets
>>> "boston" in datasets.names()
True

The files themselves do not come with the package: `load` looks for them in the folder that ``PARTICLEGVI_DATA`` names,
then in the folder ``data`` of this user's cache. `convert` makes them from raw files that
you have downloaded; `download` fetches those as well. `register` adds a data set of your own.
"""

from particlegvi.datasets.getting import available, convert, download
from particlegvi.datasets.reading import Dataset, MissingData, load, names, register
from particlegvi.datasets.splits import Split, holdout, standard_splits, thesis_split

__all__ = [
    "Dataset", "MissingData", "Split", "available", "convert", "download", "holdout", "load", "names",
    "register", "standard_splits", "thesis_split",
]  # fmt: skip
