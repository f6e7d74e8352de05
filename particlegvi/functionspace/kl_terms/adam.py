"""Adam on noisy gradients in the mean and in a root of the covariance, as source 004 does it.

Source: Kingma and Ba (2015), algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.kl_terms.convex import Diagonal, Packing, Triangular
from particlegvi.functionspace.kl_terms.problem import LinearProblem, Records, Settings, Solution
from particlegvi.schedules import Schedule

FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8
FAR = 1e100  # of weights that are N(0, 1) before the data: Adam has diverged
LAST = 10  # the states of the last tenth are averaged
Gradient: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]  # at mean and root L: in both


def in_values(problem: LinearProblem, rows: Callable[[], Array]) -> Gradient:
    """The gradient of KL(Q_A, P_A) - E log p(y | w), with a basis of the row space of another A at each call."""

    def gradient(mean: Array, L: Array) -> tuple[Array, Array]:
        U = rows()
        moved = U @ L
        in_entropy = U.T @ np.linalg.solve(moved @ moved.T, moved) if len(U) else 0.0
        in_mean = U.T @ (U @ mean) - problem.shift + problem.gram @ mean
        return in_mean, problem.gram @ L + U.T @ moved - in_entropy

    return gradient


def descend(problem: LinearProblem, gradient: Gradient, settings: Settings) -> Solution:
    """The state after so many steps from the prior N(0, I), records on the way, and the mean of the last tenth."""
    k, steps = problem.size, settings.steps
    pack: Packing = Diagonal(k) if settings.family == "factorised" else Triangular(k)
    sizes = np.full(steps, settings.step_size)
    if isinstance(settings.step_size, Schedule):
        sizes = settings.step_size.at(np.arange(steps))
    state = np.append(np.zeros(k), pack.vector(np.eye(k)))
    first, second, total = (np.zeros_like(state) for _ in range(3))
    averaged = max(steps // LAST, 1)
    kept: list[tuple[int, Array, Array]] = []
    for step in range(1, steps + 1):
        L = pack.matrix(state[k:])
        in_mean, in_root = gradient(state[:k], L)
        slope = np.append(in_mean, pack.gradient(L, in_root))
        first += (1.0 - FIRST) * (slope - first)
        second += (1.0 - SECOND) * (slope * slope - second)
        scale = np.sqrt(second / (1.0 - SECOND**step)) + SMALL
        state = state - sizes[step - 1] * (first / (1.0 - FIRST**step) / scale)
        if not (np.max(np.abs(state[:k])) < FAR and np.max(np.abs(state[k:])) < np.log(FAR)):
            told = "small enough for Adam to keep its states finite"
            raise ValueError(f"step_size must be {told}, not {sizes[step - 1]:g} at step {step}")
        if step > steps - averaged:
            total += state / averaged
        if settings.record_every and step % settings.record_every == 0:
            kept.append((step, *_law(state, k, pack)))
    facts: Facts = {"method": "Adam", "iterations": steps, "converged": None}
    records = None
    if settings.record_every:
        records = Records(
            np.array([step for step, _, _ in kept], dtype=np.int64),
            np.array([mean for _, mean, _ in kept]).reshape(-1, k),
            np.array([covariance for _, _, covariance in kept]).reshape(-1, k, k),
        )
    return Solution(*_law(state, k, pack), k, facts, records, _law(total, k, pack))


def _law(state: Array, k: int, pack: Packing) -> tuple[Array, Array]:
    L = pack.matrix(state[k:])
    return state[:k].copy(), L @ L.T
