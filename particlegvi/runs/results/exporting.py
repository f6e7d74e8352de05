"""Results in the forms of other tools: a tree for xarray, a long table for pandas, and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts
from particlegvi.runs.storage.versions import versions
from particlegvi.scenario.kinds.kind import Kind, Targets
from particlegvi.tools import arguments
from particlegvi.tools.export import datasets, writing
from particlegvi.tools.export.columns import frame
from particlegvi.tools.export.names import groups

if TYPE_CHECKING:
    import pandas
    import xarray

TRUTH = "truth"  # the group of the targets; the group of a method with this label is renamed


class ExportedRuns(Mapping[str, Any]):
    """The base of `particlegvi.runs.results.Runs` that exports; `Runs` sets the attributes."""

    kind: Kind
    scenario: Facts
    seed: int
    status: str
    targets: Targets

    def attributes(self) -> Facts:
        """Attributes of every group about the whole: scenario, title, seed, status and versions."""
        given = {key: str(self.scenario.get(key, "")) for key in ("title", "source")}
        whole = {"scenario": str(self.scenario["name"]), **given, "seed": self.seed, "status": self.status}
        return whole | {"versions": versions()}

    def to_xarray(self) -> xarray.DataTree:
        """A tree for xarray: a group for each run, and the targets under ``truth``.

        ``/DLE`` is ``results["DLE"].to_xarray()``, and ``/truth/DLE`` is its target: ``pdf`` on a grid for a density,
        ``atoms`` and ``weights`` for atoms, and the true function, if known, for a scenario over functions. Every group
        has the attributes of the whole: ``scenario``, its complete file as ``scenario.toml``, ``seed`` and
        ``versions``. A label that cannot name a group is changed, and the attribute ``label`` keeps it.
        """
        named = groups(self, (TRUTH,))
        found = {named[label]: run.to_xarray() for label, run in self.items()}
        truths = {label: self.kind.truth(self, label, self.targets) for label in self}
        known = {f"{TRUTH}/{named[label]}": truth for label, truth in truths.items() if truth is not None}
        if known:
            found[TRUTH] = datasets.dataset({}, {}, {})
            found |= known
        return datasets.tree(found, self.attributes())

    def to_datatree(self, last: float = 0.5) -> xarray.DataTree:
        """The draws of every run as ArviZ reads them, ``tree["DLE"]`` being ``results["DLE"].to_datatree(last)``."""
        named = groups(self)
        found = {}
        for label, run in self.items():
            for name, group in run.to_datatree(last).children.items():
                found[f"{named[label]}/{name}"] = group.to_dataset()
        return datasets.tree(found, self.attributes())

    def to_dataframe(self, records: bool = False) -> pandas.DataFrame:
        """A long table for pandas: ``method``, ``particle``, and a column for each coordinate.

        Parameters
        ----------
        records : bool
            Whether all records are in it, with the columns ``record`` and ``time``; by default the final particles. A
            benchmark table has a row for each finished cell in both cases.
        """
        return frame(self.kind.columns(self, arguments.flag("records", records)))

    def to_netcdf(self, path: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write `to_xarray` into a file ``.nc``, which ``xarray.open_datatree`` reads back bit for bit."""
        place = writing.destination(path, overwrite, (".nc",))
        writing.write_netcdf(place, self.to_xarray())
        return place

    def export(self, path: str | os.PathLike[str], records: bool = False, overwrite: bool = False) -> Path:
        """Write a file for another program; its suffix says which.

        Parameters
        ----------
        path : path
            ``.nc``: `to_xarray`, as NetCDF. ``.csv`` or ``.parquet``: the rows of `to_dataframe`. ``.npz``: the arrays
            of every run, ``LABEL.positions``, ``LABEL.steps`` and ``LABEL.times``, for ``numpy.load``.
        records : bool
            Whether the rows are of all records; ``.nc`` and ``.npz`` always have them.
        overwrite : bool
            Whether ``path`` may be a file that exists.

        Raises
        ------
        ValueError
            If the suffix is another one, the file may not be overwritten or cannot be written, or a library of the
            extra ``export`` is missing.
        """
        records = arguments.flag("records", records)
        place = writing.destination(path, overwrite)
        if not self:
            raise ValueError(f"{self.scenario['name']} must have a finished method to be exported, and has none yet")
        try:
            if place.suffix == ".nc":
                writing.write_netcdf(place, self.to_xarray())
            elif place.suffix == ".npz":
                writing.write_arrays(place, self.arrays())
            else:
                write = writing.write_table if place.suffix == ".csv" else writing.write_parquet
                write(place, self.kind.columns(self, records))
        except OSError as error:
            raise ValueError(f"{place} cannot be written: {error.strerror or error}") from None
        return place

    def arrays(self) -> writing.Arrays:
        """The arrays of every run by name, as a file ``.npz`` has them."""
        named = groups(self)
        found: writing.Arrays = {}
        for label, run in self.items():
            arrays = self.kind.arrays(run)
            found |= {f"{named[label]}.{name}": array for name, array in arrays.items()}
        return found
