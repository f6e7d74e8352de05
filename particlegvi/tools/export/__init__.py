"""Runs in the forms of other tools: xarray, ArviZ, NetCDF, pandas, CSV, numpy and LaTeX.

A run inherits from `Exports` (`exports`) and gives datasets (`datasets`) and columns (`columns`); `writing` puts them
into files. The libraries are those of the extra ``export`` and are imported where they are used.
"""

from particlegvi.tools.export.exports import Exports

__all__ = ["Exports"]
