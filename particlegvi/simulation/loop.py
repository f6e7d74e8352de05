"""The simulation loop: start, steps in chunks, records, and what to say when a step goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlegvi import schedules
from particlegvi.methods.flow import Flow, Problem
from particlegvi.simulation.problem import check_problem
from particlegvi.simulation.run import Run
from particlegvi.simulation.stability import warn_when_unstable
from particlegvi.simulation.storage import Keeper, Recorder, Snapshot
from particlegvi.tools import arguments, memory
from particlegvi.tools.errors import Diverged

CHUNK_SECONDS = 0.1  # Ctrl-C is not delivered inside compiled code
MOST_RECORDS = 200


def simulate(
    loss: Any,
    method: Any,
    prior: Any = None,
    particles: int | None = None,
    steps: int = 100_000,
    step_size: float | schedules.Schedule | Mapping[str, Any] = 1e-4,
    initial: Any = None,
    seed: int = 0,
    integrator: str = "euler-maruyama",
    record_every: int | None = None,
    tolerance: float = 1e-12,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Simulate one particle method.

    Parameters
    ----------
    loss : Loss
        From :mod:`particlegvi.losses` or :class:`particlegvi.Loss`.
    method : method
        From :mod:`particlegvi.methods`.
    prior : prior, optional
        From :mod:`particlegvi.priors`; flat when left out. Particles that leave a Uniform's box are reflected (with
        MALA they stay where they were).
    particles : int, optional
        Number of particles; 300, or as many as ``initial`` has points.
    steps : int
        Number of steps.
    step_size : float, Schedule or mapping
        A number, a schedule of :mod:`particlegvi.schedules`, or the table of one. A warning is given where the largest
        is beyond the stability limit that can be estimated at the start.
    initial : prior or array (particles, dim), optional
        Distribution of the start, or the start itself; the prior when left out (an error for a flat one).
    seed : int
        Same arguments and seed, same bytes: on any number of threads, in chunks of any size.
    integrator : str
        One of ``particlegvi.integrators.names()``.
    record_every : int, optional
        Steps between records; left out, at most 200 records; 0 keeps the start and the end only.
    tolerance : float
        Error allowed in the repulsion of each particle, in units of variance / lengthscale of the kernel.
    progress : callable, optional
        Called as ``progress(steps_done, steps)`` a few times a second.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        For a bad argument, in one sentence, before anything is simulated.
    Diverged
        When a step makes a particle non-finite; the error carries the run up to the last record as ``run``. So does the
        ``KeyboardInterrupt`` of Ctrl-C.
    """
    arguments.progress(progress)
    problem = check_problem(
        loss, method, prior, particles, steps, step_size, initial, seed, integrator, tolerance, record_every
    )
    memory.check_records(problem.start.shape[0], problem.start.shape[1], steps, record_every)
    return follow(problem, method, record_every, progress, Recorder())


def follow(
    problem: Problem,
    method: Any,
    record_every: int | None,
    progress: Callable[[int, int], None] | None,
    keeper: Keeper,
    store_end: bool = False,
) -> Run:
    """Simulate a checked problem from its start, or from the snapshot that ``keeper`` has of it; see `simulate`.

    With ``store_end`` the keeper gets a snapshot of the end, too, because there is more to come before all is done.
    """
    limit = warn_when_unstable(problem, method)
    started = time.perf_counter()
    flow = method.flow(problem)
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
    snapshot = keeper.begin(len(due), problem.start.shape)
    if snapshot is None:
        keeper.put(flow.particles())
    else:
        flow.state[...] = snapshot.state
        flow.counts.update(snapshot.counts)
    first_step = 0 if snapshot is None else snapshot.step
    safe = min(limit, schedules.largest(problem.step_size, problem.steps))
    advance = _Chunks(flow, problem, keeper, first_step, safe, progress)
    try:
        while keeper.count < len(due):
            advance.to(int(due[keeper.count]))
            keeper.put(flow.particles())
        if store_end:
            keeper.save(advance.take_snapshot())
    except (Diverged, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt):
            keeper.save(advance.good)
        run.positions = keeper.positions()
        run.steps = due[: len(run.positions)]
        run.info = flow.facts() | {"stopped": str(error) or "interrupted"}
        error.run = run  # type: ignore[union-attr]
        raise
    run.positions = keeper.positions()
    run.info = flow.facts() | {"loss": loss_kind(problem.loss), "tolerance": problem.tolerance}
    run.info["seconds"] = time.perf_counter() - started
    return run


