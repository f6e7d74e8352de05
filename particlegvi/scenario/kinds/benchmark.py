"""Benchmark tables as scenarios: the thesis's Tables 6.2, 5.1, 4.1, and figures of Huggins et al. and Burt et al."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts, Record, Run, Scenario
from particlegvi.scenario.kinds.kind import Job, Kind, Parts, Runs, Targets
from particlegvi.scenario.tables import settings
from particlegvi.settings import keys

if TYPE_CHECKING:
    from particlegvi.tools.export.columns import Columns
    from particlegvi.tools.export.writing import Arrays

LABEL = "table"  # the label of a table's results


class BenchmarkTable(Kind):
    """A table of models on data sets over splits: `scenario.tables.run_table`; the models take the seed of the run."""

    name = "table"
    keys = {**keys.HEAD, **settings.KEYS, **keys.TAIL}
    smallest = 'kind = "table"'
    table = settings.FUNCTIONS  # the table of a scenario that names none

    def labels(self, scenario: Scenario) -> list[str]:
        return [LABEL]

    def complete(self, scenario: Facts) -> list[str]:
        """Fill in the defaults of the table, and refuse keys that it does not have."""
        own = {key: value for key, value in scenario.items() if key in settings.KEYS}
        scenario |= settings.complete({"table": self.table, **own})
        return []

    def build(self, scenario: Scenario) -> Parts:
        own = {key: value for key, value in scenario.items() if key in settings.KEYS}
        return settings.TableSettings.of({"table": self.table, **own})

    def check(self, parts: Parts, scenario: Scenario, folder: Path | None) -> None:
        from particlegvi.scenario.tables.running import check_data

        check_data(parts, parts.problems())

    def simulate(self, job: Job) -> Any:
        from particlegvi.scenario.tables import run_table

        with job.files() as folder:
            return run_table(_seeded(job), folder, job.progress)

    def packed(self, run: Any) -> Record:
        from particlegvi.scenario.tables.running import output_texts

        return Record({}, run.info, output_texts(run))

    def unpacked(self, job: Job, record: Record) -> Any:
        from particlegvi.scenario.tables.running import stored

        if set(record.files) != {"table.md", "table.json"}:
            raise ValueError("it has no table.md or no table.json")
        with job.files() as folder:
            return stored(_seeded(job), folder)

    def records(self, run: Run) -> int:
        return 0

    def arrays(self, run: Any) -> Arrays:
        texts = "row", "model", "protocol"  # not as objects, which numpy would pickle
        return {name: values.astype(str) if name in texts else values for name, values in run.columns().items()}

    def columns(self, runs: Runs, records: bool) -> Columns:
        return runs[LABEL].columns() if LABEL in runs else {}

    def facts(self, runs: Runs, label: str, scenario: Scenario, targets: Targets) -> Facts:
        return runs[label].summary()

    def checked(self, summary: Facts | None) -> Facts | None:
        if summary is not None and not isinstance(summary.get("methods", {}).get(LABEL), dict):
            raise ValueError("it has no table")
        return summary

    def describe(self, runs: Runs, scenario: Scenario, summary: Facts) -> str:
        heading = f"{scenario['name']}: {scenario['title']}\nseed {summary['seed']}, {summary['status']}"
        return f"{heading}\n\n{runs[LABEL].markdown()}" if LABEL in runs else heading

    def cells(self, runs: Runs, summary: Facts) -> list[list[str]]:
        return runs[LABEL].cells() if LABEL in runs else [["", ""]]

    def latex(self, runs: Runs, summary: Facts) -> str:
        from particlegvi.tools.export.latex import latex

        return latex(runs[LABEL].markdown())

    def rows(self, runs: Runs, summary: Facts) -> list[Facts]:
        scored = runs[LABEL].scores.items()
        return [{"method": cell.name, **cell._asdict(), **scores} for cell, scores in scored]

    def figure(self, runs: Sequence[Any]) -> str:
        return "scores"


class Approximations(BenchmarkTable):
    """The table of approximations of a Gaussian process, by number of inducing points and trial."""

    name = "approximation"
    smallest = 'kind = "approximation"'
    table = settings.APPROXIMATION

    def figure(self, runs: Sequence[object]) -> str:
        return "curves"


def _seeded(job: Job) -> Any:
    """The settings with the seed of the run."""
    return replace(job.parts, seed=job.seed)
