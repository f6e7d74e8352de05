"""The results of a table, with the forms for figures and other tools."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.scenario.tables import text
from particlegvi.scenario.tables.scores import Entry, Scores
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.tools import html
from particlegvi.tools.export import Exports
from particlegvi.tools.export.columns import Columns
from particlegvi.tools.export.panels import CurvePanel, ScorePanel
from particlegvi.tools.registry import look_up
from particlegvi.version import __version__


class Table(Scores, Exports):
    """The finished cells of a table; all methods work on any number of them.

    ``scores`` lacks the tasks that are not finished. ``info`` has ``seconds``, where the table was computed or loaded
    by `particlegvi.run` or `particlegvi.load`.
    """

    def __init__(self, settings: TableSettings, scores: Mapping[Task, Mapping[str, float]]) -> None:
        super().__init__(settings, scores)
        self.info: Facts = {}

    def markdown(self) -> str:
        """The table as text."""
        return text.markdown(self)

    def cells(self) -> list[list[str]]:
        """The whole table as texts, line by line, the head first."""
        return text.cells(self)

    def summary(self) -> Facts:
        """The table as JSON: ``entries[row][score][protocol][model]`` has the numbers of a score, ``held`` its rows."""
        entries: Facts = {}
        for row, model, protocol in {task[:3]: None for task in self.scores}:
            for score in self.measured():
                numbers = self._numbers(row, model, protocol, score)
                if numbers:
                    entries.setdefault(row, {}).setdefault(score, {}).setdefault(protocol, {})[model] = numbers
        judged = [model for model in self.declared.judged if model in self.settings.models]
        held = {
            model: {treatment: self.held(model, treatment) for treatment in self.settings.protocols} for model in judged
        }
        return {"settings": self.attributes()["settings"], "cells": len(self.scores), "entries": entries, "held": held}

    def _numbers(self, row: str, model: str, protocol: str, score: str) -> Facts:
        entry = self.entry(row, model, protocol, score)
        if entry is None:
            return {}
        if entry.diverged:
            return {"splits": entry.splits, "diverged": entry.diverged}
        shown = ("splits", "mean", "sd", *(("median", "low", "high") if self.has_trials else ()))
        numbers = {name: entry._asdict()[name] for name in shown}
        gap = self.paired(row, model, protocol, score)
        return numbers if gap is None else {**numbers, "paired": list(gap)}

    def panels(self, scores: Sequence[str] | None = None) -> list[ScorePanel]:
        """The scores that the table pictures, or the named ones, as a picture shows them."""
        panels = [panel for score in self._pictured(scores) if (panel := self._panel(score)).rows]
        shown = {key for panel in panels for key, (means, _) in panel.series.items() if np.isfinite(means).any()}
        return [
            panel._replace(series={key: panel.series[key] for key in panel.series if key in shown}) for panel in panels
        ]

    def _pictured(self, scores: Sequence[str] | None) -> Sequence[str]:
        for score in scores or ():
            look_up("score of the table", score, self.declared.scores)
        return self.declared.pictured if scores is None else scores

    def _panel(self, score: str) -> ScorePanel:
        rows = [row for row in self.settings.rows if score in self.declared.scores_of(row)]
        series, printed = {}, {}
        for protocol in self.settings.protocols:
            pictured = self.declared.protocols.get(protocol, {}).get("pictured", [score])
            if score in pictured or len(self.settings.protocols) == 1:
                for model in self.settings.models_of(protocol):
                    entries = [self.entry(row, model, protocol, score) for row in rows]
                    series[self.declared.label(model), protocol] = _columns(entries)
        for model in self.settings.models if self.declared.judged else ():
            pairs = [self.declared.published(row, model, score) for row in rows]
            if any(pairs):
                printed[self.declared.label(model), "printed"] = _columns(pairs)
        return ScorePanel(score, list(map(self.declared.title, rows)), {**series, **printed}, tuple(printed))

    def curves(self, scores: Sequence[str] | None = None) -> list[CurvePanel]:
        """Scores against the number of inducing points, in the order of the data sets."""
        chosen = self._pictured(scores)
        return [self._curves(row, score) for row in self.settings.rows for score in chosen]

    def _curves(self, row: str, score: str) -> CurvePanel:
        sizes, nothing = self.settings.protocols, Entry(math.nan, math.nan, 0)
        series = {}
        for model in self.settings.models:
            entries = [self.entry(row, model, size, score) for size in sizes]
            if any(entries):
                median, low, high = np.array([(entry or nothing)[4:] for entry in entries]).T
                series[self.declared.label(model)] = median, low, high
        return CurvePanel(score, self.declared.title(row), np.array([int(size) for size in sizes]), series)

    def _repr_html_(self) -> str:
        return html.framed(f"<strong>Table</strong> of {len(self.scores)} finished cells", html.grid(self.cells()))

    def attributes(self) -> Facts:
        """The settings, as JSON."""
        return {"settings": dict(vars(self.settings)), "particlegvi": __version__}

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe` as columns by name: one row for each finished cell."""
        columns: Columns = {
            name: np.array([task[place] for task in self.scores], dtype=np.int64 if name == "split" else object)
            for place, name in enumerate(Task._fields)
        }
        for name in self.measured():
            columns[name] = np.array([scores.get(name, np.nan) for scores in self.scores.values()], dtype=np.float64)
        return columns


def _columns(pairs: Sequence[Sequence[float] | None]) -> tuple[Array, Array]:
    """The means and the standard deviations of a series."""
    filled = [(math.nan, math.nan) if pair is None else tuple(pair[:2]) for pair in pairs]
    means, spreads = np.array(filled, dtype=np.float64).reshape(-1, 2).T  # a score may have no row
    return means, spreads
