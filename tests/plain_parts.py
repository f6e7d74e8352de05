"""The least that a part must be: one plain numpy implementation of each of the main Protocols of the contracts.

Tests take them where it does not matter which loss or method there is. mypy checks at the end of this file that each is
what its Protocol asks for, and `test_plain_parts` that the package asks for no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Flow, Kernel, Loss, Method, Objective, Prior, Target
from particlegvi.methods.flow import ParticleProblem
from particlegvi.plotting.protocols import HasAtoms, Results
from particlegvi.simulation.run import Run


@dataclass
class PlainLoss:
    """A loss of two functions of points (n, dim): its value (n,) and its gradient (n, dim)."""

    function: Callable[[Array], Array]
    derivative: Callable[[Array], Array]
    dim: int
    name: str
    term: None = None

    def value(self, x: ArrayLike) -> Array:
        return self.function(np.asarray(x, dtype=float).reshape(-1, self.dim))

    def gradient(self, x: ArrayLike) -> Array:
        return self.derivative(np.asarray(x, dtype=float).reshape(-1, self.dim))

    def gradient_at(self, points: Array, step: int, seed: int) -> Array:
        return self.gradient(points)


class PlainTerm(NamedTuple):
    """precision |x|^2 / 2, as compiled code calls it."""

    precision: float

    def value(self, x: Array) -> float:
        total = 0.0
        for i in range(x.size):
            total += x[i] * x[i]
        return 0.5 * self.precision * total

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.size):
            out[i] = self.precision * x[i]


@dataclass
class PlainPrior:
    """A prior named "standard-normal", or with any other name one that is constant between ``low`` and ``high``."""

    name: str
    dim: int = 1
    low: Array = field(default_factory=lambda: np.array([-np.inf]))
    high: Array = field(default_factory=lambda: np.array([np.inf]))

    def log_density(self, x: ArrayLike) -> Array:
        points = np.asarray(x, dtype=float).reshape(-1, self.dim)
        if self.name == "standard-normal":
            return -0.5 * np.sum(points**2, axis=1) - 0.5 * self.dim * math.log(2 * math.pi)
        return np.zeros(len(points))

    def gradient(self, x: ArrayLike) -> Array:
        points = np.asarray(x, dtype=float).reshape(-1, self.dim)
        return -points if self.name == "standard-normal" else np.zeros_like(points)

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        random = np.random.default_rng([seed, *role.encode()])
        shape = (particles, self.dim)
        if self.name == "standard-normal":
            return random.standard_normal(shape)
        return random.uniform(self.low, self.high, shape)

    def term(self) -> PlainTerm:
        return PlainTerm(1.0 if self.name == "standard-normal" else 0.0)


@dataclass
class PlainMethod:
    """Euler-Maruyama on the loss, with the attraction of the prior and a repulsion of kernel exp(-r^2 / 2)."""

    label: str
    kl_weight: float = 0.0
    mmd_weight: float = 0.0
    kernel: Kernel | None = None
    objective: Objective = "measures"
    has_noise: bool = False
    schedules: bool = False
    follows_loss: bool = True

    def check_integrator(self, name: str) -> None:
        return None

    def with_kernel(self, kernel: Kernel) -> PlainMethod:
        return replace(self, kernel=kernel)

    def flow(self, problem: ParticleProblem) -> PlainFlow:
        return PlainFlow(self, problem, problem.start.copy())


@dataclass
class PlainFlow:
    """The flow of a `PlainMethod`; its noise depends on the seed and the number of the step alone."""

    method: PlainMethod
    problem: ParticleProblem
    state: Array

    def advance(self, first_step: int, steps: int) -> None:
        loss, prior, seed = self.problem.loss, self.problem.prior, self.problem.seed
        kl_weight, mmd_weight = self.method.kl_weight, self.method.mmd_weight
        for step in range(first_step, first_step + steps):
            h, places = self.problem.step_size_at(step), self.state
            drift = loss.gradient_at(places, step, seed) - kl_weight * prior.gradient(places)
            if mmd_weight:
                gaps = places[:, None, :] - places[None, :, :]
                kappa = np.exp(-0.5 * np.sum(gaps**2, axis=2))
                drift = drift - 2 * mmd_weight * np.mean(gaps * kappa[:, :, None], axis=1)
            noise = np.random.default_rng([seed, step]).standard_normal(places.shape)
            places = places - h * drift + math.sqrt(2 * h * kl_weight) * noise
            self.state[...] = np.clip(places, prior.low, prior.high)

    def extra_state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Array, extra_state: dict[str, Any]) -> None:
        self.state[...] = state

    def particles(self) -> Array:
        return self.state

    def first_bad(self) -> int:
        bad = np.flatnonzero(~np.isfinite(self.state).all(axis=1))
        return int(bad[0]) if bad.size else -1

    def facts(self) -> dict[str, Any]:
        return {}


@dataclass
class PlainAtoms:
    """A target on points (n, dim) with weights (n,)."""

    atoms: Array
    weights: Array
    kind: Literal["atoms"] = "atoms"

    @property
    def dim(self) -> int:
        return int(self.atoms.shape[1])

    def sample(self, number: int, seed: int = 0) -> Array:
        return self.atoms[np.random.default_rng(seed).choice(len(self.atoms), number, p=self.weights)]


class PlainResults(Mapping[str, Run]):
    """Runs by label, with the scenario, the summary and the targets that figures read."""

    def __init__(
        self, runs: list[Run], scenario: dict[str, Any], summary: dict[str, Any], targets: dict[str, Target | None]
    ) -> None:
        self.runs = {run.label: run for run in runs}
        self.scenario, self.summary, self.targets, self.folder = scenario, summary, targets, None

    def __getitem__(self, label: str) -> Run:
        return self.runs[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)


if TYPE_CHECKING:

    def parts(loss: PlainLoss, prior: PlainPrior, method: PlainMethod) -> tuple[Loss, Prior, Method]:
        return loss, prior, method

    def made(flow: PlainFlow, atoms: PlainAtoms, results: PlainResults) -> tuple[Flow, HasAtoms, Results]:
        return flow, atoms, results
