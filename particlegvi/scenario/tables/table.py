"""The base of all tables: what a table declares, and its finished cells as numbers, text and panels of a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.scenario.tables.exporting import TableExports
from particlegvi.scenario.tables.settings import PrintedTable, TableSettings, Task
from particlegvi.tools.export.panels import ScorePanel
from particlegvi.tools.registry import look_up

Address = tuple[str, str, str, str]  # row, model, protocol, score


class Entry(NamedTuple):
    """Mean and standard deviation (with n - 1) over the finished splits, and how many of them diverged."""

    mean: float
    sd: float
    splits: int
    diverged: int = 0


class Table(TableExports):
    """The finished cells of a table. A subclass declares a benchmark; all its methods work on any finished cells.

    ``scores`` lacks the tasks that are not finished. ``info`` has ``seconds``, where the table was computed or loaded
    by `particlegvi.run` or `particlegvi.load`.
    """

    titles: ClassVar[Mapping[str, str]]  # titles of the scores
    scores_by_protocol: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # a protocol without an entry has all scores
    labels: ClassVar[Mapping[str, str]] = {}  # labels of the models; the default label is the name
    pictured: ClassVar[tuple[str, ...]]  # the scores of a picture
    compared: ClassVar[str] = ""  # the model that the others are compared with
    printed: ClassVar[PrintedTable | None] = None
    per_cent: ClassVar[tuple[str, ...]] = ()  # scores that are printed in per cent; higher is better
    note: ClassVar[str] = ""  # below the text
    empty_series: ClassVar[bool] = True  # whether a picture has series without a mark, so that colours stay

    @staticmethod
    def problem(row: str, protocol: str, split: int) -> Any:
        """Make the problem that the models of a row, a protocol and a split share."""
        raise NotImplementedError

    @staticmethod
    def score(task: Task, settings: Any, problem: Any) -> dict[str, float]:
        """Fit the model of a task and score its predictions."""
        raise NotImplementedError

    def __init__(self, settings: TableSettings, scores: Mapping[Task, Mapping[str, float]]) -> None:
        self.settings = settings
        self.scores = scores
        self.info: Facts = {}

    @property
    def splits(self) -> int:
        """The number of splits of the settings."""
        return self.settings.splits

    def title(self, row: str) -> str:
        """The title of a row."""
        assert self.printed is not None
        return self.printed.title(row)

    def called(self, model: str) -> str:
        """The name of a model in texts."""
        return self.labels.get(model, model)

    def measured_under(self, protocol: str) -> Sequence[str]:
        """The scores under a protocol."""
        return self.scores_by_protocol.get(protocol, tuple(self.titles))

    def values(self, row: str, model: str, protocol: str, metric: str) -> dict[int, float]:
        """A score by split."""
        found = {}
        for split in self.settings.splits_of(row):
            scores = self.scores.get(Task(row, model, protocol, split), {})
            if metric in scores:
                found[split] = scores[metric]
        return found

    def entry(self, row: str, model: str, protocol: str, metric: str) -> Entry | None:
        """The mean over splits; None if no split has the score, NaN if networks diverged on a split."""
        values = np.array(list(self.values(row, model, protocol, metric).values()))
        diverged = len(self.values(row, model, protocol, "diverged"))
        if not len(values) and not diverged:
            return None
        if diverged:
            return Entry(math.nan, math.nan, len(values) + diverged, diverged)
        return Entry(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0, len(values), 0)

    def paired(
        self, row: str, model: str, protocol: str, metric: str, other: str | None = None
    ) -> tuple[float, float] | None:
        """The mean difference to another model over the splits that both have, and its standard error."""
        against = self.compared if other is None else other
        ours, theirs = (self.values(row, each, protocol, metric) for each in (model, against))
        gaps = np.array([ours[split] - theirs[split] for split in ours if split in theirs])
        if model == against or len(gaps) < 2:
            return None
        return float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(len(gaps)))

    def summary(self) -> Facts:
        """The table as JSON: ``entries[row][metric][protocol][model]`` has the numbers of `listed`."""
        entries: Facts = {}
        for row, model, protocol, metric in self.addresses():
            listed = self.listed(row, model, protocol, metric)
            if listed is not None:
                entries.setdefault(row, {}).setdefault(metric, {}).setdefault(protocol, {})[model] = listed
        return {"settings": self.settings.facts(), "cells": len(self.scores), "entries": entries}

    def addresses(self) -> Iterator[Address]:
        """The addresses of all entries in the order of the JSON."""
        chosen = self.settings
        for row in chosen.rows:
            for model in chosen.models:
                for protocol in chosen.protocols:
                    yield from ((row, model, protocol, metric) for metric in self.measured_under(protocol))

    def listed(self, row: str, model: str, protocol: str, metric: str) -> object:
        """An entry as JSON: mean, sd, splits, diverged and ``paired``; None where there is none."""
        entry = self.entry(row, model, protocol, metric)
        if entry is None:
            return None
        found: Facts = {"splits": entry.splits, "diverged": entry.diverged}
        if math.isfinite(entry.mean):
            found |= {"mean": entry.mean, "sd": entry.sd}
        gap = self.paired(row, model, protocol, metric)
        return found if gap is None else found | {"paired": list(gap)}

    def markdown(self) -> str:
        """The table as text: for each protocol its `blocks`, then the note."""
        blocks = [block for protocol in self.settings.protocols for block in self.blocks(protocol)]
        return "\n\n".join([*blocks, self.note] if self.note else blocks) + "\n"

    def blocks(self, protocol: str) -> Iterator[str]:
        """The text of a protocol: a table for each score, then the conclusions."""
        for metric in self.measured_under(protocol):
            yield from self.block(protocol, metric)
        yield from self.conclusions(protocol)

    def block(self, protocol: str, metric: str) -> Iterator[str]:
        """The text of a score: its heading and its grid."""
        yield f"### {self.titles[metric]}\n\n{markdown_lines(self.grid(protocol, metric))}"

    def conclusions(self, protocol: str) -> Iterator[str]:
        """Blocks below the tables of a protocol."""
        return iter(())

    def grid(self, protocol: str, metric: str) -> list[list[str]]:
        """The texts of a score, the head first: a line for each row, a column for each model."""
        models = self.columns_of(protocol, metric)
        rows = self.settings.rows
        lines = [[self.title(row), *(self.text(row, model, protocol, metric) for model in models)] for row in rows]
        return [["", *map(self.called, models)], *lines]

    def columns_of(self, protocol: str, metric: str) -> Sequence[str]:
        """The models of a grid."""
        return self.settings.models_of(protocol)

    def text(self, row: str, model: str, protocol: str, metric: str) -> str:
        """An entry as text."""
        entry = self.entry(row, model, protocol, metric)
        if entry is not None and entry.diverged:
            return f"{entry.diverged} of {entry.splits} diverged"
        return number_and_sd(None if entry is None else entry[:2])

    def differences(
        self, protocol: str, metric: str, words: str, pairs: Sequence[tuple[str, str, str]]
    ) -> Iterator[str]:
        """A block of paired differences; ``pairs`` has (model, other model, head) for each column."""
        lines = []
        for row in self.settings.rows:
            gaps = [self.paired(row, model, protocol, metric, other) for model, other, _ in pairs]
            if any(gap is not None for gap in gaps):
                cells = ["-" if gap is None else f"{gap[0]:+.3f} +- {gap[1]:.3f}" for gap in gaps]
                lines.append([self.title(row), *cells])
        if lines:
            yield f"{words}:\n\n{markdown_lines([['', *(head for *_, head in pairs)], *lines])}"

    def cells(self) -> list[list[str]]:
        """All tables as texts one below the other, with one head; the first columns are protocol and score."""
        models = self.settings.models
        found = [["protocol", "score", "", *map(self.called, models)]]
        for protocol in self.settings.protocols:
            for metric in self.measured_under(protocol):
                for row in self.settings.rows:
                    texts = [self.text(row, model, protocol, metric) for model in models]
                    found.append([protocol, metric, self.title(row), *texts])
        return found

    def panels(self, metrics: Sequence[str] | None = None) -> list[ScorePanel]:
        """The scores that the table pictures, or the named ones, as a picture shows them."""
        chosen = self.pictured if metrics is None else metrics
        for metric in chosen:
            look_up("score of the table", metric, self.titles)
        panels = [panel for metric in chosen if (panel := self._panel(metric)).rows]
        marked = {key for panel in panels for key, (means, _) in panel.series.items() if np.isfinite(means).any()}
        shows = lambda panel, key: self.empty_series or key in marked or key in panel.printed
        return [panel._replace(series={key: panel.series[key] for key in panel.series if shows(panel, key)})
                for panel in panels]  # fmt: skip

    def rows_with(self, metric: str) -> Sequence[str]:
        """The rows that have a score."""
        return self.settings.rows

    def pictures(self, protocol: str, metric: str) -> bool:
        """Whether a picture of a score shows the protocol."""
        return True

    def prints(self, metric: str) -> Sequence[str]:
        """The models whose printed numbers a picture of a score shows."""
        return ()

    def _panel(self, metric: str) -> ScorePanel:
        rows = self.rows_with(metric)
        series = {}
        for protocol in self.settings.protocols:
            here = metric in self.measured_under(protocol) and self.pictures(protocol, metric)
            for model in self.settings.models_of(protocol):
                entries = [self.entry(row, model, protocol, metric) if here else None for row in rows]
                series[self.called(model), protocol] = _columns(entries)
        printed = {(self.called(model), "printed"): model for model in self.prints(metric)}
        for key, model in printed.items():
            series[key] = _columns([self.printed_number(row, model, metric) for row in rows])
        return ScorePanel(metric, [self.title(row) for row in rows], series, tuple(printed))

    def printed_number(self, row: str, model: str, metric: str) -> tuple[float, float] | None:
        """The printed number of a model and the number printed after it."""
        return None if self.printed is None else self.printed.published(row, model)

    def held(self, model: str, protocol: str) -> dict[str, bool]:
        """For each row that is begun: is the mean at most one printed standard deviation worse than the print?"""
        found = {}
        for row in self.settings.rows:
            metric = self.judged(row)
            entry, there = self.entry(row, model, protocol, metric), self.printed_number(row, model, metric)
            if entry is not None and there is not None:
                sign = -1.0 if metric in self.per_cent else 1.0
                found[row] = sign * entry.mean <= sign * there[0] + there[1]
        return found

    def judged(self, row: str) -> str:
        """The score that judges a row."""
        return "nll"


def markdown_lines(lines: list[list[str]]) -> str:
    """A table of texts, its head first, as Markdown."""
    head, *rest = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rest])


def number_and_sd(pair: Sequence[float] | None, places: int = 3) -> str:
    """A number with its standard deviation, as the thesis prints them: 0.845 (0.315)."""
    if pair is None or not math.isfinite(pair[0]):
        return "-"
    return f"{pair[0]:.{places}f} ({pair[1]:.{places}f})"


def _columns(pairs: Sequence[Sequence[float] | None]) -> tuple[Array, Array]:
    """The means and the standard deviations of a series."""
    found = [(math.nan, math.nan) if pair is None else tuple(pair[:2]) for pair in pairs]
    means, spreads = np.array(found, dtype=np.float64).reshape(-1, 2).T  # a score may have no row
    return means, spreads
