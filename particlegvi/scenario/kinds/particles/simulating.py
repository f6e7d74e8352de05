"""Simulate one method of a scenario of particles, and restore its run from a record."""

from __future__ import annotations

from particlegvi.contracts import Record
from particlegvi.integrators import schedules
from particlegvi.scenario.kinds.kind import Job
from particlegvi.scenario.kinds.particles import building
from particlegvi.scenario.kinds.particles.replicates import replicate
from particlegvi.simulation.loop import follow, stored_records
from particlegvi.simulation.run import Run
from particlegvi.tools.errors import Diverged, carried


def simulate(job: Job) -> Run:
    """Simulate from the start or from the snapshot in the storage, and then the replicates, if there are any."""
    method, scenario = job.parts.methods[job.label], building.of_method(job.scenario, job.label)
    problem = building.problem(job.parts, method, scenario, job.seed, scenario.get("record_every"))
    every, storage = scenario.get("record_every"), job.storage()
    try:
        if "replicates" not in scenario:
            return _settled(follow(problem, method, every, job.step_progress, storage))
        total = scenario["replicates"] * scenario["steps"]
        heard = job.progress
        hear_all = None if heard is None else lambda done, _: heard(job.label, done, total)
        run = follow(problem, method, every, hear_all, storage, store_end=True)
        run.info["replicates"] = replicate(run, job.parts, scenario, job.folder(), hear_all, label=job.label)
        return _settled(run)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if partly is not None:
            _settled(partly)
        raise


def unpacked(job: Job, record: Record) -> Run:
    """The run of a stored record, which may be cut short."""
    parts, scenario = job.parts, job.scenario
    positions, steps = stored_records(record, parts.loss.dim, scenario["steps"], scenario.get("record_every"))
    made = parts.loss, parts.prior, parts.methods[job.label]
    step_size = schedules.resolved(scenario["step_size"])
    return _settled(Run(job.label, *made, positions, steps, step_size, job.seed, record.info))


def _settled(run: Run) -> Run:
    """The run with the kernel of the run in its method."""
    run.method = building.settled(run.method, run.info)
    return run
