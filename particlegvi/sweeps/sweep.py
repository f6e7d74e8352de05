"""The results of a sweep: numbers over the grid, in the forms of other programs, as tables and pictures.

``table.md`` and ``sweep.json`` have marginal means with intervals over seeds, and the best settings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.diagnostics.over_seeds import interval, mean_over
from particlegvi.scenario.kinds.text_table import cell
from particlegvi.settings.grids import is_higher_better, possible
from particlegvi.sweeps.numbers import GridNumbers, as_text
from particlegvi.tools import html
from particlegvi.tools.errors import needed
from particlegvi.tools.export import writing
from particlegvi.tools.export.columns import frame

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

BEST = 5
MOST_KEYS = 4  # of the figure of lines: each has a panel


def marginals(sweep: GridNumbers, measure: str, method: str) -> dict[str, list[Facts]]:
    """By key, for each value: the mean over other keys and seeds, its interval, and the number of stopped cells."""
    values, stopped = sweep.values(measure, method), sweep.stopped(method)
    keys, within = list(sweep.over), possible(measure, sweep.scenario)
    found: dict[str, list[Facts]] = {}
    for axis, key in enumerate(keys):
        others = tuple(place for place in range(len(keys)) if place != axis)
        entries = []
        for place, value in enumerate(sweep.over[key]):
            by_seed = mean_over(np.take(values, [place], axis), (axis, *others))
            lost = int(np.take(stopped, place, axis).sum())
            entries.append({"value": value, **spread(by_seed, within), "stopped": lost})
        found[key] = entries
    return found


def spread(by_seed: Array, within: tuple[float, float]) -> Facts:
    """Mean over the seeds, and its interval as far as the number can be there."""
    known = by_seed[np.isfinite(by_seed)]
    limits = interval(by_seed)
    mean = float(known.mean()) if len(known) else None
    low, high = (None, None) if limits is None else (max(limits[1], within[0]), min(limits[2], within[1]))
    return {"mean": mean, "low": low, "high": high, "seeds": len(known)}


def best(sweep: GridNumbers, measure: str, method: str, number: int = BEST) -> list[Facts]:
    """The settings with the best means over the seeds, lowest or highest; only settings with a number for each seed."""
    values = sweep.values(measure, method)
    grid = list(product(*sweep.over.values()))
    means = values.reshape(len(grid), -1)
    whole = [place for place in range(len(grid)) if np.isfinite(means[place]).all()]
    sign = -1.0 if is_higher_better(measure) else 1.0
    whole.sort(key=lambda place: (sign * float(means[place].mean()), place))
    within = possible(measure, sweep.scenario)
    return [
        {"setting": dict(zip(sweep.over, grid[place], strict=True)), **spread(means[place], within)}
        for place in whole[:number]
    ]


def facts(sweep: GridNumbers, versions: dict[str, str]) -> Facts:
    """The content of ``sweep.json``."""
    return {
        "scenario": sweep.scenario["name"],
        "over": sweep.over,
        "seeds": sweep.seeds,
        "versions": versions,
        "cells": len(sweep),
        "stopped": {method: int(sweep.stopped(method).sum()) for method in sweep.methods},
        "measures": sweep.measures,
        "methods": {
            method: {
                measure: {"best": best(sweep, measure, method), "marginal": marginals(sweep, measure, method)}
                for measure in _known(sweep, method)
            }
            for method in sweep.methods
        },
    }


def _known(sweep: GridNumbers, method: str) -> list[str]:
    """The measures that a method has."""
    return [name for name in sweep.measures if sweep.has(name, method)]


def markdown(sweep: GridNumbers) -> str:
    """The content of ``table.md``; its first line counts the cells and those that diverged."""
    blocks = [sweep.headline(), f"# {sweep.scenario['title'] or sweep.scenario['name']}"]
    swept = ", ".join(f"`{key}` ({len(values)} values)" for key, values in sweep.over.items()) or "seeds alone"
    blocks.append(f"Swept: {swept}. Means are over the seeds, with 95% intervals of the mean.")
    for measure in sweep.measures:
        for method in sweep.methods:
            if measure in _known(sweep, method):
                blocks += _blocks(sweep, measure, method)
    return "\n\n".join(blocks) + "\n"


def _blocks(sweep: GridNumbers, measure: str, method: str) -> Iterator[str]:
    yield f"## {measure}, {method}"
    if sweep.over:
        word = "highest" if is_higher_better(measure) else "lowest"
        chosen = best(sweep, measure, method)
        head = ["rank", *sweep.over, measure, "95% interval"]
        rows = [
            [str(place + 1), *(as_text(each) for each in entry["setting"].values()), *_numbers(entry)]
            for place, entry in enumerate(chosen)
        ]
        yield f"The settings with the {word} means:\n\n{_table(head, rows)}"
    else:
        found = spread(sweep.values(measure, method), possible(measure, sweep.scenario))
        yield _table([measure, "95% interval"], [_numbers(found)])
    for key, entries in marginals(sweep, measure, method).items():
        rows = [[as_text(entry["value"]), *_numbers(entry), str(entry["stopped"])] for entry in entries]
        over = "the seeds" if len(sweep.over) == 1 else "the other keys and the seeds"
        yield f"By `{key}`, averaged over {over}:\n\n{_table([key, measure, '95% interval', 'diverged'], rows)}"


def _numbers(entry: Facts) -> list[str]:
    mean, low, high = entry["mean"], entry["low"], entry["high"]
    return ["-" if mean is None else f"{mean:.4g}", "-" if low is None else f"{low:.4g} to {high:.4g}"]


def _table(head: list[str], rows: list[list[str]]) -> str:
    every = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(each.replace('|', '/') for each in line)} |" for line in every)


class Sweep(GridNumbers):
    """The results of `particlegvi.sweep`: its numbers, and the forms for other programs."""

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
        return markdown(self)


def _column(values: list[object]) -> NDArray[np.generic]:
    """A column of numbers as numbers, with NaN for None, and any other column as texts."""
    if all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values):
        return np.array([np.nan if value is None else value for value in values])
    return np.array([cell(_plain(value)) for value in values], dtype=object)


def _plain(value: object) -> object:
    return as_text(value) if isinstance(value, list | dict) else value
