"""Langevin steps that are accepted or refused, and moves between modes that a diffusion does not make.

The tempered posterior exp(-beta sum_n c(y_n, f_n)) N(z; 0, I) is stationary for every move, at every step size:

- exponential Euler steps with a Metropolis acceptance (six of eight steps);
- random-walk steps as wide as the posterior, which pass a thin barrier (one of eight);
- for a cost that is even in f: the flip z -> -z with probability 1/2, and reflections, which change the sign of the
  function in one region of the data and hardly change it elsewhere (one of eight).

`anneal` makes a start in all modes: particles from the prior, cooled to the posterior by sequential Monte Carlo. The
data's inverse temperature grows from 0 to 1. Each step of the temperature keeps half of the effective sample size (Del
Moral, Doucet and Jasra 2006); then the particles are resampled and moved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.engine.steps.projected import log_ratios, move
from particlegvi.functionspace.sampling.cost import DataCost
from particlegvi.functionspace.sampling.langevin import exponential_euler, random_walk
from particlegvi.functionspace.sampling.reflections import Region
from particlegvi.simulation.journal import Journal

CYCLE = 8
WALK, REFLECTION = 6, 7
KINDS = ("langevin", "random walk", "reflection")
PART = "annealing"  # name of this part of a fit
POOL = 256  # least number of particles if there may be several modes: fewer cannot estimate the modes' weights
RELAXED = 2.0  # relaxation times at each temperature, in at most MOST_CYCLES cycles
MOST_CYCLES = 3
FINAL_CYCLES = 16
KEPT = 0.5  # share of the effective sample size that remains at the next temperature
STEP_SIZES = (1e-3, 2.0)
MOST_LEVELS = 1000  # temperatures; a posterior needs tens of them


class MixingFlow:
    """Moves particles; each particle is a separate Markov chain.

    The coordinates have the prior N(0, I). ``stiffness`` (dim,) is an approximate curvature of the data's cost along
    each coordinate, which shapes the proposals; ``step_size`` is in units of the relaxation time; ``regions`` are those
    of the reflections. ``beta`` is the inverse temperature of the data, and ``role`` the role of the random numbers:
    "noise" or, before the first step, "start".
    """

    def __init__(
        self,
        cost: DataCost,
        stiffness: Array,
        step_size: float,
        state: Array,
        seed: int,
        regions: list[Region],
        *,
        beta: float = 1.0,
        role: str = "noise",
    ) -> None:
        self.cost = cost
        self.tamed = cost.likelihood.tamed()
        self.state = np.ascontiguousarray(state)
        self.seed = seed
        self.regions = regions
        self.beta = beta
        self.role = role
        reference = 1.0 + beta * stiffness
        self.langevin = exponential_euler(step_size, 1.0 / reference, reference, 1.0 - reference)
        self.walk = random_walk(2.4 / np.sqrt(state.shape[1]), reference)
        self.tried = np.zeros((len(KINDS), max(1, len(regions))))
        self.accepted = np.zeros_like(self.tried)  # mean acceptances, summed over the steps
        self._known: Array | None = None  # the state for which costs and forces were computed

    def advance(self, first_step: int, steps: int) -> None:
        """Take steps first_step, ..., first_step + steps - 1. The result does not depend on how steps are grouped."""
        if steps > 0 and not (self._known is not None and np.array_equal(self._known, self.state)):
            forces, self.costs = self.cost.forces(self.state, self.tamed)
            self.forces = self.beta * forces
        for step in range(first_step, first_step + steps):
            place = step % CYCLE
            if place == REFLECTION and self.cost.likelihood.even:
                flipped = self._coins(step, 1) < 0.5
                self.state[flipped] *= -1.0
                self.forces[flipped] *= -1.0
            if place == REFLECTION and self.regions:
                self._reflect(step)
            else:
                self._move(step, place == WALK)
        self._known = self.state.copy()

    def _coins(self, step: int, number: int) -> Array:
        return noise.uniforms(self.seed, self.role, len(self.state), 1, step, first=self.state.shape[1] + number)[:, 0]

    def _move(self, step: int, walk: bool) -> None:
        scheme = self.walk if walk else self.langevin
        key, role = noise.key_words(self.seed), noise.role_word(self.role)
        proposed = np.empty_like(self.state)
        move(self.state, self.forces, *scheme, key, role, step, proposed)
        forces, costs = self.cost.forces(proposed, self.tamed)
        forces = self.beta * forces
        ratio = np.empty(len(self.state))
        log_ratios(self.state, self.forces, proposed, forces, *scheme, ratio)
        self._choose(step, ratio, proposed, forces, costs, kind="random walk" if walk else "langevin")

    def _reflect(self, step: int) -> None:
        number = step // CYCLE % len(self.regions)
        proposed = self.regions[number].turned(self.state)
        forces, costs = self.cost.forces(proposed, self.tamed)
        none = np.zeros(len(self.state))
        self._choose(step, none, proposed, self.beta * forces, costs, kind="reflection", number=number)

    def _choose(
        self, step: int, ratio: Array, proposed: Array, forces: Array, costs: Array, *, kind: str, number: int = 0
    ) -> None:
        """Accept or refuse; ``ratio`` is log(density of the move back / density of the move)."""
        prior = 0.5 * (np.einsum("jm,jm->j", self.state, self.state) - np.einsum("jm,jm->j", proposed, proposed))
        with np.errstate(invalid="ignore"):
            chosen = np.log(self._coins(step, 0)) < ratio + prior + self.beta * (self.costs - costs)
        self.state[chosen] = proposed[chosen]
        self.forces[chosen] = forces[chosen]
        self.costs[chosen] = costs[chosen]
        row = KINDS.index(kind)
        self.tried[row, number] += 1.0
        self.accepted[row, number] += np.mean(chosen)

    def acceptance(self, kind: str) -> float:
        row = KINDS.index(kind)
        return float(self.accepted[row].sum() / max(1.0, self.tried[row].sum()))

    def extra_state(self) -> Facts:
        return {"tried": self.tried.tolist(), "accepted": self.accepted.tolist()}

    def restore(self, state: Array, extra_state: Facts) -> None:
        self.state[...] = state
        self.tried[...] = extra_state["tried"]
        self.accepted[...] = extra_state["accepted"]

    def facts(self) -> Facts:
        """The share of accepted moves of each kind, and the regions whose reflections were always refused."""
        facts: Facts = {f"accepted {kind}": self.acceptance(kind) for kind in KINDS[:2]}
        if self.regions:
            facts["accepted reflection"] = self.acceptance("reflection")
            row = KINDS.index("reflection")
            refused = (self.tried[row] > 0) & (self.accepted[row] == 0.0)
            facts["regions"] = len(self.regions)
            facts["regions never reflected"] = int(np.sum(refused))
        return facts


class Cooling(NamedTuple):
    """How far annealing has come; a snapshot keeps it beside the particles."""

    step: int = CYCLE
    step_size: float = 0.5
    beta: float = 0.0  # inverse temperature
    levels: int = 0  # temperatures so far
    cycles: int = 0  # cycles that are left at this temperature


def anneal(
    cost: DataCost, stiffness: Array, particles: int, seed: int, regions: list[Region], journal: Journal
) -> tuple[Array, float, Facts, int]:
    """Draw particles from the posterior.

    Returns the particles (particles, dim), the step size for moves in the posterior, facts (the number of temperatures
    and the size of the pool), and the number of steps taken.
    """
    pool = particles if cost.likelihood.convex else max(particles, POOL)
    dim = len(stiffness)
    state = noise.normals(seed, "start", pool, dim)
    costs = np.zeros(pool)
    stored = journal.interrupted(PART)
    at = Cooling() if stored is None else Cooling(**{name: stored[name] for name in Cooling._fields})
    if stored is None:
        costs = cost.costs(state)
    while at.beta < 1.0 or at.cycles > 0:
        if at.cycles == 0:
            state, at = _colder(state, costs, at, seed)
        flow = MixingFlow(cost, stiffness, at.step_size, state, seed, regions, beta=at.beta, role="start")
        journal.take_up(PART, flow)
        end = at.step - at.step % CYCLE + CYCLE
        journal.advance(PART, flow, at.step, end, before=-CYCLE, known=at._asdict())
        state, costs = flow.state, flow.costs
        at = Cooling(end, adapted(at.step_size, flow.acceptance("langevin")), at.beta, at.levels, at.cycles - 1)
    chosen = np.arange(particles) * pool // particles
    return state[chosen], at.step_size, {"temperatures": at.levels, "pool": pool}, at.step - CYCLE


def _colder(state: Array, costs: Array, at: Cooling, seed: int) -> tuple[Array, Cooling]:
    """The particles, resampled for the next temperature, and the cycles to take at it."""
    if at.levels == MOST_LEVELS or not np.isfinite(costs).all():
        raise ValueError(
            f"the likelihood must be one whose posterior can be normalised: after {at.levels} temperatures its"
            f" inverse temperature is {at.beta:.3g}, and the cost falls without end"
        )
    beta = next_beta(costs, at.beta)
    uniform = noise.uniforms(seed, "start", 1, 1, at.step, first=state.shape[1] + 2)
    kept = state[resampled(-(beta - at.beta) * costs, uniform)]
    cycles = min(MOST_CYCLES, math.ceil(RELAXED / (CYCLE * at.step_size))) if beta < 1.0 else FINAL_CYCLES
    return kept, at._replace(beta=beta, levels=at.levels + 1, cycles=cycles)


def adapted(step_size: float, acceptance: float) -> float:
    """Change the step size so that its acceptance moves towards 0.6 to 0.85, the best for adjusted Langevin steps."""
    if acceptance < 0.6:
        step_size /= 1.5
    elif acceptance > 0.85:
        step_size *= 1.25
    return float(np.clip(step_size, *STEP_SIZES))


def next_beta(costs: Array, beta: float) -> float:
    """The largest inverse temperature up to 1 that keeps the share `KEPT` of the effective sample size."""

    def left(following: float) -> float:
        logs = -(following - beta) * costs
        weights = np.exp(logs - logs.max())
        return float(weights.sum() ** 2 / (weights @ weights) / len(costs))

    if left(1.0) >= KEPT:
        return 1.0
    low, high = beta, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if left(middle) >= KEPT else (low, middle)
    return high  # not low, so that the temperature always falls


def resampled(logs: Array, uniform: Array) -> Array:
    """Indices drawn by systematic resampling with weights exp(logs)."""
    weights = np.exp(logs - logs.max())
    shares = np.cumsum(weights) / weights.sum()
    positions = (np.arange(len(logs)) + float(uniform[0, 0])) / len(logs)
    return np.minimum(np.searchsorted(shares, positions), len(logs) - 1)
