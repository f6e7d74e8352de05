"""A linear model with a known posterior, by objectives that compare functions at inputs (Burt et al., 2020).

``models`` has the settings, prepares the data, and has the models and their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from particlegvi.scenario.tables.linear.models import TITLES, LinearSettings, problem, score
from particlegvi.scenario.tables.table import Table

__all__ = ["LinearSettings", "LinearTable"]


class LinearTable(Table):
    """The finished cells of a table of the linear model, with KL to the posterior."""

    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "nll": "Negative log-likelihood of the test rows",
        "kl": "KL to the posterior in nats",
        "kl_averaged": "KL to the posterior of the average of Adam's last tenth, in nats",
        "rmse": "Root mean squared error",
    }
    labels = {
        "exact": "Exact", "factorised": "FFG", "fixed-80": "FixedA 80", "random-20": "RandA 20",
        "random-40": "RandA 40", "random-80": "RandA 80", "random-160": "RandA 160",
        "random-80-adam": "RandA 80, Adam", "spectral-80": "SSGE 80", "linear": "least squares",
        "random-80-factorised": "RandA 80, factorised", "random-80-adam-factorised": "RandA 80, Adam, factorised",
        "spectral-80-factorised": "SSGE 80, factorised",
    }  # fmt: skip
    compared = "exact"
    pictured = ("nll", "kl")
    note = (
        "Means over the splits, and standard deviations over them. Scores are of scaled targets. KL to the posterior is"
        " that of the weights; that of fixed inputs is infinite at the optimum with fewer inputs than features."
    )

    def title(self, row: str) -> str:
        return TITLES[row]

    def columns_of(self, protocol: str, metric: str) -> Sequence[str]:
        """The models that have the score on any row."""
        shown = lambda model: any(self.text(row, model, protocol, metric) != "-" for row in self.settings.rows)
        return [model for model in self.settings.models_of(protocol) if shown(model)]

    def block(self, protocol: str, metric: str) -> Iterator[str]:
        """The text of a score; empty if no model has the score."""
        return super().block(protocol, metric) if self.columns_of(protocol, metric) else iter(())

    def text(self, row: str, model: str, protocol: str, metric: str) -> str:
        """An entry as text; KL may be infinite."""
        if metric == "kl" and self.values(row, model, protocol, "infinite"):
            return "infinite"
        return super().text(row, model, protocol, metric)

    def conclusions(self, protocol: str) -> Iterator[str]:
        """The differences of predictions to those of the posterior."""
        others = [model for model in self.settings.models_of(protocol) if model != "exact"]
        words = "Difference of the negative log-likelihood to that of the posterior, and its standard error"
        return self.differences(protocol, "nll", words, [(model, "exact", self.called(model)) for model in others])
