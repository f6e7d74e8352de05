"""Simulate one method of a scenario of networks, and restore its run from a record."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np

from particlegvi.contracts import Record
from particlegvi.networks.mixtures import noise_variance as found_variance
from particlegvi.scenario.kinds.kind import Job
from particlegvi.scenario.kinds.networks.building import Problem
from particlegvi.scenario.kinds.networks.run import NetworkRun
from particlegvi.simulation.loop import follow, stored_records
from particlegvi.simulation.run import Run
from particlegvi.tools.errors import Diverged, carried, carry


def simulate(job: Job) -> NetworkRun:
    """Simulate from the start or from the snapshot in the storage."""
    particles, method, problem = job.parts.particle_problem(job.label, job.seed)
    noise = job.scenario.get("noise_variance")
    try:
        run = follow(particles, method, job.scenario.get("record_every"), job.step_progress, job.storage())
        return _with_data(run, problem, noise)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if isinstance(partly, Run):
            carry(error, "run", _with_data(partly, problem, noise))
        raise


def unpacked(job: Job, record: Record) -> NetworkRun:
    """The run of a stored record, with the stored data. A run that was cut short has no stored data."""
    particles, method, problem = job.parts.particle_problem(job.label, job.seed)
    arrays, (scenario, dim) = record.arrays, (job.scenario, particles.loss.dim)
    positions, steps = stored_records(record, dim, scenario["steps"], scenario.get("record_every"))
    if "inputs" in arrays:
        data = replace(problem.data, X=np.asarray(arrays["inputs"]), y=np.asarray(arrays["targets"]))
        problem = problem._replace(data=data)
    made = particles.loss, particles.prior, method
    run = Run(job.label, *made, positions, steps, particles.step_size, job.seed, record.info)
    return _with_data(run, problem, job.scenario.get("noise_variance"))


def _with_data(run: Run, problem: Problem, noise_variance: float | None) -> NetworkRun:
    found = NetworkRun(**{each.name: vars(run)[each.name] for each in fields(run)}, data=problem.data)
    if noise_variance is not None and problem.loss.cost == "squared":
        found.noise_sd = math.sqrt(noise_variance)
    elif problem.validation is not None and np.all(np.isfinite(run.final)):
        X, y = problem.validation
        with np.errstate(all="ignore"):
            found.noise_sd = math.sqrt(found_variance(y, problem.loss.predict(run.final, X)))
    return found
