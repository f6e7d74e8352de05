"""The simulation loop: start, steps in chunks, records, and the error when a particle becomes non-finite."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np

from particlegvi import losses
from particlegvi.contracts import Array, Flow, Loss, Method, Prior, Record, Snapshot, Start, Storage
from particlegvi.integrators import schedules
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.free_energy import HasOwnSteps
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.simulation.run import Description, Run
from particlegvi.simulation.stability import warn_when_unstable
from particlegvi.simulation.storage import ChunkedSteps, MemoryStorage
from particlegvi.tools import arguments, machine, objects
from particlegvi.tools.errors import Diverged, carry, warn

MOST_RECORDS = 200
NEAR = 1e3  # a particle that is no farther, in units of the start, has not run away: `diagnostics.outliers`


@runtime_checkable
class Advising(Protocol):
    """A loss that gives advice: sentences with which a run warns before it begins."""

    def advice(self, problem: ParticleProblem, method: Method, /) -> list[str]: ...


def simulate(
    loss: Loss, method: Method, prior: Prior | None = None, initial: Start | None = None, **settings: Any
) -> Run:
    """The run of `particlegvi.simulate` with these parameters of it, in memory and without a bar."""
    record_every = settings.get("record_every")
    problem = check_problem(loss, method, prior, initial, Settings(**settings))
    particles, dim = problem.start.shape
    machine.check_records(particles, dim, problem.steps, record_every)
    return run_problem(problem, method, record_every, None, MemoryStorage())


def run_problem(
    problem: ParticleProblem,
    method: Method,
    record_every: int | None,
    progress: Callable[[int, int], None] | None,
    storage: Storage,
    *,
    describer: Callable[[Run], Description] | None = None,
) -> Run:
    """Simulate a checked problem from its start, or from its snapshot in ``storage``; see `simulate`.

    The ``describer`` finds the words of `Run.describe`.
    """
    limit = warn_when_unstable(problem, method)
    if isinstance(problem.loss, Advising):
        for sentence in problem.loss.advice(problem, method):
            warn(sentence)
    started = time.perf_counter()
    flow = objects.having(f"the flow of {method.label}", method.flow(problem), Flow, "a particlegvi.contracts.Flow")
    first = flow.particles()
    if np.shape(first) != problem.start.shape:
        allowed = f"an array of the shape {problem.start.shape}, a row for each particle"
        raise arguments.shaped(f"particles() of the flow of {method.label}", first, allowed)
    due = record_steps(problem.steps, record_every)
    run = Run(
        label=method.label,
        loss=problem.loss,
        prior=problem.prior,
        method=method,
        positions=problem.start[None],
        steps=due,
        step_size=problem.step_size,
        seed=problem.seed,
        describer=describer,
    )
    snapshot = storage.start(len(due), problem.start.shape)
    if snapshot is None:
        storage.append(flow.particles())
    else:
        flow.restore(snapshot.state, snapshot.extra_state)
    step = 0 if snapshot is None else snapshot.step

    def taken(step: int) -> Snapshot:
        return Snapshot(step, flow.state.copy(), flow.extra_state(), flow.facts(), storage.count)

    def after(step: int, count: int) -> None:
        if flow.first_bad() >= 0:
            _explain(flow, problem, chunks.good, count, limit)
        if progress is not None:
            progress(step + count, problem.steps)

    chunks = ChunkedSteps(storage, taken(step))
    try:
        while storage.count < len(due):
            record = int(due[storage.count])
            chunks.advance(flow, step, record, taken, after)
            step = record
            storage.append(flow.particles())
    except (Diverged, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt):
            storage.save(chunks.good)
        run.positions = storage.positions()
        run.steps = due[: len(run.positions)]
        run.info = flow.facts() | {"stopped": str(error) or "interrupted"}
        carry(error, "run", run)
        raise
    run.positions = storage.positions()
    run.info = flow.facts() | {"loss": loss_kind(problem.loss), "tolerance": problem.tolerance}
    run.info["seconds"] = time.perf_counter() - started
    _warn_when_away(run, problem, limit)
    return run


def _warn_when_away(run: Run, problem: ParticleProblem, limit: float) -> None:
    """Warn where most particles have run away, with a step size that may hold them; the verdict says the same."""
    centre = run.initial.mean(axis=0)
    with np.errstate(all="ignore"):
        least, most = (float(np.linalg.norm(x - centre, axis=1).max()) for x in (run.initial, run.final))
    if most <= NEAR * least:
        return
    from particlegvi.diagnostics.outliers import escaped, problem_scale

    scale = problem_scale(run.initial, run.prior, run.initial[:0])
    if 2 * int(np.sum(escaped(run.positions, run.times, scale))) > run.particles:
        run.info["advice"] = _advice(problem, limit)
        warn(f"{run.label} has diverged, its particles have run away; {run.info['advice']}")


def _advice(problem: ParticleProblem, limit: float) -> str:
    """The remedies that may hold the particles: a smaller step size, or another problem if it is below its limit."""
    largest = schedules.largest(problem.step_size, problem.steps)
    smaller = (
        f"try a smaller step_size than {schedules.shown(problem.step_size)}, for example {min(limit, largest) / 5:.1g}"
    )
    return smaller if largest >= limit else f"either the loss falls without end under this prior, or {smaller}"


def _explain(flow: Flow, problem: ParticleProblem, good: Snapshot, count: int, limit: float) -> NoReturn:
    """Find the first bad step of a chunk by bisection (a flow repeats exactly), and raise an error with advice.

    Each trial restarts from ``good``, the snapshot before the chunk, with its counts, so that the result does not
    depend on the sizes of the chunks. ``limit`` is the largest stable step size at the start.
    """
    least, most = 0, count
    while most - least > 1:
        middle = (least + most) // 2
        flow.restore(good.state, good.extra_state)
        flow.advance(good.step, middle)
        if flow.first_bad() >= 0:
            most = middle
        else:
            least = middle
    flow.restore(good.state, good.extra_state)
    flow.advance(good.step, most)
    particle = flow.first_bad()
    step = good.step + most
    raise Diverged(
        f"step {step} of {problem.steps} made particle {particle} non-finite; {_advice(problem, limit)}",
        step,
        particle,
    )


def loss_kind(loss: Loss) -> str:
    """How the loss is evaluated, in words, for the result."""
    if isinstance(loss, HasOwnSteps):
        return "network, compiled"
    if loss.term is None:
        kind = loss.kind if isinstance(loss, losses.Loss) and loss.kind != "numpy" else "numpy function"
        return f"{kind}, called from Python at every step (slower)"
    interpreted = isinstance(loss, losses.Loss) and loss.formula
    return "formula, by the compiled interpreter" if interpreted else "compiled"


def stored_records(record: Record, dim: int, steps: int, record_every: int | None) -> tuple[Array, np.ndarray]:
    """The positions and the step numbers of a stored run of particles of this dimension.

    A run that was cut short stores no step numbers; they follow from ``steps`` and ``record_every``.
    """
    positions, known = record.arrays["positions"], record.arrays.get("steps")
    if positions.shape[2] != dim:
        raise ValueError(f"its particles have the dimension {positions.shape[2]}")
    return positions, record_steps(steps, record_every)[: len(positions)] if known is None else known


def record_steps(steps: int, record_every: int | None) -> np.ndarray:
    """Step numbers to record: the first, the last, and every ``record_every``-th (None: at most 200 in all)."""
    if record_every == 0:
        return np.unique(np.array([0, steps]))
    if record_every is None:
        record_every = 1
        while len(range(0, steps, record_every)) + 1 > MOST_RECORDS:
            record_every = max(record_every + 1, steps // (MOST_RECORDS - 1))
    return np.append(np.arange(0, steps, record_every), steps)
