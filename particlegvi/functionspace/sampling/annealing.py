"""A start in all modes: particles from the prior, cooled to the posterior by sequential Monte Carlo.

The data's inverse temperature grows from 0 to 1. Each step of the temperature keeps half of the effective sample size
(Del Moral, Doucet and Jasra 2006); then the particles are resampled and moved.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.sampling.data_cost import DataCost
from particlegvi.functionspace.sampling.mixing import CYCLE, MixingFlow
from particlegvi.functionspace.sampling.regions import Region
from particlegvi.simulation.journal import Journal

PART = "annealing"  # name of this part of a fit
KNOWN = ("step", "step_size", "beta", "levels", "cycles")  # stored with the particles in a snapshot
POOL = 256  # least number of particles if there may be several modes: fewer cannot estimate the modes' weights
RELAXED = 2.0  # relaxation times at each temperature, in at most MOST_CYCLES cycles
MOST_CYCLES = 3
FINAL_CYCLES = 16
KEPT = 0.5  # share of the effective sample size that remains at the next temperature
STEP_SIZES = (1e-3, 2.0)


def anneal(
    cost: DataCost, stiffness: Array, particles: int, seed: int, regions: list[Region], journal: Journal
) -> tuple[Array, float, Facts, int]:
    """Draw particles from the posterior.

    Returns
    -------
    particles : array (particles, dim)
    step_size : float
        Step size for moves in the posterior.
    facts : dict
        Number of temperatures and size of the pool.
    steps : int
        Number of steps taken.
    """
    pool = particles if cost.likelihood.convex else max(particles, POOL)
    dim = len(stiffness)
    state = noise.normals(seed, "start", pool, dim)
    costs = np.zeros(pool)
    found = journal.interrupted(PART)
    if found is None:
        step, step_size, beta, levels, cycles = CYCLE, 0.5, 0.0, 0, 0
        costs = cost.costs(state)
    else:
        step, step_size, beta, levels, cycles = (found[name] for name in KNOWN)
    while beta < 1.0 or cycles > 0:
        if cycles == 0:
            following = next_beta(costs, beta)
            uniform = noise.uniforms(seed, "start", 1, 1, step, first=dim + 2)
            state = state[resampled(-(following - beta) * costs, uniform)]
            beta = following
            cycles = min(MOST_CYCLES, math.ceil(RELAXED / (CYCLE * step_size))) if beta < 1.0 else FINAL_CYCLES
            levels += 1
        flow = MixingFlow(cost, stiffness, step_size, state, seed, regions, beta=beta, role="start")
        journal.take_up(PART, flow)
        end = step - step % CYCLE + CYCLE
        known = dict(zip(KNOWN, (step, step_size, beta, levels, cycles), strict=True))
        journal.advance(PART, flow, step, end, before=-CYCLE, known=known)
        state, costs, step = flow.state, flow.costs, end
        step_size = adapted(step_size, flow.acceptance("langevin"))
        cycles -= 1
    chosen = np.arange(particles) * pool // particles
    return state[chosen], step_size, {"temperatures": levels, "pool": pool}, step - CYCLE


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
