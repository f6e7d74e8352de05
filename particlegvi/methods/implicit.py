"""The implicit step of Jordan, Kinderlehrer and Otto on the line, by quantiles (thesis 5.2 and 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.contracts import Array, Facts, Flow, Kernel
from particlegvi.methods.flow import ParticleFlow, ParticleProblem
from particlegvi.methods.free_energy import Choice, FreeEnergy
from particlegvi.methods.method import Method
from particlegvi.methods.repulsion import interaction_velocity
from particlegvi.tools.calls import explains_bad_calls, shares_parameters
from particlegvi.tools.objects import has_walls

MOST_ITERATIONS = 300
SETTLED = 1e-11  # largest correction of a particle, relative to the largest particle
WIDTH = 1e-5  # of the differences for the curvature, relative to the same
NEAREST = 0.8  # largest part of a gap that an iteration closes


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class JKO(FreeEnergy):
    """Minimising movements: ``Q_{k+1} = argmin L(Q) + W2(Q, Q_k)^2 / (2 step_size)`` on the line.

    L is the objective of DRLE (of DLE if mmd_weight is 0, of DE if both are). The particles in their order are
    quantiles at the levels (i - 1/2)/N, W2^2 is the mean of their squared displacements, and the entropy is that of
    mass 1/N spread evenly over each gap. There is no noise. Each step is found by Newton iterations, and is stable at
    any step size.

    Parameters
    ----------
    kl_weight : float
        Weight of KL, 0 or more.
    mmd_weight : float
        Weight of MMD^2, 0 or more.

    Sources: Jordan, Kinderlehrer and Otto (1998); thesis, (5.2) and (5.4).
    """

    name: ClassVar[str] = "JKO"
    label: ClassVar[str] = "JKO"

    def __init__(
        self,
        kl_weight: float = 1.0,
        mmd_weight: float = 0.0,
        kernel: Kernel | None = None,
        embedding: Choice = "auto",
    ) -> None:
        super().__init__(kl_weight, mmd_weight, kernel, embedding)

    @property
    def has_noise(self) -> bool:
        """No: the particles are quantiles."""
        return False

    @property
    def follows_loss(self) -> bool:  # type: ignore[override]
        """No: the curvature of the loss does not limit the step size."""
        return False

    def check_integrator(self, name: str) -> None:
        Method.check_integrator(self, name)

    def flow(self, problem: ParticleProblem) -> Flow:
        return ImplicitFlow(self, problem)


class ImplicitFlow(ParticleFlow):
    """The state is the particles, in the order in which they started."""

    def __init__(self, method: JKO, problem: ParticleProblem) -> None:
        if problem.start.shape[1] != 1:
            raise ValueError(f"{method.label} needs a loss on the line, not one with dim {problem.start.shape[1]}")
        if has_walls(problem.prior.low, problem.prior.high):
            raise ValueError(f"prior must be one without walls for {method.label}, not {problem.prior!r}")
        self._order = np.argsort(problem.start[:, 0], kind="stable")
        if method.kl_weight and not np.all(np.diff(problem.start[self._order, 0]) > 0.0):
            raise ValueError(f"initial must be distinct points for {method.label} with kl_weight, not equal ones")
        super().__init__(problem.start.copy())
        self._method, self._problem = method, problem
        self._interaction = interaction_velocity(method, problem, problem.start)
        self.counts["iterations"] = 0

    def advance(self, first_step: int, steps: int) -> None:
        for step in range(first_step, first_step + steps):
            self.state[self._order, 0] = self._step(self.state[self._order, 0], step)

    def facts(self) -> Facts:
        return {"integrator": "implicit", **self.counts}

    def _slope(self, x: Array, step: int) -> Array:
        """dV/dx, and the force between particles, at sorted places (n,)."""
        at, problem = np.ascontiguousarray(x[:, None]), self._problem
        slope = problem.loss.gradient_at(at, step, problem.seed) - self._method.kl_weight * problem.prior.gradient(at)
        return np.asarray((slope - self._interaction(at))[:, 0])

    def _step(self, before: Array, step: int) -> Array:
        """The minimiser of N L(x) + sum (x - before)^2 / (2 step_size) over sorted places (n,)."""
        from scipy.linalg import solveh_banded

        weight, step_size, x = self._method.kl_weight, self._problem.step_size_at(step), before.copy()
        scale = 1.0 + float(np.abs(before).max())
        for _ in range(MOST_ITERATIONS):
            h = WIDTH * scale
            curvature = (self._slope(x + h, step) - self._slope(x - h, step)) / (2.0 * h)
            bands = np.zeros((2, len(x)))
            bands[1] = np.maximum(curvature + 1.0 / step_size, 0.1 / step_size)
            residual = self._slope(x, step) + (x - before) / step_size
            gaps = np.diff(x)
            if weight:
                residual[:-1] += weight / gaps
                residual[1:] -= weight / gaps
                bands[0, 1:] = -weight / gaps**2
                bands[1, :-1] += weight / gaps**2
                bands[1, 1:] += weight / gaps**2
            change = -solveh_banded(bands, residual)
            closing = float(np.max(-np.diff(change) / gaps, initial=0.0)) if weight else 0.0
            x = x + change * min(1.0, NEAREST / closing if closing > 0.0 else 1.0)
            self.counts["iterations"] += 1
            if np.abs(change).max() <= SETTLED * scale:
                return x
        raise ValueError(f"step_size must be smaller for {self._method.label}, not {step_size:g}: no step was found")
