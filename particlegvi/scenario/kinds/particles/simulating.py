"""Simulate one method of a scenario of particles, and its replicates; restore a run from a record.

Replicates are runs of one method with several seeds, which separate the effect of the method from chance. Each is a
cell of `particlegvi.tools.cells`: it is simulated once, in any process, and stored in a small file until all are
finished, so that an interrupted run loses none.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Facts, Record, Scenario
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.integrators import schedules
from particlegvi.scenario.kinds.kind import Job, check_particles
from particlegvi.scenario.kinds.particles import building
from particlegvi.simulation.loop import follow, record_steps, stored_records
from particlegvi.simulation.run import Run
from particlegvi.simulation.sampling.sample import Sample, drawn
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.tools.cells import Store, compute
from particlegvi.tools.errors import Diverged, carried, carry
from particlegvi.tools.sources import decisive

REPAID = 2e9  # steps of particles, a step counting 100 more, from which on processes are worth their start: some 20 s
SEEDS = 2**64
PREFIX = "replicate."  # prefix of the cells' names; the cells are deleted when all are finished


def simulate(job: Job) -> Run:
    """Simulate from the start or from the snapshot in the storage, and then the replicates, if there are any."""
    method, scenario = job.parts.methods[job.label], building.of_method(job.scenario, job.label)
    if "preconditioner" in scenario:
        return _arrived(job)
    problem = building.problem(job.parts, method, scenario, job.seed, scenario.get("record_every"))
    every, storage = scenario.get("record_every"), job.storage
    try:
        if "replicates" not in scenario:
            return _settled(follow(problem, method, every, job.step_progress, storage))
        report, steps = job.progress, scenario["steps"]
        total = steps + at_once(scenario, steps * (scenario["replicates"] - 1))
        hear_all = None if report is None else lambda done, _: report(job.label, done, total)
        run = follow(problem, method, every, hear_all, storage, store_end=True)
        with job.files() as folder:
            run.info["replicates"] = replicate(run, job.parts, scenario, folder, hear_all, label=job.label)
        return _settled(run)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if partly is not None:
            _settled(partly)
        raise


def _arrived(job: Job) -> Run:
    """The run by the steps of `particlegvi.sample`; after an interruption it begins again."""
    parts, scenario = job.parts, job.scenario
    run = drawn(
        parts.loss,
        parts.prior,
        parts.methods[job.label],
        particles=scenario["particles"],
        seed=job.seed,
        most=(scenario["steps"], None),
        progress=job.step_progress,
    )
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
    step_size = schedules.resolved(record.info["step_size"] if chosen else scenario["step_size"])
    return _settled((Sample if chosen else Run)(job.label, *made, positions, steps, step_size, job.seed, record.info))


def _settled(run: Run) -> Run:
    """The run with the kernel of the run in its method."""
    run.method = building.settled(run.method, run.info)
    return run


def replicate(
    run: Run,
    parts: building.Parts,
    scenario: Scenario,
    folder: Path,
    progress: Callable[[int, int], None] | None,
    *,
    label: str,
) -> Facts:
    """Count the modes that the method covers in each of ``scenario["replicates"]`` runs, of which ``run`` is the first.

    Replicate r has the seed of the run plus r; its other settings are those of the run. If a rule chose a lengthscale
    for the run, all replicates use this lengthscale. A replicate with a cell in the folder is not simulated again.

    The result has the ``number`` of replicates, ``modes_covered`` and ``average_loss`` of each, and
    ``mean_modes_covered``, the mean with its 95% interval, [mean, low, high]. `Diverged`, of a replicate, carries
    ``run``.
    """
    kernel = tuple((key, run.info[key]) for key in ("kernel", "lengthscale") if key in run.info)
    simulate = Simulate(json.dumps(scenario), label, run.seed, kernel)
    counts = [counted(run.final, parts, scenario), *_others(run, simulate, scenario, Store(folder), progress)]
    covered = [count["modes_covered"] for count in counts]
    return {
        "number": scenario["replicates"],
        "modes_covered": covered,
        "mean_modes_covered": list(diagnostics.mean_interval(covered)),
        "average_loss": [count["average_loss"] for count in counts],
    }


@dataclass(frozen=True)
class Simulate:
    """Simulates a replicate, in any process."""

    text: str  # the scenario of the method, as JSON
    label: str
    seed: int  # the seed of the run; replicate r has this seed plus r
    # the entries "kernel" and "lengthscale" of the run's facts, which all replicates share
    kernel: tuple[tuple[str, object], ...]

    @one_blas_thread()
    def __call__(self, number: int) -> Facts:
        """The stored facts of one replicate, or the words of the error if it diverged."""
        scenario, parts = _built(self.text)
        method = building.settled(parts.methods[self.label], dict(self.kernel))
        problem = building.problem(parts, method, scenario, (self.seed + number) % SEEDS, 0)
        try:
            run = follow(problem, method, 0, None, MemoryStorage())
        except Diverged as error:
            return {"diverged": str(error), "step": error.step, "particle": error.particle}
        return counted(run.final, parts, scenario)

    def name(self, number: int) -> str:
        """The name of a replicate's cell."""
        code = {**decisive(json.loads(self.text)), "python": ""}
        whole = json.dumps([self.text, self.label, self.seed, number, self.kernel, code], sort_keys=True)
        return f"{PREFIX}{hashlib.sha256(whole.encode()).hexdigest()}"


