"""Simulating one method of a scenario of networks, and making its run again from a record."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from functools import partial

import numpy as np

from particlegvi.contracts import Record
from particlegvi.kinds.kind import Job
from particlegvi.kinds.networks.building import Problem
from particlegvi.kinds.networks.run import NetworkRun
from particlegvi.networks.noise import noise_variance as found_variance
from particlegvi.simulation.loop import follow, record_steps
from particlegvi.simulation.run import Run
from particlegvi.tools.errors import Diverged, carried, carry


def simulate(job: Job) -> NetworkRun:
    """Simulate from the start or from the snapshot in the storage."""
    particles, method, problem = job.parts.particle_problem(job.label, job.seed)
    hear = None if job.progress is None else partial(job.progress, job.label)
    noise = job.scenario.get("noise_variance")
    try:
        run = follow(particles, method, job.scenario.get("record_every"), hear, job.storage(""))
        return _with_data(run, problem, noise)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if isinstance(partly, Run):
            carry(error, "run", _with_data(partly, problem, noise))
        raise


def unpacked(job: Job, record: Record) -> NetworkRun:
    """The run of a record; its data are the stored ones. Without its steps it is cut short, and has none stored."""
    particles, method, problem = job.parts.particle_problem(job.label, job.seed)
    arrays, positions = record.arrays, record.arrays["positions"]
    if positions.shape[2] != particles.loss.dim:
        raise ValueError(f"its particles have the dimension {positions.shape[2]}")
    steps = arrays.get("steps")
    if steps is None:
        steps = record_steps(job.scenario["steps"], job.scenario.get("record_every"))[: len(positions)]
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
