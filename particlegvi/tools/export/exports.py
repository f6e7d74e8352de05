"""The forms of a run for other tools: xarray, ArviZ, NetCDF and pandas."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from particlegvi.contracts import Facts
from particlegvi.tools import arguments
from particlegvi.tools.errors import needed
from particlegvi.tools.export import writing
from particlegvi.tools.export.columns import Columns, frame
from particlegvi.tools.export.datasets import tree

if TYPE_CHECKING:
    import arviz
    import pandas
    import xarray


class Exports:
    """The base of runs and of results: a form that a subclass does not define is refused in a sentence."""

    def attributes(self) -> Facts:
        """Facts about the run, for the attributes of its datasets: texts, numbers, lists and tables."""
        return {}

    def at(self, record: int, /) -> object:
        """The run as it was at one record."""
        raise self._lacks("earlier records to be seen at")

    def to_xarray(self) -> xarray.Dataset | xarray.DataTree:
        """The records as a dataset, or as a tree of those of several runs."""
        raise self._lacks("form for xarray")

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe`, as columns by name."""
        raise self._lacks("rows for a table")

    def groups(self, last: float, chains: bool | None) -> Mapping[str, xarray.Dataset]:
        """The groups of `to_datatree` by name."""
        raise self._lacks("draws, which ArviZ asks for; use to_xarray()")

    def _lacks(self, member: str) -> ValueError:
        return ValueError(f"{type(self).__name__.lower()} has no {member}")

    def to_datatree(self, last: float = 0.5, chains: bool | None = None) -> xarray.DataTree:
        """The draws as ArviZ reads them: a tree with the groups ``posterior``, ``sample_stats``, ``prior`` and others.

        A particle with noise of its own is a chain, and a record is a draw: ``position`` (chain, draw, coordinate). The
        particles of DLE are independent chains. Particles of DRLE, with jumps, of ``pg.sample`` or with the integrator
        "aldi" interact and are not independent; the attribute ``independent_chains`` is 0, and R-hat is a diagnostic
        and no proof. Particles without noise, and functions, have no draws over time: then there is one chain, whose
        draws are the particles of the last record.

        Parameters
        ----------
        last : float
            The share of the time, at the end, whose records are draws; above 0 and at most 1.
        chains : bool, optional
            Whether particles are chains; by default where each has noise of its own. Others cannot be.
        """
        share = arguments.fraction("last", last, "1")
        if chains is not None:
            chains = arguments.flag("chains", chains)
        return tree(self.groups(share, chains), self.attributes())

    def to_inference_data(self, last: float = 0.5, chains: bool | None = None) -> arviz.InferenceData | xarray.DataTree:
        """The form that the installed ArviZ takes: ``InferenceData`` before 1.0, else the tree of `to_datatree`."""
        made = self.to_datatree(last, chains)
        needed("what the installed ArviZ takes", "test", "arviz")
        import arviz

        return made if int(arviz.__version__.split(".")[0]) >= 1 else arviz.from_datatree(made)

    def to_dataframe(self, records: bool = False) -> pandas.DataFrame:
        """A long table for pandas, one row for each particle: its number and its coordinates, by their names.

        Parameters
        ----------
        records : bool
            Whether the table has all records, with the columns ``record`` and ``time``; by default only the last one.
        """
        return frame(self.columns(arguments.flag("records", records)))

    def to_netcdf(self, path: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write `to_xarray` into a file ``.nc``, which xarray reads back bit for bit."""
        place = writing.destination(path, overwrite, (".nc",))
        writing.write_netcdf(place, self.to_xarray())
        return place
