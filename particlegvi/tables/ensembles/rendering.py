"""The table of ensembles as text: means over the splits, and paired differences to deep ensembles."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.tables.ensembles import printed
from particlegvi.tables.paired import PairedTable, markdown_lines

NOTE = (
    "Numbers in parentheses are standard deviations over splits. What the thesis prints after +- is most likely a"
    " standard error over seeds: a deviation is then 4.5 times as large (2.2 for protein). With five members its score"
    " has no finite variance."
)


class EnsembleTable(PairedTable):
    """The finished cells of a table of ensembles."""

    titles = {
        "rmse": "Root mean squared error",
        "nll": "Negative log-likelihood of the mixture, noise included",
        "nll_spread": "Negative log-likelihood with the spread of the members as all the variance (the thesis's score)",
        "coverage_90": "Share of test rows in the central 90% interval of the mixture",
    }
    of = {  # without validation rows nothing says what the noise is
        "standard": ("rmse", "nll", "coverage_90", "nll_spread"),
        "thesis": ("nll_spread", "rmse"),
        "thesis-leak": ("nll_spread", "rmse"),
        "thesis-text": ("nll_spread", "rmse"),
    }
    labels = {"de": "DE", "dle": "DLE", "drle": "DRLE, weights", "drle-outputs": "DRLE, outputs", "gp": "GP"}
    compared = "de"
    pictured = ("rmse", "nll", "nll_spread")

    def title(self, row: str) -> str:
        """A row's name as printed."""
        return printed.title(row)

    def summary(self) -> Facts:
        """As JSON: entries with ``paired`` differences, and ``leaked``."""
        return {**super().summary(), "leaked": self._leaks()}

    def markdown(self) -> str:
        """One table for each protocol and score, then the paired differences."""
        blocks = []
        for protocol in self.chosen.protocols:
            blocks.append(f"## Protocol {protocol}")
            leaked = self._leaks().get(protocol)
            if leaked:
                blocks.append(f"{leaked:.0%} of the test rows were trained on.")
            for metric in self.of[protocol]:
                blocks.append(f"### {self.titles[metric]}\n\n{self._block(protocol, metric)}")
                models = self._models(protocol, metric)
                gaps = self._gaps(protocol, metric, [(m, "de", self.called(m)) for m in models if m != "de"])
                if gaps and metric != "coverage_90":
                    blocks.append(f"Difference to DE over the same splits, and its standard error:\n\n{gaps}")
        return "\n\n".join([*blocks, NOTE]) + "\n"

    def _shows(self, protocol: str, metric: str) -> bool:
        # one unit a panel: targets are scaled under the thesis's protocols; the same series in each, for their colours
        return metric == "nll_spread" or "standard" not in self.chosen.protocols or protocol == "standard"

    def _leaks(self) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for cell, scores in self.scores.items():
            if scores.get("leaked", 0.0) > 0.0:
                found.setdefault(cell.protocol, []).append(scores["leaked"])
        return {protocol: float(np.mean(shares)) for protocol, shares in found.items()}

    def _block(self, protocol: str, metric: str) -> str:
        models = self._models(protocol, metric)
        head = ["", *(self.called(model) for model in models)]
        lines = self._lines(protocol, metric, models)
        if metric == "nll_spread" and protocol != "standard":
            shown = [model for model in models if model in ("de", "dle", "drle")]
            head += [f"{self.labels[model]}, printed" for model in shown]
            for line, row in zip(lines, self.chosen.rows, strict=True):
                pairs = [printed.published(row, model) for model in shown]
                line += ["-" if pair is None else f"{pair[0]:.2f} +- {pair[1]:.1f}" for pair in pairs]
        return markdown_lines([head, *lines])

    def _models(self, protocol: str, metric: str) -> list[str]:
        """The models with such a score under a protocol; those without members have no spread."""
        alone = ("linear", "gp") if metric == "nll_spread" else ()
        return [model for model in self.chosen.models_of(protocol) if model not in alone]
