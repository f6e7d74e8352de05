"""Training without settings: the curvature gives the step size, and validation rows choose the number of steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from particlegvi.contracts import Array, Flow, Method, Prior
from particlegvi.integrators.schedules import Schedule
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.method import DEFAULT
from particlegvi.networks.loss import NetworkLoss
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.simulation.stability import steepest_direction
from particlegvi.tools.errors import Diverged

FIRST, MOST = 1000, 32_000  # numbers of steps before the first look, and at most
GAIN = 0.005  # nats that a doubling must gain, so that another one follows
LAST = 0.1  # size of the last step, in units of the first
SIZES = {"adam": 0.01}  # first steps of integrators whose steps do not follow the curvature
HALVINGS = 10  # halve the step size at most so often while particles diverge


@dataclass(frozen=True)
class Falling(Schedule):
    """h_k = initial until step ``start``, then a straight line to a tenth of it over ``over`` steps."""

    start: float
    over: float
    name: ClassVar[str] = "falling"

    def at(self, step: np.ndarray) -> np.ndarray:
        share = np.clip((step - self.start) / self.over, 0.0, 1.0)
        return self.initial * (1.0 - (1.0 - LAST) * share)


class Trained(NamedTuple):
    """Particles at the best look."""

    particles: Array  # (particles, dim)
    score: float  # of these particles; smaller is better
    steps: int  # all steps, including those of falling size
    step_size: float  # of the first step


def train(
    loss: NetworkLoss,
    method: Method,
    prior: Prior,
    score: Callable[[Array], float],
    *,
    particles: int,
    steps: int | None,
    step_size: float | None,
    seed: int,
    integrator: str = DEFAULT,
) -> Trained:
    """Train an ensemble from draws of the prior.

    After 1000, 2000, 4000, ... steps of constant size, a copy of the particles takes half as many further steps, while
    the step size falls to a tenth, and is scored. Doubling ends when it improves the score by less than 0.005, and at
    32,000 steps. A given ``steps`` is the total number; the step size falls in the last third. The score of an ensemble
    (particles, dim) is in nats, on rows that are not used for training.

    A step size of None is 1 / the largest curvature at the start, half of the stability limit, or `SIZES` has it for
    the integrator. It is halved while particles diverge. With a given step size, particles that become non-finite raise
    `Diverged`.
    """
    known = step_size is not None
    settings = Settings(particles, MOST, step_size or 1.0, integrator, seed=seed)
    problem = check_problem(loss, method, prior, None, settings)
    size = step_size if step_size is not None else _step_size(problem, method)
    for halving in range(HALVINGS + 1):
        try:
            return _train(problem, method, score, steps, size)
        except Diverged:
            if known or halving == HALVINGS:
                raise
            size *= 0.5
    raise AssertionError


def _step_size(problem: ParticleProblem, method: Method) -> float:
    if problem.integrator in SIZES:
        return SIZES[problem.integrator]
    steepest = steepest_direction(problem, method.kl_weight)
    return 1.0 / steepest if steepest > 0.0 and math.isfinite(1.0 / steepest) else 1.0


def _train(
    problem: ParticleProblem, method: Method, score: Callable[[Array], float], steps: int | None, size: float
) -> Trained:
    flow, done, best = method.flow(replace(problem, step_size=size)), 0, None
    looks = [max(1, 2 * steps // 3)] if steps is not None else [FIRST * 2**k for k in range(6) if FIRST * 2**k <= MOST]
    for look in looks:
        _advance(flow, done, look - done)
        done = look
        extra = look // 2 if steps is None else steps - look
        particles = flow.particles()
        if extra:
            particles = _fallen(problem, method, flow, Falling(size, look, extra), look, steps=extra)
        value = score(particles)
        before = best
        if best is None or value < best.score:
            best = Trained(particles.copy(), value, look + extra, size)
        if before is not None and not value < before.score - GAIN:
            break
    assert best is not None
    return best


def at_lengths(
    problem: ParticleProblem, method: Method, size: float, lengths: Sequence[int], constant: float
) -> list[Array | None]:
    """The particles after each of several trainings of increasing length; None for a training that diverged.

    They equal those of separate simulations, bit for bit; steps that the trainings share are taken once. The share
    ``constant`` of the steps has the step size ``size``, before it falls to a tenth.
    """
    flow, done = method.flow(replace(problem, step_size=size)), 0
    ends: list[Array | None] = []
    for steps in lengths:
        falling = Falling(size, constant * steps, max(1.0, (1.0 - constant) * steps))
        look = int(falling.start)
        try:
            _advance(flow, done, look - done)
            ends.append(_fallen(problem, method, flow, falling, look, steps=steps - look))
        except Diverged:
            ends.append(None)
        done = look
    return ends


def _fallen(problem: ParticleProblem, method: Method, flow: Flow, size: Falling, first: int, *, steps: int) -> Array:
    """The particles of a copy of the flow after steps of falling size."""
    falling = method.flow(replace(problem, step_size=size))
    falling.restore(flow.state.copy(), flow.extra_state())
    _advance(falling, first, steps)
    return falling.particles()


def _advance(flow: Flow, first: int, steps: int) -> None:
    flow.advance(first, steps)
    bad = flow.first_bad()
    if bad >= 0:
        advice = "step_size must be smaller, or left out to be found"
        raise Diverged(f"a network became non-finite within {first + steps} steps: {advice}", first + steps, bad)
