"""A start in all modes: particles from the prior, cooled to the posterior by sequential Monte Carlo.

The data's inverse temperature grows from 0 to 1 in steps after which half of the effective sample size is left (Del
Moral, Doucet and Jasra 2006); after each the particles are resampled and moved.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from particlegvi.engine import noise
from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.data_cost import DataCost
from particlegvi.functionspace.mixing import CYCLE, MixingFlow
from particlegvi.functionspace.regions import Region

POOL = 256  # particles at least, where there may be several modes: fewer are too few to weigh them with
RELAXED = 2.0  # relaxation times at each temperature, in at most
MOST_CYCLES = 3
FINAL_CYCLES = 16
KEPT = 0.5  # part of the effective sample size left at the next temperature
STEP_SIZES = (1e-3, 2.0)


def anneal(
    cost: DataCost, stiffness: Array, particles: int, seed: int, regions: list[Region]
) -> tuple[Array, float, dict[str, Any]]:
    """Particles (particles, dim) in the posterior, a step size for moves there, and how it went."""
    pool = particles if cost.likelihood.convex else max(particles, POOL)
    dim = len(stiffness)
    state = noise.normals(seed, "start", pool, dim)
    costs = cost.costs(state)
    step_size, beta, step, levels = 0.5, 0.0, CYCLE, 0
    while beta < 1.0:
        following = next_beta(costs, beta)
        state = state[resampled(-(following - beta) * costs, noise.uniforms(seed, "start", 1, 1, step, first=dim + 2))]
        beta = following
        cycles = min(MOST_CYCLES, math.ceil(RELAXED / (CYCLE * step_size))) if beta < 1.0 else FINAL_CYCLES
        for _ in range(cycles):
            flow = MixingFlow(cost, stiffness, step_size, state, seed, regions, beta, "start")
            flow.advance(step, CYCLE)
            state, costs = flow.state, flow.costs
            step += CYCLE
            step_size = adapted(step_size, flow.acceptance("langevin"))
        levels += 1
    chosen = np.arange(particles) * pool // particles
    return state[chosen], step_size, {"temperatures": levels, "pool": pool}


def adapted(step_size: float, acceptance: float) -> float:
    """A step size whose acceptance is nearer to the 0.6 to 0.85 where Metropolis-adjusted Langevin steps do best."""
    if acceptance < 0.6:
        step_size /= 1.5
    elif acceptance > 0.85:
        step_size *= 1.25
    return float(np.clip(step_size, *STEP_SIZES))


def next_beta(costs: Array, beta: float) -> float:
    """The largest inverse temperature up to 1 that keeps the stated part of the effective sample size."""

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
    return high  # above low, so that the temperature always falls


def resampled(logs: Array, uniform: Array) -> Array:
    """Indices drawn by systematic resampling with weights exp(logs)."""
    weights = np.exp(logs - logs.max())
    shares = np.cumsum(weights) / weights.sum()
    positions = (np.arange(len(logs)) + float(uniform[0, 0])) / len(logs)
    return np.minimum(np.searchsorted(shares, positions), len(logs) - 1)
