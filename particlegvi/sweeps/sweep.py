"""The results of a sweep: its numbers as arrays over the grid, in the forms of other programs, and as pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.scenario.kinds.text_table import cell
from particlegvi.sweeps import report
from particlegvi.sweeps.cell import FINISHED
from particlegvi.sweeps.laws import laws
from particlegvi.sweeps.table import Table, as_text
from particlegvi.tools import html
from particlegvi.tools.errors import needed
from particlegvi.tools.export import writing
from particlegvi.tools.export.columns import frame
from particlegvi.tools.registry import look_up

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

# The measure by default: the first of these that the table has.
USUAL = ("w1", "sliced_w1", "modes_covered", "rmse", "log_density", "nll", "auc", "average_loss")

MOST_KEYS = 4  # of the figure of lines: each has a panel


@dataclass(repr=False, eq=False)
class Sweep:
    """The results of `particlegvi.sweep`: its numbers over the grid; ``methods`` are those of the table."""

    scenario: Facts  # the complete scenario that was swept
    over: dict[str, list[object]]  # the values of each swept key
    seeds: list[int]
    table: Table  # the lines of ``table.csv``
    measures: Sequence[str] = ()  # the numbers in tables and pictures; empty for the usual one
    folder: Path | None = None
    chosen: Sequence[str] = ()  # methods in the heat map; empty for all
    computed: int = 0  # cells that were computed now; the others were there

    def __post_init__(self) -> None:
        known = self.table
        self.methods = known.methods
        self.measures = list(self.measures) or [name for name in USUAL if name in known.of][:1] or known.numbers[:1]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline()})"

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each key, and of seeds."""
        return (*(len(values) for values in self.over.values()), len(self.seeds))

    def values(self, measure: str, method: str) -> Array:
        """A number of a method over the grid, an array of the shape of the grid with the seeds last.

        NaN stands for a method that diverged, or has no such number.
        """
        look_up("method of the sweep", method, dict.fromkeys(self.methods))
        numbers = look_up("number of the sweep", measure, {name: self.table.of[name] for name in self.table.numbers})
        return self._of_method(method, [value if isinstance(value, int | float) else np.nan for value in numbers])

    def _of_method(self, method: str, column: Sequence[float]) -> Array:
        """The entries of a column, one for each line of the table, in the lines of a method, over the grid."""
        found = np.full(len(self), np.nan)
        for place, label, value in zip(self.table.cell, self.table.of["method"], column, strict=True):
            if label == method:
                found[place] = value
        return found.reshape(self.shape)

    @property
    def laws(self) -> dict[str, Array]:
        """The values of each law of the scenario at the values of the swept key, by name."""
        return laws(self.scenario, self.over)

    def truth(self, measure: str, method: str) -> Array | None:
        """The mean or the sd of the target, over the grid as `values`; None where it is unknown."""
        found = self._of_method(method, self.table.truths[measure]) if measure in self.table.truths else np.empty(0)
        return found if np.isfinite(found).any() else None

    def has(self, measure: str, method: str) -> bool:
        """Whether a method has a number in any cell."""
        columns = self.table.of
        if measure not in self.table.numbers:
            return False
        both = zip(columns["method"], columns[measure], strict=True)
        return any(label == method and isinstance(value, int | float) for label, value in both)

    def stopped(self, method: str) -> Array:
        """1.0 if the method diverged or was refused, else 0.0; an array of the shape of the grid, seeds last."""
        return np.nan_to_num(self._of_method(method, [float(each != FINISHED) for each in self.table.of["status"]]))

    def headline(self) -> str:
        """The number of cells, and the numbers of those in which a method diverged or was refused."""
        counts = {}
        for word in ("diverged", "refused"):
            lines = zip(self.table.cell, self.table.of["status"], strict=True)
            counts[word] = len({place for place, status in lines if str(status).startswith(word)})
        settings = len(self) // len(self.seeds)
        size = f"{_many(settings, 'setting')} x {_many(len(self.seeds), 'seed')} = {_many(len(self), 'cell')}"
        refused = f", {counts['refused']} refused" if counts["refused"] else ""
        return f"{self.scenario['name']}: {size}, {counts['diverged']} diverged{refused}"

    def to_dataframe(self) -> pandas.DataFrame:
        """The lines of ``table.csv`` as a frame: the swept keys, seed, method, status and numbers."""
        return frame({name: [_plain(each) for each in column] for name, column in self.table.of.items()})

    def to_xarray(self) -> xarray.Dataset:
        """The numbers as arrays whose dimensions are the swept keys, ``seed`` and ``method``.

        ``status`` says which methods diverged. Values of a key that are lists or tables are coordinates as JSON.
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

    def export(self, path: str | os.PathLike[str], records: bool = False, overwrite: bool = False) -> Path:
        """Write a file for another program: ``.nc`` holds `to_xarray`, ``.csv``, ``.parquet`` and ``.npz`` the lines.

        Parameters
        ----------
        path : path
        records : bool
            Not used: a sweep has one line for each cell and method.
        overwrite : bool
            Whether ``path`` may be a file that exists.
        """
        place = writing.destination(path, overwrite)
        columns = {name: _column(values) for name, values in self.table.of.items()}
        # texts as texts: numpy would pickle objects
        plain = {name: each.astype(str) if each.dtype == object else each for name, each in columns.items()}
        rows = self.table.for_csv() if place.suffix == ".csv" else columns
        return writing.write(place, self.to_xarray, lambda: plain, lambda: rows)

    def _repr_html_(self) -> str:
        swept = ", ".join(f"{key} ({len(values)})" for key, values in self.over.items())
        head = f"<strong>Sweep</strong> {html.text(str(self.scenario['name']))} over {html.text(swept)}"
        names = [*self.over, "seed", "method", "status", *self.measures]
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


def _column(values: list[object]) -> NDArray[np.generic]:
    """A column of numbers as numbers, with NaN for None, and any other column as texts."""
    if all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values):
        return np.array([np.nan if value is None else value for value in values])
    return np.array([cell(_plain(value)) for value in values], dtype=object)


def _plain(value: object) -> object:
    return as_text(value) if isinstance(value, list | dict) else value


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
