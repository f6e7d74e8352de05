"""Simulating one method of a scenario of particles, and making its run again from a record."""

from __future__ import annotations

from functools import partial
from typing import Any

from particlegvi import schedules
from particlegvi.contracts import Record
from particlegvi.kinds.kind import Job
from particlegvi.kinds.particles import building
from particlegvi.kinds.particles.replicates import replicate
from particlegvi.simulation.loop import follow, record_steps
from particlegvi.simulation.run import Run
from particlegvi.tools.errors import Diverged, carried


def simulate(job: Job) -> Run:
    """Simulate from the start or from the snapshot in the storage, and then the replicates, if there are any."""
    method, scenario = job.parts.methods[job.label], building.of_method(job.scenario, job.label)
    problem = building.problem(job.parts, method, scenario, job.seed, scenario.get("record_every"))
    every, storage = scenario.get("record_every"), job.storage("")
    try:
        if "replicates" not in scenario:
            hear = None if job.progress is None else partial(job.progress, job.label)
            return _settled(follow(problem, method, every, hear, storage))
        total = scenario["replicates"] * scenario["steps"]
        heard = job.progress
        hear_all = None if heard is None else lambda done, _: heard(job.label, done, total)
        run = follow(problem, method, every, hear_all, storage, store_end=True)
        ends = partial(job.storage, "replicates")
        run.info["replicates"] = replicate(run, job.parts, scenario, ends, hear_all, label=job.label, folder=job.folder)
        return _settled(run)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if partly is not None:
            _settled(partly)
        raise


def unpacked(job: Job, record: Record) -> Run:
    """The run of a record; without its steps it is cut short, and they follow from the scenario."""
    parts, positions, scenario = job.parts, record.arrays["positions"], job.scenario
    if positions.shape[2] != parts.loss.dim:
        raise ValueError(f"its particles have the dimension {positions.shape[2]}")
    steps: Any = record.arrays.get("steps")
    if steps is None:
        steps = record_steps(scenario["steps"], scenario.get("record_every"))[: len(positions)]
    made = parts.loss, parts.prior, parts.methods[job.label]
    step_size = schedules.resolved(scenario["step_size"])
    return _settled(Run(job.label, *made, positions, steps, step_size, job.seed, record.info))


def _settled(run: Run) -> Run:
    """The run with the kernel that it used as the kernel of its method."""
    run.method = building.settled(run.method, run.info)
    return run
