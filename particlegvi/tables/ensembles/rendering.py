"""The table of ensembles as text: means over the splits, and paired differences to deep ensembles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.tables.cells import Cell
from particlegvi.tables.ensembles.printed import published, title
from particlegvi.tables.ensembles.settings import EnsembleSettings
from particlegvi.tables.exporting import TableExports
from particlegvi.tables.rendering import Panel
from particlegvi.tools.registry import look_up

TITLES = {
    "rmse": "Root mean squared error",
    "nll": "Negative log-likelihood of the mixture, noise included",
    "nll_spread": "Negative log-likelihood with the spread of the members as all the variance (the thesis's score)",
    "coverage_90": "Share of test rows in the central 90% interval of the mixture",
}
OF = {  # the scores of each protocol; without validation rows nothing says what the noise is
    "standard": ("rmse", "nll", "coverage_90", "nll_spread"),
    "thesis": ("nll_spread", "rmse"),
    "thesis-leak": ("nll_spread", "rmse"),
}
LABELS = {"de": "DE", "dle": "DLE", "drle": "DRLE, weights", "drle-outputs": "DRLE, outputs", "gp": "GP"}
COMPARED = "de"
PICTURED = ("rmse", "nll", "nll_spread")
NOTE = (
    "Numbers in parentheses are standard deviations over splits. What the thesis prints after +- is most likely a"
    " standard error over seeds: a deviation is then 4.5 times as large (2.2 for protein). With five members its score"
    " has no finite variance."
)


class Entry(NamedTuple):
    """Mean and standard deviation (with n - 1) over the finished splits, and how many of them diverged."""

    mean: float
    sd: float
    splits: int
    diverged: int


class EnsembleTable(TableExports):
    """The finished cells of a table of ensembles.

    Parameters
    ----------
    settings : EnsembleSettings
    scores : mapping from Cell to scores

    Attributes
    ----------
    info : dict
        ``seconds``, where the table was computed or loaded by `particlegvi.run` or `particlegvi.load`.
    """

    def __init__(self, settings: EnsembleSettings, scores: Mapping[Cell, Mapping[str, float]]) -> None:
        self.settings = settings  # type: ignore[assignment]
        self.chosen = settings
        self.scores = scores
        self.info: Facts = {}

    @property
    def splits(self) -> int:
        """How many splits the settings ask for."""
        return self.chosen.splits

    def values(self, row: str, model: str, protocol: str, metric: str) -> dict[int, float]:
        """A score by split."""
        found = {}
        for split in self.chosen.splits_of(row):
            scores = self.scores.get(Cell(row, model, protocol, split), {})
            if metric in scores:
                found[split] = scores[metric]
        return found

    def entry(self, row: str, model: str, protocol: str, metric: str) -> Entry | None:
        """A mean over splits; None where none is finished, or where a network of one ran away."""
        values = np.array(list(self.values(row, model, protocol, metric).values()))
        diverged = len(self.values(row, model, protocol, "diverged"))
        if not len(values) and not diverged:
            return None
        if diverged:
            return Entry(math.nan, math.nan, len(values) + diverged, diverged)
        return Entry(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0, len(values), 0)

    def paired(self, row: str, model: str, protocol: str, metric: str) -> tuple[float, float] | None:
        """The mean difference to deep ensembles over the splits that both have, and its standard error."""
        ours, theirs = (self.values(row, each, protocol, metric) for each in (model, COMPARED))
        gaps = np.array([ours[split] - theirs[split] for split in ours if split in theirs])
        if model == COMPARED or len(gaps) < 2:
            return None
        return float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(len(gaps)))

    def summary(self) -> Facts:
        """As JSON: ``entries[row][metric][protocol][model]`` has mean, sd, splits, diverged and ``paired``."""
        entries: Facts = {}
        for row, model, protocol in self._combinations():
            for metric in OF[protocol]:
                entry = self.entry(row, model, protocol, metric)
                if entry is None:
                    continue
                found: Facts = {"splits": entry.splits, "diverged": entry.diverged}
                if math.isfinite(entry.mean):
                    found |= {"mean": entry.mean, "sd": entry.sd}
                gap = self.paired(row, model, protocol, metric)
                if gap is not None:
                    found["paired"] = list(gap)
                entries.setdefault(row, {}).setdefault(metric, {}).setdefault(protocol, {})[model] = found
        return {"settings": asdict(self.chosen), "cells": len(self.scores), "entries": entries, "leaked": self._leaks()}

    def markdown(self) -> str:
        """One table for each protocol and score, then the paired differences."""
        blocks = []
        for protocol in self.chosen.protocols:
            blocks.append(f"## Protocol {protocol}")
            leaked = self._leaks().get(protocol)
            if leaked:
                blocks.append(f"{leaked:.0%} of the test rows were trained on.")
            for metric in OF[protocol]:
                blocks.append(f"### {TITLES[metric]}\n\n{self._block(protocol, metric)}")
                gaps = self._gaps(protocol, metric)
                if gaps and metric != "coverage_90":
                    blocks.append(f"Difference to DE over the same splits, and its standard error:\n\n{gaps}")
        return "\n\n".join([*blocks, NOTE]) + "\n"

    def cells(self) -> list[list[str]]:
        """All tables as texts one below the other, with one head; the first columns are protocol and score."""
        found = [["protocol", "score", "", *(LABELS.get(model, model) for model in self.chosen.models)]]
        for protocol in self.chosen.protocols:
            for metric in OF[protocol]:
                found += [[protocol, metric, *line] for line in self._lines(protocol, metric, self.chosen.models)]
        return found

    def panels(self, metrics_shown: Sequence[str] | None = None) -> list[Panel]:
        """The rmse and the two likelihoods, or the scores that are named, as a picture shows them.

        Raises
        ------
        ValueError
            If a score does not exist.
        """
        chosen = PICTURED if metrics_shown is None else metrics_shown
        for metric in chosen:
            look_up("score of the table", metric, TITLES)
        return [self._panel(metric) for metric in chosen]

    def _panel(self, metric: str) -> Panel:
        rows, protocols = self.chosen.rows, self.chosen.protocols
        # one unit a panel: targets are scaled under the thesis's protocols; the same series in each, for their colours
        shown = "standard" if metric != "nll_spread" and "standard" in protocols else None
        series = {}
        for protocol in protocols:
            for model in self.chosen.models_of(protocol):
                found = [self.entry(row, model, protocol, metric) for row in rows]
                here = metric in OF[protocol] and shown in (None, protocol)
                pairs = [(e.mean, e.sd) if here and e is not None else (math.nan, math.nan) for e in found]
                means, spreads = np.array(pairs).T
                series[LABELS.get(model, model), protocol] = means, spreads
        return Panel(metric, [title(row) for row in rows], series, ())

    def _combinations(self) -> list[tuple[str, str, str]]:
        chosen = self.chosen
        return [(r, m, p) for r in chosen.rows for m in chosen.models for p in chosen.protocols]

    def _leaks(self) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for cell, scores in self.scores.items():
            if scores.get("leaked", 0.0) > 0.0:
                found.setdefault(cell.protocol, []).append(scores["leaked"])
        return {protocol: float(np.mean(shares)) for protocol, shares in found.items()}

    def _lines(self, protocol: str, metric: str, models: Sequence[str]) -> list[list[str]]:
        entries = lambda row: [self.entry(row, model, protocol, metric) for model in models]
        return [[title(row), *(_shown(entry) for entry in entries(row))] for row in self.chosen.rows]

    def _block(self, protocol: str, metric: str) -> str:
        models = self._models(protocol, metric)
        head = ["", *(LABELS.get(model, model) for model in models)]
        lines = self._lines(protocol, metric, models)
        if metric == "nll_spread" and protocol != "standard":
            shown = [model for model in models if model in ("de", "dle", "drle")]
            head += [f"{LABELS[model]}, printed" for model in shown]
            for line, row in zip(lines, self.chosen.rows, strict=True):
                pairs = [published(row, model) for model in shown]
                line += ["-" if pair is None else f"{pair[0]:.2f} +- {pair[1]:.1f}" for pair in pairs]
        return _markdown([head, *lines])

    def _models(self, protocol: str, metric: str) -> list[str]:
        """The models with such a score under a protocol; those without members have no spread."""
        alone = ("linear", "gp") if metric == "nll_spread" else ()
        return [model for model in self.chosen.models_of(protocol) if model not in alone]

    def _gaps(self, protocol: str, metric: str) -> str:
        models = [model for model in self._models(protocol, metric) if model != COMPARED]
        lines = []
        for row in self.chosen.rows:
            pairs = [self.paired(row, model, protocol, metric) for model in models]
            if any(pair is not None for pair in pairs):
                cells = ["-" if pair is None else f"{pair[0]:+.3f} +- {pair[1]:.3f}" for pair in pairs]
                lines.append([title(row), *cells])
        return _markdown([["", *(LABELS.get(model, model) for model in models)], *lines]) if lines else ""


def _markdown(lines: list[list[str]]) -> str:
    head, *rest = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rest])


def _shown(entry: Entry | None) -> str:
    if entry is None:
        return "-"
    if entry.diverged:
        return f"{entry.diverged} of {entry.splits} diverged"
    return f"{entry.mean:.3f} ({entry.sd:.3f})" if math.isfinite(entry.mean) else "-"
