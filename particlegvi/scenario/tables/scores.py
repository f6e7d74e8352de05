"""The finished cells of a table as numbers: means, differences of models, and the comparison with printed numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from particlegvi.scenario.tables.settings import APPROXIMATION, TableSettings, Task


class Entry(NamedTuple):
    """A score over the finished splits or trials, and how many of them diverged."""

    mean: float
    sd: float  # with n - 1
    splits: int
    diverged: int = 0
    median: float = math.nan
    low: float = math.nan
    high: float = math.nan


class Scores:
    """The scores of a table by task; tasks that are not finished are missing."""

    def __init__(self, settings: TableSettings, scores: Mapping[Task, Mapping[str, float]]) -> None:
        self.settings = settings
        self.declared = settings.declared
        self.scores = scores

    @property
    def splits(self) -> int:
        """The number of splits of the settings."""
        return self.settings.splits

    @property
    def has_trials(self) -> bool:
        """Whether splits are trials of a search, of which medians are shown, and protocols are numbers of points."""
        return self.settings.table == APPROXIMATION

    def measured(self) -> list[str]:
        """The names of all scores that a finished cell has."""
        return list(dict.fromkeys(name for scores in self.scores.values() for name in scores))

    def scores_under(self, protocol: str) -> list[str]:
        """The scores that the text has under a protocol."""
        return list(self.declared.protocols.get(protocol, {}).get("scores", self.declared.scores))

    def values(self, row: str, model: str, protocol: str, score: str) -> dict[int, float]:
        """A score by split."""
        cells = {
            split: self.scores.get(Task(row, model, protocol, split), {}) for split in self.settings.splits_of(row)
        }
        return {split: cell[score] for split, cell in cells.items() if score in cell}

    def entry(self, row: str, model: str, protocol: str, score: str) -> Entry | None:
        """A score over splits; None if no split has it, and NaN if networks diverged on a split."""
        values = np.array(list(self.values(row, model, protocol, score).values()))
        diverged = len(self.values(row, model, protocol, "diverged"))
        if diverged:
            return Entry(math.nan, math.nan, len(values) + diverged, diverged)
        if not len(values):
            return None
        numbers = (
            values.mean(),
            values.std(ddof=1) if len(values) > 1 else 0.0,
            np.median(values),
            values.min(),
            values.max(),
        )
        mean, sd, median, low, high = map(float, numbers)
        return Entry(mean, sd, len(values), 0, median, low, high)

    def paired(
        self, row: str, model: str, protocol: str, score: str, other: str | None = None
    ) -> tuple[float, float] | None:
        """The mean difference to another model over the splits that both have, and its standard error."""
        against = self.declared.compared if other is None else other
        ours, theirs = (self.values(row, name, protocol, score) for name in (model, against))
        gaps = np.array([ours[split] - theirs[split] for split in ours if split in theirs])
        if model == against or len(gaps) < 2:
            return None
        return float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(len(gaps)))

    def held(self, model: str, protocol: str) -> dict[str, bool]:
        """For each row that is begun: is the mean at most one printed standard deviation worse than the print?"""
        rows = {}
        for row in self.settings.rows:
            score = self.declared.scores_of(row)[0]
            entry, printed = self.entry(row, model, protocol, score), self.declared.published(row, model, score)
            if entry is not None and printed is not None:
                sign = -1.0 if score in self.declared.per_cent else 1.0
                rows[row] = sign * entry.mean <= sign * printed[0] + printed[1]
        return rows

    def text(self, row: str, model: str, protocol: str, score: str) -> str:
        """An entry as text."""
        entry = self.entry(row, model, protocol, score)
        if score in self.declared.may_be_infinite and self.values(row, model, protocol, "infinite"):
            return "infinite"
        if entry is not None and entry.diverged:
            return f"{entry.diverged} of {entry.splits} diverged"
        if self.has_trials and entry is not None:
            median, low, high = (f"{value:.2g}" if abs(value) < 100.0 else f"{value:.0f}" for value in entry[4:])
            return median if low == high else f"{median} ({low} to {high})"
        return self.number_and_sd(entry, score)

    def number_and_sd(self, pair: Sequence[float] | None, score: str) -> str:
        """A number with its standard deviation as the thesis prints them: 0.845 (0.315), or 98.37 (0.90) per cent."""
        if pair is None or not math.isfinite(pair[0]):
            return "-"
        places = 2 if score in self.declared.per_cent else 3
        return f"{pair[0]:.{places}f} ({pair[1]:.{places}f})"
