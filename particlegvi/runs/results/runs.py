"""Runs by label, their targets, and their summary as data, as a table and as a figure."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from particlegvi.contracts import Facts
from particlegvi.integrators import schedules
from particlegvi.runs.results.forms import ExportedRuns
from particlegvi.scenario import kinds
from particlegvi.scenario.kinds.kind import Kind
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.run import Description, Run
from particlegvi.tools import arguments, html
from particlegvi.tools.quoting import shown
from particlegvi.tools.sources import versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from particlegvi.pages.building import Page


class Runs(ExportedRuns):
    """Runs by label, in the order of the labels.

    Attributes
    ----------
    kind : Kind
        The kind of scenario that they are of (`particlegvi.scenario.kinds`).
    scenario : dict
        The complete scenario, or the description of a comparison, as plain data.
    parts : Parts
        The objects made from the scenario; for particles loss, prior, start and methods.
    seed : int
    status : str
        "running", "finished", "interrupted", "diverged", "failed", or "stopped".
    targets : mapping
        The targets Q* by label, computed when first used; None if a method has none (``targets.reasons`` says why).
    summary : dict
        The numbers of ``summary.json``, computed when first used.
    """

    def __init__(self, kind: Kind, scenario: Facts, parts: Any, seed: int, status: str = "finished") -> None:
        self.kind = kind
        self.scenario = scenario
        self.parts = parts
        self.seed = seed
        self.status = status
        self._runs: Facts = {}
        self._summary: Facts | None = None
        self.targets = kind.targets(self._runs, parts)

    def __getitem__(self, label: str) -> Any:
        if label not in self._runs:
            raise KeyError(f"there is no run {shown(label)}; there are {', '.join(self) or 'none'}")
        return self._runs[label]

    def __contains__(self, label: object) -> bool:
        return label in self._runs

    def __iter__(self) -> Iterator[str]:
        return (label for label in self.labels if label in self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        words = ", ".join(self) or "no runs"
        return f"{type(self).__name__}({self.name}, seed {self.seed}, {self.status}: {words})"

    def _repr_html_(self) -> str:
        title = " - ".join(filter(None, [self.name, str(self.scenario.get("title", ""))]))
        head = f"<strong>{type(self).__name__}</strong> {html.text(title)}, seed {self.seed}, {html.text(self.status)}"
        if not self:
            return html.framed(head, html.notes(["no method is finished yet"]))
        said = [f"{label}: {html.verdict(*verdict)}" for label, verdict in self.kind.verdicts(self.summary).items()]
        table = html.grid(self.kind.cells(self, self.summary))
        content = json.dumps(html.brief(self.summary["methods"]), indent=1, ensure_ascii=False, default=str)
        return html.framed(head, table, html.notes(said), html.folded("summary", content))

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return str(self.scenario["name"])

    @property
    def labels(self) -> list[str]:
        """The labels of all runs, also of those that are not done."""
        return self.kind.labels(self.scenario)

    @property
    def summary(self) -> Facts:
        if self._summary is None:
            self._summary = summarise(self)
        return self._summary

    def add(self, label: str, run: Any, seconds: float | None = None) -> None:
        """Add the run of one more label, and the seconds that it took."""
        run.label = label
        if isinstance(run, Run):
            run.describer = description
        if seconds is not None:
            run.info["seconds"] = seconds
        self._runs[label] = run
        self._summary = None

    def at(self, record: int) -> Self:
        """The runs as they were at one record, for figures and numbers of that moment.

        Nothing is copied or simulated. ``final`` is that record in every run, ``positions`` ends there, and the summary
        is computed anew when first used. The targets are the same objects; the new results have no folder.

        Parameters
        ----------
        record : int
            From 0, the start; a negative number counts from the end. A run that has fewer records than another, because
            it diverged or was interrupted, stays at its last.
        """
        counts = {label: self.kind.records(run) for label, run in self.items()}
        most = max(counts.values(), default=0)
        if most == 0:
            raise ValueError(f"{self.name} must have runs with records to be seen at one of them, not none")
        chosen = arguments.record_number(record, most)
        moment = copy.copy(self)
        runs = {label: run.at(min(chosen, counts[label] - 1)) for label, run in self.items()}
        vars(moment).update(_runs=runs, _summary=None)
        return moment

    def describe(self) -> str:
        """A table for a terminal, for example mean, spread and distance to the target of every method."""
        return self.kind.describe(self, self.scenario, self.summary)

    def table(self) -> list[Facts]:
        """The summary as rows, each a mapping that any library of tables takes, for example ``pandas.DataFrame``.

        One row per method. Of particles the keys are: ``method``, ``kl_weight`` and ``mmd_weight`` (None where a method
        has none), ``mean``, ``sd``, ``average_loss``, ``w1`` and ``w1_floor`` (in 1-D where there is a target, else
        None), ``sliced_w1`` and ``sliced_w1_floor`` (in 2-D where the target is a density, else None),
        ``energy_distance`` and ``mmd`` (where the truth is draws: value, 5% and 95% quantile; else None),
        ``modes_covered`` (with ``modes``, else None), ``reached_equilibrium`` (None where it cannot be told),
        ``equilibrium`` (the rule of the verdict, such as "arrived" or "metastable") and ``seconds``.
        """
        return self.kind.rows(self, self.summary)

    def plot(self, kind: str | None = None, **settings: Any) -> Figure:
        """One matplotlib ``Figure`` of all runs.

        Parameters
        ----------
        kind : str, optional
            A kind of figure; when left out "histograms" of particles on the line, "particles" in the plane, "functions"
            of functions.
        **settings
            Options of that kind.
        """
        from particlegvi import plotting

        return plotting.figure(self, kind or self.kind.figure(list(self.values())), **settings)

    def page(self, *, frames: int = 120, live: bool = True, language: str = "en") -> Page:
        """One html file that replays runs on the line or in the plane, and is live below; see `particlegvi.page`.

        Parameters
        ----------
        frames, live, language
            As for `particlegvi.page`.
        """
        from particlegvi.pages.replays import page_of_runs

        return page_of_runs(self, frames, live, language)


def summarise(runs: Runs) -> Facts:
    """The summary, as plain data (numbers that are not finite are None in the file)."""
    methods = {label: runs.kind.facts(runs, label, runs.scenario, runs.targets) for label in runs}
    ran_away = runs.status == "finished" and runs.kind.diverged({"methods": methods})
    return {
        "scenario": runs.scenario["name"],
        "seed": runs.seed,
        "status": "diverged" if ran_away else runs.status,
        "versions": versions(),
        "methods": methods,
    }


def description(run: Run) -> Description:
    """The description and the verdict of a run of `particlegvi.simulate`."""
    start = run.initial if run.drawn_from_prior() is None else None
    facts = {
        "name": run.loss.name,
        "title": run.label,
        "source": "",
        "particles": run.particles,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
        "methods": {run.label: {}},
    }
    parts = Parts(run.loss, run.prior, start, {run.label: run.method})  # type: ignore[arg-type]  # any loss will do
    status = "stopped" if "stopped" in run.info else "finished"
    runs = Runs(kinds.get("particles"), facts, parts, run.seed, status)
    runs.add(run.label, run)
    reached, verdict = runs.kind.verdicts(runs.summary)[run.label]
    return Description(runs.describe(), reached, verdict)
