"""Simulate one method of a scenario of particles, and its replicates; restore a run from a record.

Replicates are short runs of one method with several seeds, which separate the effect of the method from chance. After
an interruption they begin again; many long ones are a sweep over seeds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Facts, Record, Scenario
from particlegvi.diagnostics.particles import FARTHEST
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.integrators import schedules
from particlegvi.scenario.kinds.kind import Job, check_particles
from particlegvi.scenario.kinds.particles import building
from particlegvi.simulation.loop import record_steps, run_problem, stored_records
from particlegvi.simulation.problem import Settings
from particlegvi.simulation.run import Run
from particlegvi.simulation.sampling.sample import Sample, drawn
from particlegvi.simulation.sampling.sample_settings import checked
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.tools.errors import Diverged, carried, carry

SEEDS = 2**64


def simulate(job: Job) -> Run:
    """Simulate from the start or from the snapshot in the storage, and then the replicates, if there are any."""
    method, scenario = job.parts.methods[job.label], building.of_method(job.scenario, job.label)
    if "preconditioner" in scenario:
        return _arrived(job)
    problem = building.problem(job.parts, method, scenario, job.seed, scenario.get("record_every"))
    every, storage = scenario.get("record_every"), job.storage
    try:
        if "replicates" not in scenario:
            return _with_its_kernel(run_problem(problem, method, every, job.step_progress, storage))
        report, total = job.progress, scenario["steps"] * scenario["replicates"]
        hear_all = None if report is None else lambda done, _: report(job.label, done, total)
        run = run_problem(problem, method, every, hear_all, storage)
        run.info["replicates"] = replicated(run, job.parts, scenario, job.label, hear_all)
        return _with_its_kernel(run)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if partly is not None:
            _with_its_kernel(partly)
        raise


def _arrived(job: Job) -> Run:
    """The run by the steps of `particlegvi.sample`; after an interruption it begins again."""
    parts, scenario = job.parts, job.scenario
    settings = Settings(scenario["particles"], scenario["steps"], scenario["step_size"], seed=job.seed)
    chosen = checked(settings, parts.loss.dim, parts.initial, scenario["preconditioner"])
    run = drawn(parts.loss, parts.prior, parts.methods[job.label], chosen, job.step_progress)
    run.steps = record_steps(int(run.steps[-1]), scenario.get("record_every"))
    job.storage.start(len(run.steps), run.final.shape)
    for step in run.steps:
        job.storage.append(run.positions[step])
    run.positions = job.storage.positions()
    run.info["integrator"] = "mala"
    return run


def unpacked(job: Job, record: Record) -> Run:
    """The run of a stored record, which may be cut short."""
    parts, scenario = job.parts, job.scenario
    check_particles(record, scenario["particles"])
    positions, steps = stored_records(record, parts.loss.dim, scenario["steps"], scenario.get("record_every"))
    made = parts.loss, parts.prior, parts.methods[job.label]
    chosen = "preconditioner" in scenario
    step_size = schedules.step_size_from(record.info["step_size"] if chosen else scenario["step_size"])
    return _with_its_kernel(
        (Sample if chosen else Run)(job.label, *made, positions, steps, step_size, job.seed, record.info)
    )


def _with_its_kernel(run: Run) -> Run:
    """The run with the kernel of the run in its method."""
    run.method = building.with_kernel_of_run(run.method, run.info)
    return run


@one_blas_thread()
def replicated(
    run: Run, parts: building.Parts, scenario: Scenario, label: str, progress: Callable[[int, int], None] | None
) -> Facts:
    """Count the modes that the method covers in each of ``scenario["replicates"]`` runs, of which ``run`` is the first.

    Replicate r has the seed of the run plus r; its other settings are those of the run. If a rule chose a lengthscale
    for the run, all replicates use this lengthscale.

    The result has the ``number`` of replicates, ``modes_covered`` and ``average_loss`` of each, and
    ``mean_modes_covered``, the mean with its 95% interval, [mean, low, high]. An error carries ``run``.
    """
    method, total = building.with_kernel_of_run(parts.methods[label], run.info), scenario["replicates"]
    counts = [counted(run.final, parts, scenario)]
    for number in range(1, total):
        problem = building.problem(parts, method, scenario, (run.seed + number) % SEEDS, 0)
        try:
            counts.append(counted(run_problem(problem, method, 0, None, MemoryStorage()).final, parts, scenario))
            if progress is not None:
                progress((number + 1) * scenario["steps"], total)
        except (Diverged, KeyboardInterrupt) as error:
            run.info["stopped"] = f"replicate {number}: {str(error) or 'interrupted'}"
            carry(error, "run", run)
            raise
    covered = [count["modes_covered"] for count in counts]
    return {
        "number": total,
        "modes_covered": covered,
        "mean_modes_covered": list(diagnostics.mean_interval(covered)),
        "average_loss": [count["average_loss"] for count in counts],
    }


def counted(final: np.ndarray, parts: building.Parts, scenario: Scenario) -> Facts:
    """The number of modes that the final particles cover, and their average loss."""
    near = np.clip(final, -FARTHEST, FARTHEST)  # particles that ran away are counted somewhere: the verdict says it
    covered = int(np.count_nonzero(diagnostics.mode_occupancy(near, scenario["modes"])))
    return {"modes_covered": covered, "average_loss": float(np.mean(parts.loss.value(final)))}
