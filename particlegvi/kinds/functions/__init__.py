"""Functions fitted to data: chapter 6 of the thesis.

``keys`` has the keys of a scenario, ``data`` draws or loads the data, ``building`` makes the parts, ``methods`` has the
models, one file each, ``run`` is a fit with the questions one asks of it, ``facts`` has the numbers of summary.json,
one file each, and ``table`` the table for a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts, Progress, Record, Run, Scenario
from particlegvi.kinds.functions.keys import KEYS
from particlegvi.kinds.kind import Job, Kind, Parts, Runs, Space, Targets

if TYPE_CHECKING:
    import xarray


class FunctionSpace(Kind):
    """Data, a Gaussian prior over functions, a likelihood, and the methods that fit them."""

    name = "function-space"
    keys = KEYS
    smallest = """
kind = "function-space"
data = {formula = "sin(2*x)", low = -3.0, high = 3.0, count = 60}
kernel = "squared-exponential"
likelihood = {name = "gaussian", noise_variance = 0.1}
inducing_points = 20
methods = {PLS = {}}"""

    def build(self, scenario: Scenario) -> Parts:
        from particlegvi.kinds.functions import building

        return building.build(scenario)

    def check(self, parts: Parts, scenario: Scenario, space: Space) -> None:
        """Nothing is written that could fill a disk, and `build` has found the data."""

    def simulate(self, job: Job) -> Run:
        hear = None if job.progress is None else partial(job.progress, job.label)
        return job.parts.fit(job.label, job.seed, hear, job.storage(""))

    def followed(self, run: Any, progress: Progress | None) -> Any:
        return run.followed(None if progress is None else partial(progress, run.label))

    def packed(self, run: Any) -> Record:
        fit = run.fit
        return Record({"positions": fit.positions, "steps": fit.steps, **fit.arrays}, fit.info)

    def unpacked(self, job: Job, record: Record) -> Run:
        return job.parts.restored(job.label, job.seed, record)

    def truth(self, runs: Runs, label: str, targets: Targets) -> xarray.Dataset | None:
        """The true function at the inputs of the data, where it is known."""
        from particlegvi.export.datasets import dataset

        run = runs[label]
        if run.data.truth is None:
            return None
        inputs = run.problem.X
        known = run.data.value(inputs)
        variables = {"X": (("observation", "input"), inputs), "function": (("observation",), known)}
        return dataset(variables, {}, {"formula": run.data.settings.get("formula")})

    def facts(self, runs: Runs, label: str, scenario: Scenario, targets: Targets) -> Facts:
        from particlegvi.kinds.functions.facts import facts as every

        return every.compute(runs[label], {})

    def checked(self, summary: Facts | None) -> Facts | None:
        from particlegvi.kinds.functions.facts import facts as every

        return every.checked(summary)

    def describe(self, runs: Runs, scenario: Scenario, summary: Facts) -> str:
        from particlegvi.kinds.functions.table import describe

        return describe(scenario, summary)

    def cells(self, runs: Runs, summary: Facts) -> list[list[str]]:
        from particlegvi.kinds.functions.table import cells

        return cells(summary)

    def verdicts(self, summary: Facts) -> dict[str, tuple[bool | None, str]]:
        found = {label: facts.get("equilibrium") for label, facts in summary["methods"].items()}
        said = {True: "equilibrium reached", False: "not in equilibrium"}
        return {label: (each["reached"], said[bool(each["reached"])]) for label, each in found.items() if each}

    def rows(self, runs: Runs, summary: Facts) -> list[Facts]:
        from particlegvi.kinds.functions.table import rows

        return rows(runs, summary)

    def figure(self, runs: Sequence[Any]) -> str:
        return "functions"
