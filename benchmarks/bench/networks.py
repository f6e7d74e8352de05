"""Steps of an ensemble of networks in JAX and PyTorch, with the automatic differentiation of the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .network_workloads import FULL, STEP, STEP_SIZE, Case
from .timing import Contender, Work

Traced = Any  # an array of JAX


def jax_scan(case: Case, steps: int, kind: str) -> Work:
    """A jitted scan over the steps with ``vmap`` over the networks and ``grad`` of the loss."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    X, y = (jnp.asarray(each, dtype=kind) for each in case.data())
    chosen = jnp.asarray(case.chosen(steps))
    start = [jnp.asarray(each, dtype=kind) for each in case.parameters()]

    def cost(parameters: Traced, x: Traced, t: Traced) -> Traced:
        W, b, v, c = parameters
        return ((jax.nn.relu(x @ W + b) @ v + c - t) ** 2).mean()

    slopes = jax.vmap(jax.grad(cost), in_axes=(0, None, None))

    @jax.jit
    def run(parameters: Traced) -> Traced:
        def step(now: Traced, rows: Traced) -> tuple[Traced, None]:
            found = slopes(now, X[rows], y[rows])
            return [p - STEP_SIZE * g for p, g in zip(now, found, strict=True)], None

        return jax.lax.scan(step, parameters, chosen)[0]

    return lambda: jax.block_until_ready(run(start))


def torch_loop(case: Case, steps: int, kind: str) -> Work:
    """Batched products of all networks, and automatic differentiation."""
    import torch

    X, y = (torch.as_tensor(each.astype(kind)) for each in case.data())
    chosen = torch.as_tensor(case.chosen(steps).copy())
    W, b, v, c = (torch.tensor(each.astype(kind), requires_grad=True) for each in case.parameters())

    def work() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(1 if case.one_thread else before)
        for rows in chosen:
            x = X[rows].expand(case.networks, -1, -1)
            units = torch.relu(torch.baddbmm(b[:, None, :], x, W))
            error = torch.einsum("nru,nu->nr", units, v) + c[:, None] - y[rows]
            found = torch.autograd.grad((error**2).mean(dim=1).sum(), (W, b, v, c))
            with torch.no_grad():
                for parameter, slope in zip((W, b, v, c), found, strict=True):
                    parameter -= STEP_SIZE * slope
        torch.set_num_threads(before)

    return work


def rival(name: str, make: Callable[..., Work], kind: str, case: Case, less: int) -> Callable[[bool], Contender]:
    """A function that makes the contender of one precision; it does the engine's steps divided by ``less``."""

    def made(quick: bool) -> Contender:
        now = case.of(quick)
        steps = max(1, now.steps // less)
        return now.contender(f"{name}, {kind}", make(now, steps, kind), steps)

    return made


RIVALS = {
    workload: [
        (library, rival(name, make, kind, case, less))
        for library, name, make, less in (("jax", "JAX scan", jax_scan, 2), ("torch", "PyTorch", torch_loop, 10))
        for kind in ("float64", "float32")
    ]
    for workload, case in (("network-step", STEP), ("network-full", FULL))
}
