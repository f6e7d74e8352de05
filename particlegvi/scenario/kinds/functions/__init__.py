"""Functions fitted to data: chapter 6 of the thesis.

``keys`` has the keys of a scenario, ``data`` draws or loads the data, ``building`` makes the parts, ``methods`` has the
models, one file each, ``run`` has a fit with its predictions, ``facts`` has the numbers of summary.json, and ``table``
the table for a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from particlegvi.contracts import Facts, Progress, Record, Run
from particlegvi.scenario.kinds.functions.keys import KEYS
from particlegvi.scenario.kinds.kind import Job, Kind, Runs


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

    def simulate(self, job: Job) -> Run:
        return job.parts.fit(job.label, job.seed, job.step_progress, job.storage)

    def followed(self, run: Any, progress: Progress | None) -> Any:
        return run.followed(None if progress is None else partial(progress, run.label))

    def packed(self, run: Any) -> Record:
        fit = run.fit
        return Record({"positions": fit.positions, "steps": fit.steps, **fit.arrays}, fit.info)

    def unpacked(self, job: Job, record: Record) -> Run:
        return job.parts.restored(job.label, job.seed, record)

    def cells(self, runs: Runs, summary: Facts) -> list[list[str]]:
        from particlegvi.scenario.kinds.functions.table import cells

        return cells(summary)

    def figure(self, runs: Sequence[Any]) -> str:
        return "functions"
