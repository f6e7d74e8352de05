"""The Metropolis step: a proposal by the plain scheme, accepted or rejected so that exp(-V / kl_weight) stays
stationary.

    y = x - gain * grad V(x) + noise_now * Z_k
    log A = (V(x) - V(y)) / kl_weight + |Z_k|^2 / 2 - |(x - y + gain * grad V(y)) / noise_now|^2 / 2

The uniform that decides has a role of its own in the counter-based noise. A ratio that is not a number is a rejection.

The loop over blocks and steps repeats `engine.steps.flow`, on purpose: each scheme is compiled by itself, so
that a new one costs the others neither time to compile nor speed.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from particlegvi.engine.numerics.compiled import EntryPoint, compiled, nested
from particlegvi.engine.numerics.mathematics import log_normal
from particlegvi.engine.numerics.noise import (
    ACCEPTANCE_ROLE,
    NOISE_ROLE,
    fill_normals,
    fill_uniforms,
    normals,
    uniforms,
)
from particlegvi.engine.steps.ensemble import Ensemble
from particlegvi.engine.steps.flow import WALLS, add_potential, load_block, store_block, width_of_blocks
from particlegvi.engine.terms import evaluate


@nested
def add_energy(loss, prior, kl_weight, x, energy, scratch):
    """energy = loss + kl_weight * (minus log prior) at the columns of x (dim, lanes)."""
    loss.values(x, energy)
    prior.values(x, scratch)
    for lane in range(x.shape[1]):
        energy[lane] += kl_weight * scratch[lane]


@compiled
def advance_metropolis(
    loss, prior, embedding, weights, switches, state, stepping, seed, first_step, steps, first, last
):
    """Move particles first, ..., last - 1 of ``state`` (particles, dim + 1) by ``steps`` steps, in place.

    The last column of the state is the share of a particle's proposals that was accepted, a running mean over all
    steps.
    """
    k0, k1 = seed
    gain, noise_now, _, low, high = stepping
    kl_weight, dim = weights[0], low.size
    width = width_of_blocks(first, last, dim)
    x = np.empty((dim, width))
    y = np.empty((dim, width))
    slope = np.empty((dim, width))
    slope_y = np.empty((dim, width))
    energy = np.empty(width)
    energy_y = np.empty(width)
    log_ratio = np.empty(width)
    chosen = np.empty(width)
    accepted = np.empty(width)
    scratch = np.empty((dim, width))
    even = np.empty((dim, width))
    odd = np.empty((dim, width))
    uniform_even = np.empty((1, width))
    uniform_odd = np.empty((1, width))
    for start in range(first, last, width):
        load_block(state, start, x)
        for lane in range(width):
            accepted[lane] = state[min(start + lane, last - 1), dim]
        add_potential(loss, prior, embedding, weights, switches, x, slope, scratch)
        add_energy(loss, prior, kl_weight, x, energy, scratch[0])
        for step in range(first_step, first_step + steps):
            row = min(step - first_step, gain.shape[0] - 1)
            if step == first_step or step % 2 == 0:
                pair = np.uint64(step // 2)
                fill_normals(start, even, odd, pair, NOISE_ROLE, k0, k1)
                fill_uniforms(start, uniform_even, uniform_odd, pair, ACCEPTANCE_ROLE, k0, k1)
            now = even if step % 2 == 0 else odd
            uniform = uniform_even if step % 2 == 0 else uniform_odd
            for i in range(dim):
                for lane in range(width):
                    y[i, lane] = x[i, lane] - (gain[row, i] * slope[i, lane] - noise_now[row, i] * now[i, lane])
            add_potential(loss, prior, embedding, weights, switches, y, slope_y, scratch)
            add_energy(loss, prior, kl_weight, y, energy_y, scratch[0])
            # one loop for each part, so that every one of them vectorises
            for lane in range(width):
                log_ratio[lane] = (energy[lane] - energy_y[lane]) / kl_weight
            for i in range(dim):
                for lane in range(width):
                    back = (x[i, lane] - y[i, lane] + gain[row, i] * slope_y[i, lane]) / noise_now[row, i]
                    log_ratio[lane] += 0.5 * (now[i, lane] * now[i, lane] - back * back)
            if switches[WALLS]:
                for i in range(dim):
                    for lane in range(width):
                        outside = y[i, lane] < low[i] or y[i, lane] > high[i]
                        log_ratio[lane] = -np.inf if outside else log_ratio[lane]
            for lane in range(width):
                take = log_normal(uniform[0, lane]) < log_ratio[lane]
                chosen[lane] = 1.0 if take else 0.0
                energy[lane] = energy_y[lane] if take else energy[lane]
                accepted[lane] += (chosen[lane] - accepted[lane]) / (step + 1.0)
            for i in range(dim):
                for lane in range(width):
                    take = chosen[lane] > 0.0
                    x[i, lane] = y[i, lane] if take else x[i, lane]
                    slope[i, lane] = slope_y[i, lane] if take else slope[i, lane]
        store_block(x, start, last, state)
        for lane in range(min(width, last - start)):
            state[start + lane, dim] = accepted[lane]


class MetropolisEnsemble(Ensemble):
    """Moves particles (particles, dim + 1), the share of accepted proposals in the last column, by Metropolis steps."""

    entry_point: ClassVar[EntryPoint] = advance_metropolis
    columns: ClassVar[int] = 1
    walled: ClassVar[bool] = True

    def _run(
        self, positions: np.ndarray, force: np.ndarray, stepping: tuple[np.ndarray, ...], first_step: int, steps: int
    ) -> None:
        self._split(self.switches, positions, (stepping,), first_step, steps, least=1024)

    def _forced_step(self, positions: np.ndarray, stepping: tuple[np.ndarray, ...], step: int) -> None:
        """One step with a loss in plain numpy."""
        gain, noise, _, low, high = stepping
        x, accepted = np.ascontiguousarray(positions[:, :-1]), positions[:, -1]
        z = normals(self.seed, "noise", len(x), x.shape[1], step)
        energy, slope = self._potential(x)
        with np.errstate(all="ignore"):
            y = x - (gain * slope - noise * z)
            energy_y, slope_y = self._potential(y)
            back = (x - y + gain * slope_y) / noise
            log_ratio = (energy - energy_y) / self.kl_weight + 0.5 * (z * z - back * back).sum(axis=1)
        accept = np.log(uniforms(self.seed, "acceptance", len(x), 1, step)[:, 0]) < log_ratio
        accept &= np.all((y >= low) & (y <= high), axis=1)
        positions[accept, :-1] = y[accept]
        accepted += (accept - accepted) / (step + 1.0)

    def _potential(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """V (particles,) and its gradient (particles, dim), never a minibatch's.

        The acceptance probability is exact only for the value and the gradient of one V.
        """
        assert self.outside is not None
        prior = self.terms[1]
        energy = self.outside.value(x) + self.kl_weight * evaluate.values(prior, x)
        return energy, self.outside.gradient(x) + self.kl_weight * evaluate.gradients(prior, x)

    def facts(self, state: np.ndarray) -> dict[str, Any]:
        """The share of proposals that was accepted, over all particles and steps."""
        return {"acceptance_rate": float(state[:, -1].mean())}
