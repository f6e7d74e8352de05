"""Table 4.1 of the thesis, made again: Gaussian Wasserstein inference on the UCI sets, with its controls.

``protocols`` has the settings and prepares the data, ``models`` predicts and judges the predictions, also by the
published program's selection on the test score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from particlegvi.contracts import Facts
from particlegvi.scenario.tables.table import Table, number_and_sd
from particlegvi.scenario.tables.wasserstein.models import score
from particlegvi.scenario.tables.wasserstein.protocols import BEST, PRINTED, WassersteinSettings, problem

__all__ = ["WassersteinSettings", "WassersteinTable"]

MODELS_PRINTED = ("gwi-svgp", "gwi-net")
CONTROLS = ("net-constant", "svgp")
COMPARED = (("gwi-net", "net-constant"), ("gwi-net", "svgp"), ("gwi-svgp", "svgp"))
SELECTION = (
    "What the published program reports: of thirty trials a fold, each on a fresh permutation of the rows, the one with"
    " the lowest score on its test rows. Beside it the trial that the validation rows choose, and the median trial."
)


class WassersteinTable(Table):
    """The finished cells of a table of Gaussian Wasserstein inference, beside the printed numbers and the controls."""

    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "nll": "Negative log-likelihood, with the variance factor that the protocol allows",
        "nll_free": "Negative log-likelihood, with the variance factor that is best on the validation rows",
        "nll_untempered": "Negative log-likelihood without a variance factor",
        "rmse": "Root mean squared error",
        "coverage_90": "Share of test rows in the central 90% interval",
        "variance_factor": "The variance factor that is best on the validation rows",
        "nll_validation": "Test score of the trial that the validation rows choose",
        "nll_median": "Median test score of the trials",
    }
    scores_by_protocol = {
        "standardised": ("nll", "nll_untempered", "rmse", "coverage_90", "variance_factor"),
        "thesis": ("nll", "nll_free", "nll_untempered", "rmse", "coverage_90", "variance_factor"),
        BEST: ("nll", "nll_validation", "nll_median"),
    }
    labels = {
        "gwi-net": "GWI-net", "gwi-svgp": "GWI-SVGP", "net-constant": "network, one variance",
        "gwi-net-50": "GWI-net, 2 x 50", "svgp": "SVGP", "gp": "GP",
    }  # fmt: skip
    compared = "svgp"
    pictured = ("nll",)
    printed = PRINTED
    empty_series = False
    note = (
        "Negative log-likelihoods are in nats and in the units of the targets; numbers in parentheses are standard"
        " deviations over splits. The thesis's own are those of the trial with the lowest test score in each fold."
    )

    def summary(self) -> Facts:
        """The table as JSON: entries with differences to SVGP, the differences of gwi-net to its controls, ``held``."""
        gaps: Facts = {}
        for row in self.settings.rows:
            for protocol in self.settings.protocols:
                for other in CONTROLS:
                    gap = self.paired(row, "gwi-net", protocol, "nll", other)
                    if gap is not None:
                        gaps.setdefault(row, {}).setdefault(protocol, {})[other] = list(gap)
        protocols = self.settings.protocols
        held = {model: {protocol: self.held(model, protocol) for protocol in protocols} for model in MODELS_PRINTED}
        return {**super().summary(), "gwi-net": gaps, "held": held}

    def blocks(self, protocol: str) -> Iterator[str]:
        """The text of a protocol, with a word on its selection."""
        yield f"## Protocol {protocol}"
        if protocol == BEST:
            yield SELECTION
        yield from super().blocks(protocol)

    def grid(self, protocol: str, metric: str) -> list[list[str]]:
        """The texts of a score, the printed numbers first, without rows that no model has finished."""
        (_, *head), *lines = super().grid(protocol, metric)
        shown = [model for model in MODELS_PRINTED if model in self.columns_of(protocol, metric) and metric == "nll"]
        rows = zip(self.settings.rows, lines, strict=True)
        return [["", *(f"{self.called(model)}, printed" for model in shown), *head],
                *([title, *(number_and_sd(PRINTED.published(row, model), 2) for model in shown), *texts]
                  for row, (title, *texts) in rows if set(texts) != {"-"})]  # fmt: skip

    def conclusions(self, protocol: str) -> Iterator[str]:
        """The differences to the controls, and on which rows the printed numbers are reached."""
        pairs = [(model, other, f"{self.called(model)} - {self.called(other)}") for model, other in COMPARED]
        words = "Differences of negative log-likelihoods over the same splits, and their standard errors"
        yield from self.differences(protocol, "nll", words, pairs)
        for model in MODELS_PRINTED:
            held = self.held(model, protocol)
            if held and model in self.settings.models_of(protocol):
                names = ", ".join(self.title(row) for row, holds in held.items() if not holds) or "none"
                yield (
                    f"{self.called(model)}: within one printed standard deviation of the printed number, or better, on"
                    f" {sum(held.values())} of {len(held)} rows; not on: {names}."
                )

    def pictures(self, protocol: str, metric: str) -> bool:
        """One mark of the thesis's protocol may be a hundred times as far away as all others."""
        return protocol != "thesis" or "standardised" not in self.settings.protocols

    def prints(self, metric: str) -> Sequence[str]:
        return MODELS_PRINTED if metric == "nll" else ()
