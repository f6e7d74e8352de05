"""Table 6.2 of the thesis, made again: projected Langevin sampling and a sparse Gaussian process on sixteen data sets.

``protocols`` prepares the data, ``models`` has the models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from particlegvi import metrics
from particlegvi.contracts import Facts
from particlegvi.metrics.calibration import conformal_radius, variance_factor
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions.protocols import PRINTED, PROTOCOLS, ProjectedSettings, problem
from particlegvi.scenario.tables.settings import Classes, Numbers, Problem, Task
from particlegvi.scenario.tables.table import Address, Table, markdown_lines, number_and_sd

__all__ = ["ProjectedSettings", "ProjectedTable"]

COVERAGE = 0.9  # probability of the conformal intervals
PERCENT = ("auc", "accuracy")  # printed in per cent; higher is better


def score(task: Task, settings: ProjectedSettings, problem: Problem) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        In regression ``nll`` (tempered on the validation rows), ``nll_untempered``, ``mae`` and ``rmse``, all of the
        scaled target, ``variance_factor``, and the ``coverage`` of conformal intervals made for 90%. In classification
        ``auc`` and ``accuracy`` in per cent, ``nll`` and ``brier``.
    """
    predicted = models.get(task.model)(problem, settings, **settings.own(task.model))
    if isinstance(predicted, Classes):
        return _classification(problem, predicted)
    return _regression(problem, predicted)


def _classification(problem: Problem, predicted: Classes) -> dict[str, float]:
    y, probability = problem.test.y, predicted.probability
    return {
        "auc": 100.0 * metrics.area_under_curve(y, probability),
        "accuracy": 100.0 * metrics.accuracy(y, probability),
        # a logistic fit of separable classes is certain, and one mistake would make the mean infinite
        "nll": metrics.bernoulli_nll(y, np.clip(probability, 1e-12, 1.0 - 1e-12)),
        "brier": metrics.brier_score(y, probability),
    }


def _regression(problem: Problem, predicted: Numbers) -> dict[str, float]:
    validation = (problem.validation.y, predicted.validation_mean, predicted.validation_sd)
    y, mean, sd = problem.test.y, predicted.mean, predicted.sd
    factor = PROTOCOLS[problem.protocol].tempering * variance_factor(*validation)
    width = conformal_radius(*validation, COVERAGE) * sd
    return {
        "nll": metrics.gaussian_nll(y, mean, math.sqrt(factor) * sd),
        "nll_untempered": metrics.gaussian_nll(y, mean, sd),
        "mae": metrics.mean_absolute_error(y, mean),
        "rmse": metrics.root_mean_squared_error(y, mean),
        "variance_factor": factor,
        "coverage": metrics.coverage(y, mean - width, mean + width),
    }


class ProjectedTable(Table):
    """The finished cells of a table of projected Langevin sampling, beside the printed numbers of PLS and SVGP."""

    settings: ProjectedSettings
    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "nll": "Negative log-likelihood",
        "mae": "Mean absolute error",
        "auc": "Area under the curve (%)",
        "accuracy": "Accuracy (%)",
    }
    labels = {"pls": "PLS", "svgp": "SVGP"}
    pictured = tuple(titles)
    printed = PRINTED
    per_cent = PERCENT
    empty_series = False

    def rows_with(self, metric: str) -> Sequence[str]:
        """The rows of which the thesis prints the score."""
        return [row for row in self.settings.rows if metric in PRINTED.metrics(row)]

    def prints(self, metric: str) -> Sequence[str]:
        """The models whose printed numbers stand beside ours."""
        rows = self.rows_with(metric)
        return [each for each in self.labels if any(PRINTED.published(row, each, metric) for row in rows)]

    def printed_number(self, row: str, model: str, metric: str) -> tuple[float, float] | None:
        return PRINTED.published(row, model, metric)

    def held(self, model: str = "pls", protocol: str = "standardised") -> dict[str, bool]:
        return super().held(model, protocol)

    def judged(self, row: str) -> str:
        return PRINTED.metrics(row)[0]

    def addresses(self) -> Iterator[Address]:
        """The addresses of all scores that the cells have, also of those that the text leaves out."""
        for task, scores in self.scores.items():
            yield from ((task.row, task.model, task.protocol, metric) for metric in scores)

    def listed(self, row: str, model: str, protocol: str, metric: str) -> object:
        entry = self.entry(row, model, protocol, metric)
        return None if entry is None else list(entry[:3])

    def summary(self) -> Facts:
        """The table as JSON: entries, and ``held`` by protocol and row."""
        held = {protocol: self.held("pls", protocol) for protocol in self.settings.protocols}
        return {**super().summary(), "held": held}

    def markdown(self) -> str:
        """One table for each printed metric, the printed numbers first, and a sentence for each protocol."""
        shown = [metric for metric in self.titles if self.rows_with(metric)]
        blocks = [f"### {self.titles[metric]}\n\n{markdown_lines(self.grid('', metric))}" for metric in shown]
        verdicts = [each for protocol in self.settings.protocols for each in self.conclusions(protocol)]
        return "\n\n".join([*blocks, *verdicts]) + "\n"

    def conclusions(self, protocol: str) -> Iterator[str]:
        """On how many rows PLS is as good as the print."""
        held = self.held("pls", protocol) if "pls" in self.settings.models else {}
        if held:
            yield (
                f"PLS, {protocol}: at most one printed standard deviation worse than the printed PLS, in a row's "
                f"first metric, on {sum(held.values())} of {len(held)} rows."
            )

    def grid(self, protocol: str, metric: str) -> list[list[str]]:
        """The texts of a score, the head first: columns for the printed models, then for each protocol and model."""
        columns = [(model, each) for each in self.settings.protocols for model in self.settings.models]
        beside = [each for each in self.labels if any(self.prints(one) for one in self.titles)]
        found = [["", *(f"{self.labels[each]}, printed" for each in beside),
                  *(f"{self.called(model)}, {each}" for model, each in columns)]]  # fmt: skip
        for row in self.rows_with(metric):
            printed = [number_and_sd(PRINTED.published(row, model, metric), places(metric)) for model in beside]
            found.append([self.title(row), *printed, *(self.text(row, *column, metric) for column in columns)])
        return found

    def text(self, row: str, model: str, protocol: str, metric: str) -> str:
        """An entry as text, with the digits of the print."""
        return number_and_sd(self.entry(row, model, protocol, metric), places(metric))

    def cells(self) -> list[list[str]]:
        """All tables as texts one below the other, with one head; the first column is the metric."""
        head, *_ = self.grid("", "nll")
        lines = [[title, *line] for metric, title in self.titles.items() for line in self.grid("", metric)[1:]]
        return [["score", *head], *lines]


def places(metric: str) -> int:
    """Digits after the point, as the thesis prints: 0.845 (0.315), or 98.37 (0.90) of per cents."""
    return 2 if metric in PERCENT else 3
