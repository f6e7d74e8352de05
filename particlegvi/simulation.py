"""The simulation loop: start, steps in chunks, records, and what to say when a step goes wrong."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from particlegvi import integrators
from particlegvi.engine import evaluate
from particlegvi.errors import Diverged
from particlegvi.methods.flow import Flow, Problem
from particlegvi.problem import check_problem
from particlegvi.recorder import Recorder
from particlegvi.runs import Run

CHUNK_SECONDS = 0.1  # Ctrl-C is not delivered inside compiled code
MOST_RECORDS = 200


def simulate(
    loss: Any,
    method: Any,
    prior: Any = None,
    particles: int | None = None,
    steps: int = 100_000,
    step_size: float = 1e-4,
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
        From :mod:`particlegvi.priors`; flat when left out. Particles that leave a Uniform's box are reflected.
    particles : int, optional
        Number of particles; 300, or as many as ``initial`` has points.
    steps, step_size : int, float
        The run's length is steps * step_size.
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
    problem = check_problem(
        loss, method, prior, particles, steps, step_size, initial, seed, integrator, tolerance, record_every
    )
    limit = _warn_when_unstable(problem, method)
    started = time.perf_counter()
    flow = method.flow(problem)
    due = record_steps(problem.steps, record_every)
    run = Run(
        label=method.label,
        loss=loss,
        prior=problem.prior,
        method=method,
        positions=problem.start[None],
        steps=due,
        step_size=problem.step_size,
        seed=seed,
    )
    recorder = Recorder(len(due), problem.start.shape)
    recorder.put(flow.particles())
    advance_to = _Chunks(flow, problem, min(limit, problem.step_size), progress)
    for record in range(1, len(due)):
        try:
            advance_to(int(due[record]))
        except (Diverged, KeyboardInterrupt) as error:
            run.positions, run.steps = recorder.positions(), due[:record]
            run.info = flow.facts() | {"stopped": str(error) or "interrupted"}
            error.run = run  # type: ignore[union-attr]
            raise
        recorder.put(flow.particles())
    run.positions = recorder.positions()
    run.info = flow.facts() | {"loss": loss_kind(loss), "tolerance": problem.tolerance}
    run.info["seconds"] = time.perf_counter() - started
    return run


class _Chunks:
    """Advances a flow in chunks short enough for Ctrl-C, and finds the step at which something broke."""

    def __init__(
        self, flow: Flow, problem: Problem, safe: float, progress: Callable[[int, int], None] | None
    ):
        self.flow = flow
        self.problem = problem
        self.safe = safe  # a step size that may be stable, for the remedy
        self.progress = progress
        self.step = 0
        self.size = 1

    def __call__(self, target: int) -> None:
        while self.step < target:
            count = min(self.size, target - self.step)
            before = self.flow.state.copy()
            begun = time.perf_counter()
            self.flow.advance(self.step, count)
            spent = time.perf_counter() - begun
            if self.flow.first_bad() >= 0:
                self._explain(before, count)
            self.step += count
            # grow at most eightfold: the first call includes compiling
            if count == self.size or spent > CHUNK_SECONDS:
                wanted = count * CHUNK_SECONDS / max(spent, 1e-7)
                self.size = max(1, int(min(wanted, 8.0 * self.size)))
            if self.progress is not None:
                self.progress(self.step, self.problem.steps)

    def _explain(self, before: np.ndarray, count: int) -> None:
        """Find the first bad step by bisection (a flow repeats itself exactly) and say what to do."""
        good, bad = 0, count
        while bad - good > 1:
            middle = (good + bad) // 2
            self.flow.state[...] = before
            self.flow.advance(self.step, middle)
            if self.flow.first_bad() >= 0:
                bad = middle
            else:
                good = middle
        self.flow.state[...] = before
        self.flow.advance(self.step, bad)
        particle = self.flow.first_bad()
        step = self.step + bad
        raise Diverged(
            f"step {step} of {self.problem.steps} made particle {particle} non-finite;"
            f" try a smaller step_size than {self.problem.step_size:g}, for example {self.safe / 5:.1g}",
            step,
            particle,
        )


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


def stability_limit(problem: Problem, kl_weight: float) -> float:
    """Largest stable step size at the start: 2 / (largest curvature of loss - kl_weight log p along a coordinate).

    The curvature is a difference of gradients at up to 100 initial particles, so this is an estimate: particles may
    meet steeper places later.
    """
    points = problem.start[:100]
    prior_term = problem.prior.term() if kl_weight > 0.0 else None

    def slope(x: np.ndarray) -> np.ndarray:
        total = np.asarray(problem.loss.gradient(x), dtype=np.float64)
        return total + kl_weight * evaluate.gradients(prior_term, x) if prior_term is not None else total

    steepest = 0.0
    width = 1e-4 * (1.0 + np.abs(points).max())
    for coordinate in range(min(points.shape[1], 10)):
        shift = np.zeros(points.shape[1])
        shift[coordinate] = width
        with np.errstate(all="ignore"):
            curvature = (slope(points + shift) - slope(points - shift))[:, coordinate] / (2.0 * width)
        steepest = max(steepest, float(np.nanmax(curvature, initial=0.0)))
    return 2.0 / steepest if steepest > 0.0 else math.inf


def _warn_when_unstable(problem: Problem, method: Any) -> float:
    """Warn where the step size is beyond the stability limit at the start; the limit."""
    if not getattr(method, "follows_loss", True):
        return math.inf
    kl_weight = getattr(method, "kl_weight", 0.0)
    if integrators.get(problem.integrator).linear_part and getattr(problem.prior, "name", "") == "normal":
        kl_weight = 0.0  # that part of the drift is solved exactly, at any step size
    limit = stability_limit(problem, kl_weight)
    if problem.step_size > limit:
        warnings.warn(
            f"step_size {problem.step_size:g} is beyond the stability limit of about {limit:.3g}"
            f" at the start of {method.label}; the run may diverge",
            stacklevel=3,
        )
    return limit