@lru_cache(maxsize=2)
def _built(text: str) -> tuple[Scenario, building.Parts]:
    scenario = json.loads(text)
    return scenario, building.physics(scenario)


def counted(final: np.ndarray, parts: building.Parts, scenario: Scenario) -> Facts:
    """The number of modes that the final particles cover, and their average loss."""
    covered = int(np.count_nonzero(diagnostics.mode_occupancy(final, scenario["modes"])))
    return {"modes_covered": covered, "average_loss": float(np.mean(parts.loss.value(final)))}


def processes(work: float) -> int:
    """The number of processes for this much work, in the unit of `REPAID`: one for each processor, or 1 for little.

    A process of a pool starts no further processes.
    """
    return 1 if work < REPAID or multiprocessing.parent_process() is not None else threads.count()


def at_once(scenario: Scenario, steps: int) -> int:
    """The steps for which the processes of the replicates take as long as for these of all of them."""
    return steps // processes((scenario["particles"] + 100.0) * scenario["steps"] * (scenario["replicates"] - 1))


def _others(
    run: Run, simulate: Simulate, scenario: Scenario, store: Store, progress: Callable[[int, int], None] | None
) -> list[Facts]:
    """The facts of the replicates 1, 2, ... in order; their cells are deleted at the end."""
    total, counts = scenario["replicates"], {}
    store.prepare()
    store.sweep()
    for number in range(1, total):
        result = store.read(simulate.name(number), {"number": number})
        if result is not None:
            counts[number] = result
    missing = [number for number in range(1, total) if number not in counts]
    workers = processes((scenario["particles"] + 100.0) * scenario["steps"] * len(missing))
    try:
        for number, result, seconds in compute(simulate, missing, workers):
            store.write(simulate.name(number), {"number": number}, result, seconds)
            counts[number] = result
            if progress is not None:
                progress(scenario["steps"] + at_once(scenario, len(counts) * scenario["steps"]), total)
        for number in sorted(counts):
            if "diverged" in counts[number]:
                raise Diverged(counts[number]["diverged"], counts[number]["step"], counts[number]["particle"])
    except (Diverged, KeyboardInterrupt) as error:
        number = min((replicate for replicate in counts if "diverged" in counts[replicate]), default=1 + len(counts))
        run.info["stopped"] = f"replicate {number}: {str(error) or 'interrupted'}"
        carry(error, "run", run)
        raise
    store.remove(place.stem for place in store.folder.glob(f"{PREFIX}*.json"))  # also those of other sources
    return [counts[number] for number in sorted(counts)]
