"""Implementations that a user would write instead: the loop in numpy, in naive numba, in JAX and in PyTorch."""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from particlegvi.engine.numerics import threads

# grad of the tilted double well (thesis C.7.1), prior N(0, 1), lengthscale 1: the problem of Figure 5.2
Step = Callable[[], object]
Loop = Callable[..., object]  # compiled by numba
Traced = Any  # an array of JAX
LIBRARIES = {"jax": "JAX", "torch": "PyTorch", "blackjax": "BlackJAX"}
TASKS = "/proc/self/task"


def installed(name: str) -> bool:
    """Whether a library can be imported."""
    return importlib.util.find_spec(name) is not None


def absent() -> str:
    """A sentence about the libraries that are not installed here; empty where all are."""
    names = [title for name, title in LIBRARIES.items() if not installed(name)]
    return f"rows left out, because they cannot be imported here: {', '.join(names)}" if names else ""


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread of the engine and of BLAS, and where the system can do that one processor for the whole process.

    JAX has no other way to be told once it runs.
    """
    counted = threads.count
    threads.count = lambda: 1  # type: ignore[assignment]
    before = os.sched_getaffinity(0) if sys.platform == "linux" else set()
    try:
        _allow({min(before)} if before else before)
        with threads.one_blas_thread():
            yield
    finally:
        _allow(before)
        threads.count = counted


def _allow(processors: set[int]) -> None:
    """Let all threads of this process run on these processors alone; an empty set changes nothing."""
    if sys.platform == "linux" and processors:
        for task in os.listdir(TASKS):
            with suppress(ProcessLookupError):  # it has ended
                os.sched_setaffinity(int(task), processors)


def numpy_loop(start: np.ndarray, steps: int, step_size: float, kl_weight: float, lambda1: float) -> np.ndarray:
    """The update as in a notebook: all pairs at once, one numpy Generator."""
    random = np.random.default_rng(0)
    x = start.copy()
    noise = math.sqrt(2.0 * step_size * kl_weight)
    for _ in range(steps):
        drift = 1.5 * (x**3 + x**2 - 2.0 * x)
        if kl_weight > 0.0:
            drift = drift + kl_weight * x
        if lambda1 > 0.0:
            difference = x[:, None] - x[None, :]
            drift = drift - lambda1 * (difference * np.exp(-0.5 * difference**2)).mean(axis=1)
            drift = drift + lambda1 * 0.5 * x * math.sqrt(0.5) * np.exp(-0.25 * x**2)
        x = x - step_size * drift
        if kl_weight > 0.0:
            x = x + noise * random.standard_normal(x.shape)
    return x


def naive_numba() -> tuple[Loop, Loop]:
    """A double loop over pairs, and a loop over steps and particles, both without optimisation."""
    import numba

    @numba.njit(fastmath=True)
    def pairs(x: np.ndarray, out: np.ndarray) -> np.ndarray:
        for i in range(x.size):
            total = 0.0
            for j in range(x.size):
                difference = x[i] - x[j]
                total -= difference * np.exp(-0.5 * difference * difference)
            out[i] = total / x.size
        return out

    @numba.njit(fastmath=True)
    def langevin(x: np.ndarray, steps: int, step_size: float, kl_weight: float) -> np.ndarray:
        noise = math.sqrt(2.0 * step_size * kl_weight)
        for _ in range(steps):
            for i in range(x.size):
                y = x[i]
                drift = 1.5 * (y**3 + y**2 - 2.0 * y) + kl_weight * y
                x[i] = y - step_size * drift + noise * np.random.normal()
        return x

    return pairs, langevin


def jax_scan(start: np.ndarray, steps: int, step_size: float, kl_weight: float, lambda1: float) -> Step:
    """The whole loop as one jitted ``lax.scan`` in float64."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    noise = math.sqrt(2.0 * step_size * kl_weight)

    def step(carry: tuple[Traced, Traced], _: None) -> tuple[tuple[Traced, Traced], None]:
        x, key = carry
        key, use = jax.random.split(key)
        drift = 1.5 * (x**3 + x**2 - 2.0 * x) + kl_weight * x
        if lambda1 > 0.0:
            difference = x[:, None] - x[None, :]
            drift = drift - lambda1 * (difference * jnp.exp(-0.5 * difference**2)).mean(axis=1)
            drift = drift + lambda1 * 0.5 * x * math.sqrt(0.5) * jnp.exp(-0.25 * x**2)
        x = x - step_size * drift
        if kl_weight > 0.0:
            x = x + noise * jax.random.normal(use, x.shape)
        return (x, key), None

    @jax.jit
    def run(x: Traced, key: Traced) -> Traced:
        return jax.lax.scan(step, (x, key), None, length=steps)[0][0]

    x, key = jnp.asarray(start), jax.random.PRNGKey(0)
    return lambda: run(x, key).block_until_ready()


def jax_pairs(x: np.ndarray) -> Step:
    """The sum over pairs as one jitted expression, blocked over targets so that it fits into memory."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    points = jnp.asarray(x)

    @jax.jit
    def run(points: Traced) -> Traced:
        def one(target: Traced) -> Traced:
            difference = target - points
            return -(difference * jnp.exp(-0.5 * difference**2)).mean()

        return jax.lax.map(one, points, batch_size=64)

    return lambda: run(points).block_until_ready()


def torch_loop(start: np.ndarray, steps: int, step_size: float, kl_weight: float, lambda1: float) -> Step:
    """The loop in PyTorch, float64, all pairs at once."""
    import torch

    x0 = torch.as_tensor(start)
    noise = math.sqrt(2.0 * step_size * kl_weight)

    def run() -> object:
        x = x0.clone()
        with torch.no_grad():
            for _ in range(steps):
                drift = 1.5 * (x**3 + x**2 - 2.0 * x) + kl_weight * x
                if lambda1 > 0.0:
                    difference = x[:, None] - x[None, :]
                    drift = drift - lambda1 * (difference * torch.exp(-0.5 * difference**2)).mean(dim=1)
                    drift = drift + lambda1 * 0.5 * x * math.sqrt(0.5) * torch.exp(-0.25 * x**2)
                x = x - step_size * drift
                if kl_weight > 0.0:
                    x = x + noise * torch.randn(x.shape, dtype=torch.float64)
        return x

    return run


def blackjax_sgld(start: np.ndarray, steps: int, step_size: float, kl_weight: float) -> Step:
    """DLE as BlackJAX's SGLD sampler with exact gradients, one chain per particle by ``vmap``."""
    import blackjax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    sampler = blackjax.sgld(lambda x, _: -(1.5 * (x**3 + x**2 - 2.0 * x) + kl_weight * x) / kl_weight)

    @jax.jit
    def run(x: Traced, key: Traced) -> Traced:
        def step(carry: Traced, key: Traced) -> tuple[Traced, None]:
            keys = jax.random.split(key, carry.shape[0])
            moved = jax.vmap(lambda k, p: sampler.step(k, p, jnp.zeros(()), step_size * kl_weight))(keys, carry)
            return moved, None

        return jax.lax.scan(step, x, jax.random.split(key, steps))[0]

    x, key = jnp.asarray(start), jax.random.PRNGKey(0)
    return lambda: run(x, key).block_until_ready()