class _Chunks:
    """Advances a flow in chunks short enough for Ctrl-C, and finds the step at which something broke.

    ``good`` is the snapshot to go on from: replaced whole between chunks, so that it is right whenever Ctrl-C comes.
    """

    def __init__(
        self,
        flow: Flow,
        problem: Problem,
        keeper: Keeper,
        first_step: int,
        safe: float,
        progress: Callable[[int, int], None] | None,
    ):
        self.flow = flow
        self.problem = problem
        self.keeper = keeper
        self.safe = safe  # a step size that may be stable, for the remedy
        self.progress = progress
        self.size = 1
        self.step = first_step
        self.take_snapshot()

    def to(self, target: int) -> None:
        while self.step < target:
            count = min(self.size, target - self.step)
            self.take_snapshot()
            if self.keeper.reached(self.step):
                self.keeper.save(self.good)
            begun = time.perf_counter()
            self.flow.advance(self.step, count)
            spent = time.perf_counter() - begun
            if self.flow.first_bad() >= 0:
                self._explain(count)
            self.step += count
            self.size = next_size(self.size, count, spent)
            if self.progress is not None:
                self.progress(self.step, self.problem.steps)

    def take_snapshot(self) -> Snapshot:
        flow = self.flow
        self.good = Snapshot(self.step, flow.state.copy(), dict(flow.counts), flow.facts(), self.keeper.count)
        return self.good

    def _go_back(self) -> None:
        """To the last snapshot, of which the counts are a part: a result must not tell how long the chunks were."""
        self.flow.state[...] = self.good.state
        self.flow.counts.clear()
        self.flow.counts.update(self.good.counts)

    def _explain(self, count: int) -> None:
        """Find the first bad step by bisection (a flow repeats itself exactly) and say what to do."""
        good, bad = 0, count
        while bad - good > 1:
            middle = (good + bad) // 2
            self._go_back()
            self.flow.advance(self.step, middle)
            if self.flow.first_bad() >= 0:
                bad = middle
            else:
                good = middle
        self._go_back()
        self.flow.advance(self.step, bad)
        particle = self.flow.first_bad()
        step = self.step + bad
        raise Diverged(
            f"step {step} of {self.problem.steps} made particle {particle} non-finite;"
            f" try a smaller step_size than {schedules.shown(self.problem.step_size)}, for example {self.safe / 5:.1g}",
            step,
            particle,
        )


def next_size(size: int, count: int, spent: float) -> int:
    """How many steps to take at once when ``count`` of the ``size`` that were to be took ``spent`` seconds."""
    if count < size and spent <= CHUNK_SECONDS:
        return size
    # grow at most eightfold: the first call includes compiling
    return max(1, int(min(count * CHUNK_SECONDS / max(spent, 1e-7), 8.0 * size)))


def loss_kind(loss: Any) -> str:
    """How the loss is evaluated, for the result."""
    if getattr(loss, "term", None) is None:
        return "numpy function, called from Python at every step (slower)"
    return "formula, by the compiled interpreter" if getattr(loss, "formula", None) else "compiled"


def record_steps(steps: int, record_every: int | None) -> np.ndarray:
    """Step numbers to record: the first, the last, and every ``record_every``-th (None: at most 200 in all)."""
    if record_every == 0:
        return np.unique(np.array([0, steps]))
    if record_every is None:
        record_every = 1
        while len(range(0, steps, record_every)) + 1 > MOST_RECORDS:
            record_every = max(record_every + 1, steps // (MOST_RECORDS - 1))
    return np.append(np.arange(0, steps, record_every), steps)
