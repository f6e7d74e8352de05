"""Table 4.1 as text: beside the printed numbers, with paired differences to the controls."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.tables.paired import PairedTable, markdown_lines
from particlegvi.tables.rendering import Panel
from particlegvi.tables.wasserstein import printed

PRINTED = ("gwi-svgp", "gwi-net")
CONTROLS = ("net-constant", "svgp")
COMPARED = (("gwi-net", "net-constant"), ("gwi-net", "svgp"), ("gwi-svgp", "svgp"))
NOTE = (
    "Negative log-likelihoods are in nats and in the units of the targets; numbers in parentheses are standard"
    " deviations over splits. The thesis's own are those of the trial with the lowest test score in each fold."
)
SELECTION = (
    "What the published program reports: of thirty trials a fold, each on a fresh permutation of the rows, the one with"
    " the lowest score on its test rows. Beside it the trial that the validation rows choose, and the median trial."
)


class WassersteinTable(PairedTable):
    """The finished cells of a table of Gaussian Wasserstein inference."""

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
    of = {
        "standardised": ("nll", "nll_untempered", "rmse", "coverage_90", "variance_factor"),
        "thesis": ("nll", "nll_free", "nll_untempered", "rmse", "coverage_90", "variance_factor"),
        "best-of-30": ("nll", "nll_validation", "nll_median"),
    }
    labels = {
        "gwi-net": "GWI-net", "gwi-svgp": "GWI-SVGP", "net-constant": "network, one variance",
        "gwi-net-50": "GWI-net, 2 x 50", "svgp": "SVGP", "gp": "GP",
    }  # fmt: skip
    compared = "svgp"
    pictured = ("nll",)

    def title(self, row: str) -> str:
        """A row's name as printed."""
        return printed.title(row)

    def held(self, model: str, protocol: str) -> dict[str, bool]:
        """For each row that is begun: is the mean at most one printed standard deviation above the printed number?"""
        found = {}
        for row in self.chosen.rows:
            entry, there = self.entry(row, model, protocol, "nll"), printed.published(row, model)
            if entry is not None and there is not None:
                found[row] = entry.mean <= there[0] + there[1]
        return found

    def summary(self) -> Facts:
        """As JSON: entries with ``paired`` differences to SVGP, those of gwi-net to its controls, and ``held``."""
        gaps: Facts = {}
        for row in self.chosen.rows:
            for protocol in self.chosen.protocols:
                for other in CONTROLS:
                    gap = self.paired(row, "gwi-net", protocol, "nll", other)
                    if gap is not None:
                        gaps.setdefault(row, {}).setdefault(protocol, {})[other] = list(gap)
        protocols = self.chosen.protocols
        held = {model: {protocol: self.held(model, protocol) for protocol in protocols} for model in PRINTED}
        return {**super().summary(), "gwi-net": gaps, "held": held}

    def markdown(self) -> str:
        """For each protocol a table for each score, the printed numbers first, and the paired differences."""
        blocks = []
        for protocol in self.chosen.protocols:
            blocks.append(f"## Protocol {protocol}")
            if protocol == "best-of-30":
                blocks.append(SELECTION)
            for metric in self.of[protocol]:
                blocks.append(f"### {self.titles[metric]}\n\n{self._block(protocol, metric)}")
            pairs = [(model, other, f"{self.called(model)} - {self.called(other)}") for model, other in COMPARED]
            gaps = self._gaps(protocol, "nll", pairs)
            if gaps:
                words = "Differences of negative log-likelihoods over the same splits, and their standard errors"
                blocks.append(f"{words}:\n\n{gaps}")
            blocks += self._verdicts(protocol)
        return "\n\n".join([*blocks, NOTE]) + "\n"

    def _shows(self, protocol: str, metric: str) -> bool:
        # one mark of the thesis's protocol may be a hundred times as far away as all others
        return protocol != "thesis" or "standardised" not in self.chosen.protocols

    def _block(self, protocol: str, metric: str) -> str:
        models = self.chosen.models_of(protocol)
        shown = [model for model in PRINTED if model in models and metric == "nll"]
        head = ["", *(f"{self.called(model)}, printed" for model in shown), *(self.called(model) for model in models)]
        rows = zip(self.chosen.rows, self._lines(protocol, metric, models), strict=True)
        lines = [[line[0], *(_printed(row, model) for model in shown), *line[1:]]
                 for row, line in rows if set(line[1:]) != {"-"}]  # fmt: skip
        return markdown_lines([head, *lines])

    def _verdicts(self, protocol: str) -> list[str]:
        found = []
        for model in PRINTED:
            held = self.held(model, protocol)
            if held and model in self.chosen.models_of(protocol):
                names = ", ".join(self.title(row) for row, holds in held.items() if not holds) or "none"
                found.append(
                    f"{self.called(model)}: within one printed standard deviation of the printed number, or better, on"
                    f" {sum(held.values())} of {len(held)} rows; not on: {names}."
                )
        return found

    def panels(self, metrics_shown: Sequence[str] | None = None) -> list[Panel]:
        """As `PairedTable.panels`, with the printed numbers beside the likelihoods, and without what has no mark."""
        panels = super().panels(metrics_shown)
        marked = {name for panel in panels for name, (means, _) in panel.series.items() if np.isfinite(means).any()}
        some = [panel._replace(series={key: panel.series[key] for key in panel.series if key in marked})
                for panel in panels]  # fmt: skip
        return [self._beside(panel) if panel.metric == "nll" else panel for panel in some]

    def _beside(self, panel: Panel) -> Panel:
        series = dict(panel.series)
        for model in PRINTED:
            pairs = [printed.published(row, model) or (math.nan, math.nan) for row in self.chosen.rows]
            means, spreads = np.array(pairs).T
            series[self.called(model), "printed"] = means, spreads
        return panel._replace(series=series, printed=tuple((self.called(model), "printed") for model in PRINTED))


def _printed(row: str, model: str) -> str:
    pair = printed.published(row, model)
    return "-" if pair is None else f"{pair[0]:.2f} ({pair[1]:.2f})"
