"""The results of a sweep: its numbers as arrays over the grid, in the forms of other programs, and as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.text_table import cell
from particlegvi.sweeps import report
from particlegvi.sweeps.grid_table import as_text
from particlegvi.sweeps.numbers import VERDICT, GridNumbers
from particlegvi.tools import html
from particlegvi.tools.errors import needed
from particlegvi.tools.export.columns import frame

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

MOST_KEYS = 4  # of the figure of lines: each has a panel


class Sweep(GridNumbers):
    """The results of `particlegvi.sweep`: its numbers, and the forms for other programs."""

    def to_dataframe(self) -> pandas.DataFrame:
        """The lines of ``table.csv`` as a frame: the swept keys, seed, method, status and numbers."""
        return frame({name: [_plain(value) for value in column] for name, column in self.table.of.items()})

    def to_xarray(self) -> xarray.Dataset:
        """The numbers as arrays whose dimensions are the swept keys, ``seed`` and ``method``.

        ``status`` says which methods diverged, ``equilibrium`` has the rules of the verdicts. Values of a key that are
        lists or tables are coordinates as JSON.
        """
        needed("a dataset", "export", "xarray")
        import xarray

        dims = (*self.over, "seed", "method")
        arrays = {}
        for name in self.table.numbers:
            if name not in dims and any(isinstance(value, int | float) for value in self.table.of[name]):
                arrays[name] = dims, np.stack([self.values(name, method) for method in self.methods], axis=-1)
        statuses = [self._of_method(method, self.table.of["status"], "") for method in self.methods]
        arrays["status"] = dims, np.stack(statuses, axis=-1).astype(str)
        if VERDICT in self.table.of:
            verdicts = np.stack([self.verdicts(method) for method in self.methods], axis=-1)
            arrays[VERDICT] = dims, verdicts.astype(str)
        coordinates: dict[str, object] = {key: [_plain(value) for value in values] for key, values in self.over.items()}
        coordinates |= {"seed": np.array(self.seeds, dtype=np.uint64), "method": list(self.methods)}
        attributes = {"scenario": self.scenario["name"], "title": self.scenario["title"]}
        return xarray.Dataset(arrays, coordinates, attributes)

    def _repr_html_(self) -> str:
        swept = ", ".join(f"{key} ({len(values)})" for key, values in self.over.items())
        head = f"<strong>Sweep</strong> {html.text(str(self.scenario['name']))} over {html.text(swept)}"
        names = [*self.over, "seed", "method", "status", *self.measures, VERDICT]
        shown = [name for name in dict.fromkeys(names) if name in self.table.of]
        lines = zip(*(self.table.of[name] for name in shown), strict=True)
        return html.framed(head, html.grid([shown, *([cell(_plain(value)) for value in line] for line in lines)]))

    @property
    def usual(self) -> str:
        """The default kind of figure."""
        return "heat-map" if len(self.over) == 2 else "lines"

    def plot(self, kind: str | None = None, **options: object) -> Figure:
        """One matplotlib figure.

        Parameters
        ----------
        kind : str, optional
            "heat-map", the default if two keys are swept, or "lines", the default otherwise.
        **options
            ``measures`` and ``methods``, lists of names.
        """
        from particlegvi import plotting

        name = kind or self.usual
        if name == "heat-map" and self.chosen:
            options = {"methods": self.chosen, **options}
        return plotting.figure(self, name, **options)

    def draw_pictures(self, folder: Path, style: Facts) -> list[Path]:
        """Draw the default figure into a folder, if one to four keys are swept; the pictures drawn."""
        if not 1 <= len(self.over) <= MOST_KEYS or not self.measures:
            return []
        from particlegvi.plotting.style import save

        return [save(self.plot(**style), folder / f"{self.usual}.{style.get('format', 'png')}")]

    def describe(self) -> str:
        """The tables of ``table.md``."""
        return report.markdown(self)


def _plain(value: object) -> object:
    return as_text(value) if isinstance(value, list | dict) else value
