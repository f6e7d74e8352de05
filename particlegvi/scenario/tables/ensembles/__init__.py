"""Table 5.1 of the thesis, made again: ensembles of networks on the UCI sets under three protocols.

``protocols`` has the settings and prepares the data, ``models`` has the models and their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.tables.ensembles.models import score
from particlegvi.scenario.tables.ensembles.protocols import PRINTED, EnsembleSettings, problem
from particlegvi.scenario.tables.table import Table

__all__ = ["EnsembleSettings", "EnsembleTable"]

WITHOUT_MEMBERS = ("linear", "gp")  # models without members, and so without a spread


class EnsembleTable(Table):
    """The finished cells of a table of ensembles, with paired differences to deep ensembles."""

    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "rmse": "Root mean squared error",
        "nll": "Negative log-likelihood of the mixture, noise included",
        "nll_spread": "Negative log-likelihood with the spread of the members as all the variance (the thesis's score)",
        "coverage_90": "Share of test rows in the central 90% interval of the mixture",
    }
    scores_by_protocol = {  # the noise is estimated on validation rows, which the thesis's protocols do not have
        "standard": ("rmse", "nll", "coverage_90", "nll_spread"),
        "thesis": ("nll_spread", "rmse"),
        "thesis-leak": ("nll_spread", "rmse"),
        "thesis-text": ("nll_spread", "rmse"),
    }
    labels = {"de": "DE", "dle": "DLE", "drle": "DRLE, weights", "drle-outputs": "DRLE, outputs", "gp": "GP"}
    compared = "de"
    pictured = ("rmse", "nll", "nll_spread")
    printed = PRINTED
    note = (
        "Numbers in parentheses are standard deviations over splits. The number after +- in the thesis is most likely a"
        " standard error over seeds: a deviation is then 4.5 times as large (2.2 for protein). With five members its"
        " score has no finite variance."
    )

    def summary(self) -> Facts:
        """The table as JSON: entries with ``paired`` differences, and ``leaked`` by protocol."""
        return {**super().summary(), "leaked": self._leaks()}

    def blocks(self, protocol: str) -> Iterator[str]:
        """The text of a protocol: how much it leaks, then a table for each score with the differences to DE."""
        yield f"## Protocol {protocol}"
        leaked = self._leaks().get(protocol)
        if leaked:
            yield f"{leaked:.0%} of the test rows were trained on."
        for metric in self.measured_under(protocol):
            yield from self.block(protocol, metric)
            if metric != "coverage_90":
                others = [model for model in self.columns_of(protocol, metric) if model != "de"]
                pairs = [(model, "de", self.called(model)) for model in others]
                words = "Difference to DE over the same splits, and its standard error"
                yield from self.differences(protocol, metric, words, pairs)

    def grid(self, protocol: str, metric: str) -> list[list[str]]:
        """The texts of a score, with the printed numbers behind those of the thesis's score under its protocols."""
        head, *lines = super().grid(protocol, metric)
        if metric == "nll_spread" and protocol != "standard":
            shown = [model for model in self.columns_of(protocol, metric) if model in ("de", "dle", "drle")]
            head += [f"{self.called(model)}, printed" for model in shown]
            for line, row in zip(lines, self.settings.rows, strict=True):
                pairs = [PRINTED.published(row, model) for model in shown]
                line += ["-" if pair is None else f"{pair[0]:.2f} +- {pair[1]:.1f}" for pair in pairs]
        return [head, *lines]

    def columns_of(self, protocol: str, metric: str) -> Sequence[str]:
        without = WITHOUT_MEMBERS if metric == "nll_spread" else ()
        return [model for model in self.settings.models_of(protocol) if model not in without]

    def pictures(self, protocol: str, metric: str) -> bool:
        """One unit a panel: the thesis's protocols score scaled targets."""
        return metric == "nll_spread" or "standard" not in self.settings.protocols or protocol == "standard"

    def _leaks(self) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for task, scores in self.scores.items():
            if scores.get("leaked", 0.0) > 0.0:
                found.setdefault(task.protocol, []).append(scores["leaked"])
        return {protocol: float(np.mean(shares)) for protocol, shares in found.items()}
