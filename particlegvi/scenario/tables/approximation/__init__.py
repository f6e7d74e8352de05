"""Sparse Gaussian processes beside the exact one, by number of inducing points: Huggins et al. (2019), Figures 3-5.

``exact`` has the settings, the data and the exact process, ``models`` the approximations and their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from particlegvi.scenario.tables.approximation.exact import SETS, ApproximationSettings, problem
from particlegvi.scenario.tables.approximation.models import score
from particlegvi.scenario.tables.table import Address, Table, markdown_lines
from particlegvi.tools.export.panels import CurvePanel, ScorePanel
from particlegvi.tools.registry import look_up

__all__ = ["ApproximationSettings", "ApproximationTable"]

DEGENERATE = ("sor", "sor-elbo")  # whose KL to the exact process is infinite
INFINITE = "infinite"


class Spread(NamedTuple):
    """The median of a score over the finished trials, its lowest and highest value, and the number of trials."""

    median: float
    low: float
    high: float
    trials: int


class ApproximationTable(Table):
    """The finished cells of a table of approximations: medians over trials, by the number of inducing points."""

    settings: ApproximationSettings
    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "mean_error": "Error of the mean at the test rows, root mean square",
        "sd_error": "Error of the standard deviation at the test rows, root mean square",
        "worst": "Largest error of the mean, in exact standard deviations",
        "rmse": "Root mean squared error of the prediction",
        "kl": "KL(approximation, exact process) in nats",
        "kl_reversed": "KL(exact process, approximation) in nats",
        "pf": "Preconditioned Fisher divergence under the exact process",
        "iterations": "Iterations of the search",
    }
    labels = {
        "subset": "subset", "sor": "SoR random", "sor-elbo": "SoR elbo", "random": "SVGP random",
        "greedy": "SVGP greedy", "elbo": "SVGP elbo", "fisher": "SVGP fisher", "elbo-greedy": "SVGP greedy, then elbo",
    }  # fmt: skip
    pictured = ("mean_error", "sd_error", "kl")
    note = (
        "Medians over the trials, and in parentheses the lowest and the highest where they differ in the digits shown."
        " Targets have standard deviation 1."
    )

    def title(self, row: str) -> str:
        return SETS[row].title

    def spread(self, row: str, model: str, size: int | str, metric: str) -> Spread | None:
        """A score over trials; None if no trial is finished or the model has no such score."""
        found = list(self.values(row, model, str(size), metric).values())
        return Spread(float(np.median(found)), min(found), max(found), len(found)) if found else None

    def addresses(self) -> Iterator[Address]:
        """The addresses of all entries in the order of the JSON; the protocol is the number of inducing points."""
        for row in self.settings.rows:
            for metric in self.titles:
                for size in self.settings.protocols:
                    yield from ((row, model, size, metric) for model in self.settings.models)

    def listed(self, row: str, model: str, protocol: str, metric: str) -> object:
        """An entry as JSON: [median, lowest, highest, trials]."""
        found = self.spread(row, model, protocol, metric)
        return None if found is None else list(found)

    def markdown(self) -> str:
        """For each data set a table for each score, with a line for each number of inducing points."""
        blocks = []
        for row in self.settings.rows:
            blocks.append(f"## {self.title(row)}")
            for metric, title in self.titles.items():
                head, *lines = self.by_size(row, metric)
                if any(text not in ("-", INFINITE) for line in lines for text in line[1:]):
                    blocks.append(f"### {title}\n\n{markdown_lines([head, *lines])}")
        return "\n\n".join([*blocks, self.note]) + "\n"

    def by_size(self, row: str, metric: str) -> list[list[str]]:
        """The texts of a score of a data set, the head first: a line for each number of inducing points."""
        models = self.settings.models
        lines = [[size, *(self.text(row, model, size, metric) for model in models)] for size in self.settings.protocols]
        return [["inducing points", *map(self.called, models)], *lines]

    def text(self, row: str, model: str, protocol: str, metric: str) -> str:
        found = self.spread(row, model, protocol, metric)
        if found is None:
            whole = model in DEGENERATE and metric in ("kl", "kl_reversed", "pf")
            return INFINITE if whole and self.spread(row, model, protocol, "rmse") else "-"
        texts = [_digits(each) for each in found[:3]]
        return texts[0] if texts[1] == texts[2] else f"{texts[0]} ({texts[1]} to {texts[2]})"

    def cells(self) -> list[list[str]]:
        """All tables as texts one below the other, with one head; the first columns are data set and score."""
        models = map(self.called, self.settings.models)
        found = [["data", "score", "inducing points", *models]]
        for row in self.settings.rows:
            for metric in self.titles:
                found += [[self.title(row), metric, *line] for line in self.by_size(row, metric)[1:]]
        return found

    def panels(self, metrics: Sequence[str] | None = None) -> list[ScorePanel]:
        """There are no panels: `curves` replace them."""
        return []

    def curves(self, metrics: Sequence[str] | None = None) -> list[CurvePanel]:
        """Scores against the number of inducing points, in the order of the data sets."""
        chosen = self.pictured if metrics is None else metrics
        for metric in chosen:
            look_up("score of the table", metric, self.titles)
        return [self._curves(row, metric) for row in self.settings.rows for metric in chosen]

    def _curves(self, row: str, metric: str) -> CurvePanel:
        nothing = Spread(np.nan, np.nan, np.nan, 0)
        series = {}
        for model in self.settings.models:
            found = [self.spread(row, model, size, metric) or nothing for size in self.settings.protocols]
            if any(each.trials for each in found):
                median, low, high = np.array([each[:3] for each in found]).T
                series[self.called(model)] = median, low, high
        return CurvePanel(metric, self.title(row), np.array(self.settings.sizes), series)


def _digits(value: float) -> str:
    return f"{value:.2g}" if abs(value) < 100.0 else f"{value:.0f}"
