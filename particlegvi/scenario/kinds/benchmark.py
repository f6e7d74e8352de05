"""Benchmark tables as scenarios: the thesis's Tables 6.2, 5.1, 4.1, and figures of Huggins et al. and Burt et al."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from particlegvi.contracts import Facts, Record, Run, Scenario
from particlegvi.scenario.kinds.kind import Job, Kind, Parts, Runs, Targets
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import Check
from particlegvi.settings.keys import Key
from particlegvi.tools.quoting import refuse

if TYPE_CHECKING:
    from particlegvi.tools.export.columns import Columns
    from particlegvi.tools.export.writing import Arrays

LABEL = "table"  # the label of a table's results
NAMES = "a list of at least one name"


class Declared(NamedTuple):
    """A table in scenarios: its class of settings, defaults that differ from those of the keys, and unused keys."""

    settings: str
    defaults: Mapping[str, int]
    unused: tuple[str, ...]


FUNCTIONS = "functions"
TABLES = {
    FUNCTIONS: Declared("ProjectedSettings", {}, ("steps",)),
    "ensembles": Declared("EnsembleSettings", {"splits": 20, "particles": 5}, ("inducing_points",)),
    "wasserstein": Declared("WassersteinSettings", {"splits": 10}, ("particles", "steps")),
    "linear": Declared("LinearSettings", {"inducing_points": 100, "steps": 3000}, ("particles",)),
    "digits": Declared("DigitsSettings", {"splits": 2, "inducing_points": 40, "particles": 5, "steps": 1500}, ()),
}


def count(least: int) -> Check:
    """A whole number from ``least`` on."""
    return checks.whole(least, 2**31 - 1)


names = checks.list_of(checks.text(80), NAMES)
sizes = checks.list_of(count(1), "a list of at least one whole number")


def models(value: Any, key: str) -> list[str] | dict[str, Facts]:
    """Names, or a table of models with their own settings, which each model checks when the scenario is built."""
    if not isinstance(value, dict):
        return checks.list_of(checks.text(80), f"{NAMES}, or a table for each model, such as [models.pls]")(value, key)
    if not 1 <= len(value) <= 100:
        raise refuse(key, value, "a table of 1 to 100 models, such as [models.pls]")
    for name, own in value.items():
        if not isinstance(own, dict):
            raise refuse(f"{key}.{name}", own, "a table of the model's own settings")
    return value


class BenchmarkTable(Kind):
    """A table of models on data sets over splits: `scenario.tables.run_table`; the models take the seed of the run."""

    name = "table"
    keys = {
        **keys.HEAD,
        "table": Key(
            checks.one_of(tuple(TABLES), "table"),
            "functions, Table 6.2, ensembles, Table 5.1, wasserstein, Table 4.1, linear, Figures 2-4 of Burt et al.,"
            " or digits, images with classes held out",
        ),
        "rows": Key(names, "data sets; absent: all rows of the printed table"),
        "models": Key(models, "models, with settings of their own as [models.NAME]; absent: all of the table"),
        "protocols": Key(names, "treatments of the data; absent: all of the table"),
        "splits": Key(count(1), "number of splits", 5),
        "first_split": Key(count(0), "number of the first split", 0),
        "inducing_points": Key(count(1), "largest number of each model under the standardised protocol", 400),
        "particles": Key(count(2), "functions that PLS samples, or networks of an ensemble (5 if absent)", 100),
        "steps": Key(count(1), "most steps of ensembles under the protocol standard (32000 if absent), or of Adam"),
        **keys.TAIL,
    }
    smallest = 'kind = "table"'

    def declared(self, scenario: Scenario) -> Declared:
        """The table of a scenario; for an unknown name the default one, because the check of the name comes later."""
        name = scenario.get("table", FUNCTIONS)
        return TABLES[name] if isinstance(name, str) and name in TABLES else TABLES[FUNCTIONS]

    def labels(self, scenario: Scenario) -> list[str]:
        return [LABEL]

    def complete(self, scenario: Facts) -> list[str]:
        """Fill in the defaults of the table."""
        for key, value in self.declared(scenario).defaults.items():
            scenario.setdefault(key, value)
        return []

    def agree(self, scenario: Facts) -> None:
        """Refuse settings that the table does not use."""
        for key in self.declared(scenario).unused:
            if scenario.pop(key, self.keys[key].default) != self.keys[key].default:
                raise ValueError(f"{key} must be left out for the table {scenario.get('table', FUNCTIONS)}")

    def build(self, scenario: Scenario) -> Parts:
        from particlegvi.scenario import tables

        outside = (*keys.HEAD, *keys.TAIL, "table")
        given = {key: scenario[key] for key in self.keys if key in scenario and key not in outside}
        if "trials" in given:
            given["splits"] = given.pop("trials")
        return vars(tables)[self.declared(scenario).settings].of(given)

    def check(self, parts: Parts, scenario: Scenario, folder: Path | None, freed: int = 0) -> None:
        from particlegvi.scenario.tables.running import benchmark

        for row in parts.rows:
            for protocol in parts.protocols:
                benchmark(parts).problem(row, protocol, 0)

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

    def rows(self, runs: Runs, summary: Facts) -> list[Facts]:
        scored = runs[LABEL].scores.items()
        return [{"method": cell.name, **cell._asdict(), **scores} for cell, scores in scored]

    def figure(self, runs: Sequence[Any]) -> str:
        return "scores"


class Approximation(BenchmarkTable):
    """A table of approximations of a Gaussian process on data sets, by number of inducing points and trial."""

    name = "approximation"
    keys = {
        **keys.HEAD,
        "rows": Key(names, "data sets", ["synthetic"]),
        "models": Key(names, "approximations; absent: all of the table"),
        "sizes": Key(sizes, "numbers of inducing points", [4, 10, 21, 46, 100]),
        "trials": Key(checks.whole(1, 1000), "the number of starts at random rows", 10),
        "iterations": Key(checks.whole(1, 100_000), "the most iterations of a search for inducing points", 200),
        **keys.TAIL,
    }
    smallest = 'kind = "approximation"'

    def declared(self, scenario: Scenario) -> Declared:
        return Declared("ApproximationSettings", {}, ())

    def figure(self, runs: Sequence[object]) -> str:
        return "curves"


def _seeded(job: Job) -> Any:
    """The settings with the seed of the run."""
    return replace(job.parts, seed=job.seed)
