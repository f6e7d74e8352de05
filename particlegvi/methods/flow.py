"""The problem that a method is given, and the flows that methods are made of.

A method of interacting particles without noise of its own needs no more than a drift for a `DriftFlow`: see `svgd` and
`mmd_flow`, which are one small file each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Array, Facts, Flow, Loss, Prior
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.integrators import Integrator
from particlegvi.integrators.driving import PythonDriver
from particlegvi.integrators.schedules import Schedule
from particlegvi.integrators.schemes import CoefficientSource
from particlegvi.tools import arguments

Drift = Callable[[np.ndarray, int], np.ndarray]


@dataclass(frozen=True)
class ParticleProblem:
    """Everything a method needs to build its flow, already checked."""

    loss: Loss
    prior: Prior  # :class:`particlegvi.priors.Flat` where none was given
    start: Array  # (particles, dim)
    steps: int
    step_size: float | Schedule  # a schedule only for methods with ``schedules``, which ask ``step_size_at``
    seed: int
    integrator: str
    tolerance: float  # error allowed in the repulsion, in units of variance / lengthscale
    friction: float | None = None  # for integrators with velocities

    def step_size_at(self, step: int) -> float:
        """Size of the step of this number, from 0."""
        return float(self.step_size.at(np.array([step]))[0]) if isinstance(self.step_size, Schedule) else self.step_size


def potential_slope(gradient: Callable[[Array], Array], prior: Prior, kl_weight: float) -> Callable[[Array], Array]:
    """The gradient of V = loss - kl_weight log p at points (n, dim), from that of the loss; finite or not."""

    def slope(x: Array) -> Array:
        with np.errstate(all="ignore"):
            total = np.asarray(gradient(x), dtype=np.float64)
            return total - kl_weight * prior.gradient(x) if kl_weight > 0.0 else total

    return slope


class ParticleFlow:
    """Base class of the flows of particles.

    A subclass has ``advance`` and ``facts`` (`particlegvi.contracts.Flow`), and its own ``particles`` where the state
    is not the particles themselves.

    Attributes
    ----------
    state : ndarray
        One C-contiguous float64 array: all that the next steps depend on besides the step number. Advancing by a + b
        steps equals advancing by a, then by b, bit for bit.
    counts : dict
        Number of steps by each algorithm, where a flow can choose; for the facts alone.
    """

    def __init__(self, state: Array, counts: dict[str, int] | None = None) -> None:
        self.state = state
        self.counts = {} if counts is None else counts

    def extra_state(self) -> Facts:
        return dict(self.counts)

    def restore(self, state: Array, extra_state: Facts) -> None:
        self.state[...] = state
        self.counts.clear()
        self.counts.update(extra_state)

    def particles(self) -> Array:
        return self.state

    def first_bad(self) -> int:
        good = np.isfinite(self.particles())
        return -1 if good.all() else int(np.flatnonzero(~good.all(axis=1))[0])


def check_explicit(label: str, integrator: str) -> None:
    """Refuse an integrator for a drift without noise and without a linear part."""
    rules = {
        "has no noise": lambda scheme: scheme.noise != "needed",
        "has no linear part to solve": lambda scheme: not scheme.linear_part,
    }
    integrators.check_fits(integrator, label, rules)


class Steps(Protocol):
    """A driver that takes steps of a state, in place."""

    def advance(self, state: Array, first_step: int, steps: int, /) -> None: ...


class SteppedFlow(ParticleFlow):
    """A flow by the steps of an integrator: its state is the particles, and behind them what the integrator keeps."""

    def __init__(
        self, problem: ParticleProblem, integrator: Integrator, steps: Steps, counts: dict[str, int] | None = None
    ) -> None:
        particles, self._dim = problem.start.shape
        super().__init__(np.zeros((particles, self._dim + integrator.columns(self._dim))), counts)
        self.state[:, : self._dim] = problem.start
        self._steps = steps

    def advance(self, first_step: int, steps: int) -> None:
        self._steps.advance(self.state, first_step, steps)

    def particles(self) -> Array:
        return np.ascontiguousarray(self.state[:, : self._dim])


class DriftFlow(SteppedFlow):
    """Steps of an integrator along a drift without noise, all particles at once: explicit Euler, Heun, Adam.

    A problem that asks for an integrator with noise is refused.

    Parameters
    ----------
    problem : ParticleProblem
    label : str
        The method's name, for errors.
    drift : callable
        ``drift(positions, step)`` is the drift (particles, dim) at the particles (particles, dim), which it must not
        change, in the step of this number. It may depend on these two and on constants of the run, so that steps can
        be grouped in any way.
    facts : mapping
        Further facts for the result.
    """

    def __init__(self, problem: ParticleProblem, label: str, drift: Drift, facts: Mapping[str, Any]) -> None:
        check_explicit(label, problem.integrator)
        integrator = integrators.get(problem.integrator)
        self._drift, self._what = drift, f"the drift of {label}"
        self._allowed = f"an array of numbers of the shape {problem.start.shape}, as the particles are"
        coefficients_at = CoefficientSource(integrator, problem.step_size, 0.0, np.zeros(problem.start.shape[1]))
        steps = PythonDriver(integrator, coefficients_at, problem.prior, self._checked, None, (0.0, problem.seed))
        super().__init__(problem, integrator, steps)
        self._facts = {"integrator": problem.integrator if integrator.step else "explicit Euler", **facts}

    def _checked(self, x: Array, step: int) -> Array:
        drift = arguments.array(self._what, self._drift(x, step), self._allowed)
        if drift.shape != x.shape:
            raise arguments.shaped(self._what, drift, self._allowed)
        return drift

    def facts(self) -> dict[str, Any]:
        return dict(self._facts)


class Jumping:
    """The steps of another flow, and jumps after every ``every``-th step, counted from the start of the run.

    The state is that of ``flow`` and begins with the coordinates of the particles. Advancing by a + b steps equals
    advancing by a, then by b, bit for bit.
    """

    def __init__(self, flow: Flow, jumps: EnsembleJumps, every: int) -> None:
        self._flow, self._jumps, self._every = flow, jumps, every

    @property
    def state(self) -> Array:
        return self._flow.state

    def advance(self, first_step: int, steps: int) -> None:
        step, end = first_step, first_step + steps
        while step < end:
            count = min(end - step, self._every - step % self._every)
            self._flow.advance(step, count)
            step += count
            if step % self._every == 0:
                x = self.particles()  # the state itself if it holds only the particles
                self._jumps.jump(x, step // self._every - 1)
                if not np.may_share_memory(x, self.state):
                    self.state[:, : x.shape[1]] = x

    def extra_state(self) -> Facts:
        return {**self._flow.extra_state(), **self._jumps.extra_state()}

    def restore(self, state: Array, extra_state: Facts) -> None:
        of_flow = dict(extra_state)
        self._jumps.restore(of_flow)
        self._flow.restore(state, of_flow)

    def particles(self) -> Array:
        return self._flow.particles()

    def first_bad(self) -> int:
        return self._flow.first_bad()

    def facts(self) -> Facts:
        return {**self._flow.facts(), self._jumps.name: {"every": self._every, **self._jumps.facts()}}
