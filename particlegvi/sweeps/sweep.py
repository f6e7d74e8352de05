"""The results of a sweep: its numbers over the grid, as a frame, as an xarray, as tables and as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from particlegvi.sweeps.gridded import Gridded
from particlegvi.sweeps.report import markdown
from particlegvi.sweeps.table import as_text
from particlegvi.tools.extras import needed

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure


class Sweep(Gridded):
    """The results of `particlegvi.sweep`: those of `Gridded`, and the forms in which other programs take them."""

    def to_dataframe(self) -> pandas.DataFrame:
        """The lines of ``table.csv`` as a frame: the swept keys, seed, method, status and numbers."""
        needed("a data frame", "export", "pandas")
        import pandas

        plain = {name: [_plain(each) for each in column] for name, column in self.table.of.items()}
        return pandas.DataFrame(plain)

    def to_xarray(self) -> xarray.Dataset:
        """The numbers as arrays whose dimensions are the swept keys, ``seed`` and ``method``.

        ``status`` says which of them diverged. Values of a key that are lists or tables are coordinates as JSON.
        """
        needed("a dataset", "export", "xarray")
        import xarray

        dims = (*self.over, "seed", "method")
        arrays = {}
        for name in self.table.numbers:
            if name not in dims and any(isinstance(value, int | float) for value in self.table.of[name]):
                arrays[name] = dims, np.stack([self.values(name, method) for method in self.methods], axis=-1)
        status = np.full((len(self), len(self.methods)), "", dtype=object)
        for place, label, word in zip(self.table.cell, self.table.of["method"], self.table.of["status"], strict=True):
            status[place, self.methods.index(str(label))] = word
        arrays["status"] = dims, status.reshape(*self.shape, len(self.methods)).astype(str)
        coordinates: dict[str, object] = {key: [_plain(each) for each in values] for key, values in self.over.items()}
        coordinates |= {"seed": np.array(self.seeds, dtype=np.uint64), "method": list(self.methods)}
        attributes = {"scenario": self.scenario["name"], "title": self.scenario["title"]}
        return xarray.Dataset(arrays, coordinates, attributes)

    def plot(self, kind: str | None = None, **options: object) -> Figure:
        """One matplotlib figure.

        Parameters
        ----------
        kind : str, optional
            "heat-map", which is drawn where two keys are swept, or "lines", drawn otherwise.
        **options
            ``measures`` and ``methods``, lists of names.
        """
        from particlegvi import plotting

        name = kind or ("heat-map" if len(self.over) == 2 else "lines")
        if name == "heat-map" and self.chosen:
            options = {"methods": self.chosen, **options}
        return plotting.figure(self, name, **options)

    def describe(self) -> str:
        """The tables of ``table.md``."""
        return markdown(self)


def _plain(value: object) -> object:
    return as_text(value) if isinstance(value, list | dict) else value
