"""Loops over particles and sums over pairs in JAX, PyTorch and BlackJAX.

The problem is that of Figure 5.2: the gradient of the tilted double well (thesis C.7.1), the prior Normal(0, 1), and
lengthscale 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from particlegvi.contracts import Array

from . import workloads
from .timing import Contender, Work

Traced = Any  # an array of JAX
STEP_SIZE = 1e-4
PARTICLES = {"drle-figure": 300, "dle-million": 1_000_000}
STEPS = {"drle-figure": 100_000, "dle-million": 50}  # of the whole workloads


def jax_scan(start: Array, steps: int, step_size: float, kl_weight: float, lambda1: float) -> Work:
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


def jax_pairs(x: Array) -> Work:
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


def torch_loop(start: Array, steps: int, step_size: float, kl_weight: float, lambda1: float) -> Work:
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


def blackjax_sgld(start: Array, steps: int, step_size: float, kl_weight: float) -> Work:
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


def loop(
    name: str, make: Callable[..., Work], workload: str, steps: int, *weights: float
) -> Callable[[bool], Contender]:
    """A function that makes the contender of ``steps`` steps; ``weights`` are those of the KL and of the repulsion."""

    def made(quick: bool) -> Contender:
        x = workloads.PRIOR.sample(PARTICLES[workload])[:, 0]
        return Contender(name, make(x, steps, STEP_SIZE, *weights), steps / STEPS[workload])

    return made


def pairs(quick: bool) -> Contender:
    """The sum over pairs of 10,000 particles."""
    return Contender("JAX", jax_pairs(workloads.PRIOR.sample(10_000)[:, 0]))


RIVALS = {
    "drle-figure": [
        ("jax", loop("JAX scan", jax_scan, "drle-figure", 2000, 1.0, 1.0)),
        ("torch", loop("PyTorch loop", torch_loop, "drle-figure", 300, 1.0, 1.0)),
    ],
    "dle-million": [
        ("jax", loop("JAX scan", jax_scan, "dle-million", 10, 1.0, 0.0)),
        ("blackjax", loop("BlackJAX SGLD", blackjax_sgld, "dle-million", 10, 1.0)),
        ("torch", loop("PyTorch loop", torch_loop, "dle-million", 5, 1.0, 0.0)),
    ],
    "direct-pairs": [("jax", pairs)],
}
