"""The simulation loop: start, steps in chunks, records, and the error when a particle becomes non-finite."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol, runtime_checkable

import numpy as np

from particlegvi import losses, methods
from particlegvi.contracts import Array, Flow, Loss, Method, Prior, Record, Snapshot, Start, StepListening, Storage
from particlegvi.engine.numerics.compiling import compiling_told
from particlegvi.engine.steps.ensemble import Driven
from particlegvi.integrators import schedules
from particlegvi.integrators.stepping import Integrator
from particlegvi.methods.flow import ParticleProblem
from particlegvi.simulation.chunks import Chunks
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.simulation.run import Run
from particlegvi.simulation.stability import warn_when_unstable
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.tools import arguments, memory, parts
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.errors import Diverged, carry, remembered, warn
from particlegvi.tools.progress import listening_to_steps

MOST_RECORDS = 200
# Kernels and seconds, measured on the machine of `particlegvi.engine.numerics.compiling.REFERENCE`.


@runtime_checkable
class Advising(Protocol):
    """A loss that gives advice: sentences with which a run warns before it begins."""

    def advice(self, problem: ParticleProblem, method: Method, /) -> list[str]: ...


@explains_bad_calls
def simulate(
    loss: Loss,
    method: Method | str,
    prior: Prior | None = None,
    particles: int | None = None,
    steps: int = 100_000,
    step_size: float | schedules.Schedule | Mapping[str, object] = 1e-4,
    *,
    initial: Start | None = None,
    seed: int = 0,
    integrator: str | Integrator | Mapping[str, object] = "euler-maruyama",
    record_every: int | None = None,
    tolerance: float = 1e-12,
    progress: StepListening = "auto",
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    checkpoint_every: float = 4.0,
) -> Run:
    """Simulate one particle method.

    Parameters
    ----------
    loss : Loss
        From :mod:`particlegvi.losses` or :class:`particlegvi.Loss`.
    method : method or str
        From :mod:`particlegvi.methods`, or the name of one such as "DLE", which then has its defaults.
    prior : prior, optional
        From :mod:`particlegvi.priors`; flat when left out. Particles that leave a Uniform's box are reflected (with
        MALA they stay where they were).
    particles : int, optional
        Number of particles; 300, or as many as ``initial`` has points.
    steps : int
        Number of steps.
    step_size : float, Schedule or mapping
        A number, a schedule of ``pg.schedules``, or the table of a schedule. A warning is given if the largest step
        size exceeds the stability limit estimated at the start.
    initial : prior or array (particles, dim), optional
        Distribution of the start, or the start itself; the prior when left out (an error for a flat one).
    seed : int
        Same arguments and seed, same bytes: on any number of threads, in chunks of any size.
    integrator : str, function or mapping
        One of ``particlegvi.integrators.names()``, a function below `particlegvi.integrators.integrator`, or a mapping
        with its ``name`` and, for "baoab", its ``friction``.
    record_every : int, optional
        Steps between records; left out, at most 200 records; 0 keeps the start and the end only.
    tolerance : float
        Error allowed in the repulsion of each particle, in units of variance / lengthscale of the kernel.
    progress : bool, "auto" or callable, optional
        "auto" shows a bar after a second, in a notebook and on a terminal; True shows a bar at once, anywhere; None or
        False shows no bar. A function is called as ``progress(steps_done, steps)`` a few times a second; an object
        that is a `particlegvi.contracts.Stages` is also told of compiling before the first step.
    out : path, optional
        Folder in which the run is saved while it runs, for `particlegvi.load` and `resume`. Prior, method and kernel
        must have a name and follow from their parameters. A loss in functions of Python is handed in again when the run
        goes on: ``pg.resume(out, loss=loss)``.
    overwrite : bool
        Whether ``out`` may be the folder of an earlier run.
    checkpoint_every : float
        Seconds between checkpoints in ``out``.

    Raises
    ------
    Diverged
        If a step makes a particle non-finite. The error's ``run`` is the run up to the last record, also the ``run``
        of the ``KeyboardInterrupt`` after Ctrl-C; after either error ``particlegvi.last_interrupted()`` returns it.
    """
    parts.listening(progress)
    method = methods.get(method)() if isinstance(method, str) else method
    label = parts.method(method).label
    settings = Settings(particles, steps, step_size, integrator, tolerance, record_every, seed)
    with (
        remembered(),
        listening_to_steps(progress, label) as heard,
        compiling_told(heard),
    ):
        problem = check_problem(loss, method, prior, initial, settings)
        if out is not None:
            assert _keep is not None
            return _keep(problem, method, initial, record_every, (out, overwrite, checkpoint_every), heard)
        memory.check_records(problem.start.shape[0], problem.start.shape[1], steps, record_every)
        return follow(problem, method, record_every, heard, MemoryStorage())


# A folder is made in rooms above. The function comes from there, together with the name `particlegvi.simulate`.
_keep: Callable[..., Run] | None = None


def keeps(function: Callable[..., Run]) -> Callable[..., Run]:
    """Take over the function that simulates a checked problem in a folder."""
    global _keep
    _keep = function
    return function


def follow(
    problem: ParticleProblem,
    method: Method,
    record_every: int | None,
    progress: Callable[[int, int], None] | None,
    storage: Storage,
    store_end: bool = False,
) -> Run:
    """Simulate a checked problem from its start, or from its snapshot in ``storage``; see `simulate`.

    With ``store_end`` a snapshot of the end is stored as well: the caller has further work after this run.
    """
    limit = warn_when_unstable(problem, method)
    if isinstance(problem.loss, Advising):
        for sentence in problem.loss.advice(problem, method):
            warn(sentence)
    started = time.perf_counter()
    flow = parts.part(f"the flow of {method.label}", method.flow(problem), Flow, "a particlegvi.contracts.Flow")
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
    )
    snapshot = storage.start(len(due), problem.start.shape)
    if snapshot is None:
        storage.append(flow.particles())
    else:
        flow.restore(snapshot.state, snapshot.extra_state)
    step = 0 if snapshot is None else snapshot.step
    safe = min(limit, schedules.largest(problem.step_size, problem.steps))

    def taken(step: int) -> Snapshot:
        return Snapshot(step, flow.state.copy(), flow.extra_state(), flow.facts(), storage.count)

    def after(step: int, count: int) -> None:
        if flow.first_bad() >= 0:
            _explain(flow, problem, chunks.good, count, safe)
        if progress is not None:
            progress(step + count, problem.steps)

    chunks = Chunks(storage, taken(step))
    try:
        while storage.count < len(due):
            record = int(due[storage.count])
            chunks.advance(flow, step, record, taken, after)
            step = record
            storage.append(flow.particles())
        if store_end:
            chunks.good = taken(step)
            storage.save(chunks.good)
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
    return run


def _explain(flow: Flow, problem: ParticleProblem, good: Snapshot, count: int, safe: float) -> NoReturn:
    """Find the first bad step of a chunk by bisection (a flow repeats exactly), and raise an error with advice.

    Each trial restarts from ``good``, the snapshot before the chunk, with its counts, so that the result does not
    depend on the sizes of the chunks. ``safe`` is a step size that may be stable.
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
        f"step {step} of {problem.steps} made particle {particle} non-finite;"
        f" try a smaller step_size than {schedules.shown(problem.step_size)}, for example {safe / 5:.1g}",
        step,
        particle,
    )


def loss_kind(loss: Loss) -> str:
    """How the loss is evaluated, in words, for the result."""
    if isinstance(loss, Driven):
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
