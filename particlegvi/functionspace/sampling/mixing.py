"""Langevin steps that are accepted or refused, and moves between modes that a diffusion does not make.

The tempered posterior exp(-beta sum_n c(y_n, f_n)) N(z; 0, I) is stationary for every move, at every step size:

- exponential Euler steps with a Metropolis acceptance (six of eight steps, or five);
- random-walk steps as wide as the posterior, which jump over a thin barrier (one of eight);
- for a cost that is even in f: the flip z -> -z with probability 1/2, and reflections of one region of the data;
- for an even cost, if particles start in several modes: jumps between modes, see `mode_jumps` (one of eight).

A reflection changes the sign of the function in one region of the data and hardly changes it elsewhere: see `regions`.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.engine.steps.projected import log_ratios, move
from particlegvi.functionspace.sampling.data_cost import DataCost
from particlegvi.functionspace.sampling.mode_jumps import Jumps
from particlegvi.functionspace.sampling.regions import Region
from particlegvi.functionspace.sampling.schemes import exponential_euler, random_walk

CYCLE = 8
JUMP, WALK, REFLECTION = 5, 6, 7
KINDS = ("langevin", "random walk", "reflection", "jump")


class MixingFlow:
    """Moves particles; each particle is a separate Markov chain.

    Parameters
    ----------
    cost : DataCost
        The cost of the data, in coordinates with the prior N(0, I).
    stiffness : array (dim,)
        Approximate curvature of the data's cost along each coordinate; it shapes the proposals.
    step_size : float
        Step size in units of the relaxation time.
    state : array (particles, dim)
    regions : list of Region
        Regions of the reflections; empty if the cost is not even.
    beta : float
        Inverse temperature of the data.
    role : str
        Role of the random numbers: "noise" or, before the first step, "start".
    jumps : Jumps or None
        Jumps between the modes of an even cost.
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
        jumps: Jumps | None = None,
    ) -> None:
        self.cost = cost
        self.tamed = cost.likelihood.tamed()
        self.state = np.ascontiguousarray(state)
        self.seed = seed
        self.regions = regions
        self.beta = beta
        self.role = role
        self.jumps = jumps
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
                self._flip(step)
            if place == REFLECTION and self.regions:
                self._reflect(step)
            elif place == JUMP and self.jumps is not None:
                self._jump(step, self.jumps)
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

    def _jump(self, step: int, jumps: Jumps) -> None:
        proposed, ratio = jumps.jumped(self.state, self._coins(step, 1))
        forces, costs = self.cost.forces(proposed, self.tamed)
        self._choose(step, ratio, proposed, self.beta * forces, costs, kind="jump")

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

    def _flip(self, step: int) -> None:
        flipped = self._coins(step, 1) < 0.5
        self.state[flipped] *= -1.0
        self.forces[flipped] *= -1.0

    def acceptance(self, kind: str) -> float:
        """The share of accepted moves of a kind."""
        row = KINDS.index(kind)
        return float(self.accepted[row].sum() / max(1.0, self.tried[row].sum()))

    def extra_state(self) -> Facts:
        """Numbers of tried and accepted moves so far."""
        return {"tried": self.tried.tolist(), "accepted": self.accepted.tolist()}

    def restore(self, state: Array, extra_state: Facts) -> None:
        """Restore the flow from its ``state`` and `extra_state`."""
        self.state[...] = state
        self.tried[...] = extra_state["tried"]
        self.accepted[...] = extra_state["accepted"]

    def facts(self) -> Facts:
        """The share of accepted moves of each kind, and the regions whose reflections were always refused."""
        found: Facts = {f"accepted {kind}": self.acceptance(kind) for kind in KINDS[:2]}
        if self.regions:
            found["accepted reflection"] = self.acceptance("reflection")
            row = KINDS.index("reflection")
            refused = (self.tried[row] > 0) & (self.accepted[row] == 0.0)
            found["regions"] = len(self.regions)
            found["regions never reflected"] = int(np.sum(refused))
        if self.jumps is not None:
            found["modes"] = len(self.jumps.centres)
            found["accepted jump"] = self.acceptance("jump")
        return found
