"""GWI-net as published, with its estimator of W2 at each step, and its network alone: PyTorch, JAX and scikit-learn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from particlegvi.contracts import Array

from .function_workloads import EPOCHS, data
from .timing import Contender, Work

Traced = Any  # an array of JAX or PyTorch
UNITS, SIZE, CHOSEN, NOISE = 10, 1e-2, 100, 0.1  # hidden units, step size, rows X_S of the estimator, sigma^2


def layers(inputs: int) -> list[Array]:
    """Weights and biases of a network of two hidden layers."""
    random, widths = np.random.default_rng(1), (inputs, UNITS, UNITS, 1)
    found = []
    for a, b in zip(widths[:-1], widths[1:], strict=True):
        found += [math.sqrt(2.0 / (a + b)) * random.standard_normal((a, b)), np.zeros(b)]
    return found


def torch_published(X: Array, y: Array, Z: Array, steps: int) -> Work:
    """Adam on mean and covariance together, with the estimator (4.15) of W2 from fresh rows X_S at each step."""
    import torch

    x, t, z = (torch.as_tensor(each) for each in (X, y, Z))
    n = len(x)

    def kernel(a: Traced, b: Traced) -> Traced:
        return torch.exp(-0.5 * torch.cdist(a, b) ** 2 / X.shape[1])

    def work() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        W = [torch.tensor(each, requires_grad=True) for each in layers(X.shape[1])]
        inverse = torch.linalg.inv(kernel(z, z) + 1e-6 * torch.eye(len(z), dtype=x.dtype))
        L = torch.linalg.cholesky(torch.linalg.inv(kernel(z, z) + kernel(z, x) @ kernel(x, z) / NOISE)).clone()
        L.requires_grad_(True)
        adam = torch.optim.Adam([*W, L], lr=SIZE)
        for _ in range(steps):
            adam.zero_grad()
            mean = torch_outputs(torch, W, x)
            chosen = x[torch.randperm(n)[:CHOSEN]]
            S = L.tril() @ L.tril().T
            of_x, of_chosen = kernel(x, z), kernel(chosen, z)
            middle = S - inverse
            r = 1.0 + torch.einsum("nm,mk,nk->n", of_x, middle, of_x)
            cross = kernel(chosen, x) + of_chosen @ middle @ of_x.T
            values = torch.linalg.eigvals(cross @ kernel(x, chosen)).real
            roots = torch.sqrt(torch.clamp(values, min=1e-12)).sum()
            w2 = (mean**2).mean() + 1.0 + r.mean() - 2.0 / math.sqrt(n * CHOSEN) * roots
            loss = ((t - mean) ** 2 + r).sum() / (2.0 * NOISE) + w2
            loss.backward()
            adam.step()
        torch.set_num_threads(before)

    return work


def torch_outputs(torch: Traced, W: Traced, x: Traced) -> Traced:
    hidden = torch.tanh(torch.tanh(x @ W[0] + W[1]) @ W[2] + W[3])
    return (hidden @ W[4] + W[5])[:, 0]


def torch_network(X: Array, y: Array, held: tuple[Array, Array], epochs: int) -> Work:
    """torch's own network and optimiser, one thread; validation rows at each epoch."""
    import torch

    x, t, x_held, t_held = (torch.as_tensor(each) for each in (X, y, *held))

    def work() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        net = torch.nn.Sequential(
            torch.nn.Linear(X.shape[1], UNITS), torch.nn.Tanh(), torch.nn.Linear(UNITS, UNITS), torch.nn.Tanh(),
            torch.nn.Linear(UNITS, 1),
        ).double()  # fmt: skip
        adam = torch.optim.Adam(net.parameters(), lr=SIZE)
        best = math.inf
        for _ in range(epochs):
            adam.zero_grad()
            ((net(x)[:, 0] - t) ** 2).mean().backward()
            adam.step()
            with torch.no_grad():
                best = min(best, float(((net(x_held)[:, 0] - t_held) ** 2).mean()))
        torch.set_num_threads(before)

    return work


def jax_outputs(jnp: Traced, W: Traced, x: Traced) -> Traced:
    hidden = jnp.tanh(jnp.tanh(x @ W[0] + W[1]) @ W[2] + W[3])
    return (hidden @ W[4] + W[5])[:, 0]


def jax_adam(jax: Traced, cost: Traced, start: Traced, steps: int) -> Traced:
    """A jitted scan of Adam steps; ``cost(parameters, key)``."""
    jnp = jax.numpy

    @jax.jit
    def run(parameters: Traced, key: Traced) -> Traced:
        zeros = jax.tree_util.tree_map(jnp.zeros_like, parameters)

        def step(carry: Traced, key_and_number: Traced) -> Traced:
            (now, first, second), (key, number) = carry, key_and_number
            value, slope = jax.value_and_grad(cost)(now, key)
            first = jax.tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
            second = jax.tree_util.tree_map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slope)
            size = SIZE * jnp.sqrt(1.0 - 0.999**number) / (1.0 - 0.9**number)
            now = jax.tree_util.tree_map(lambda p, m, v: p - size * m / (jnp.sqrt(v) + 1e-8), now, first, second)
            return (now, first, second), value

        numbers = jnp.arange(1.0, steps + 1.0)
        return jax.lax.scan(step, (parameters, zeros, zeros), (jax.random.split(key, steps), numbers))[0][0]

    key = jax.random.PRNGKey(0)
    return lambda: jax.block_until_ready(run(start, key))


def jax_network(X: Array, y: Array, epochs: int) -> Work:
    """The whole training as one jitted scan, without validation rows."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x, t = jnp.asarray(X), jnp.asarray(y)

    def cost(W: Traced, key: Traced) -> Traced:
        return ((jax_outputs(jnp, W, x) - t) ** 2).mean()

    return jax_adam(jax, cost, [jnp.asarray(each) for each in layers(X.shape[1])], epochs)


def jax_published(X: Array, y: Array, Z: Array, steps: int) -> Work:
    """`torch_published` as one jitted scan."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x, t, z = (jnp.asarray(each) for each in (X, y, Z))
    n = len(X)

    def kernel(a: Traced, b: Traced) -> Traced:
        squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * a @ b.T
        return jnp.exp(-0.5 * squares / X.shape[1])

    inverse = jnp.linalg.inv(kernel(z, z) + 1e-6 * jnp.eye(len(Z)))
    L = jnp.linalg.cholesky(jnp.linalg.inv(kernel(z, z) + kernel(z, x) @ kernel(x, z) / NOISE))

    def cost(parameters: Traced, key: Traced) -> Traced:
        W, lower = parameters
        mean = jax_outputs(jnp, W, x)
        chosen = x[jax.random.permutation(key, n)[:CHOSEN]]
        lower = jnp.tril(lower)
        middle = lower @ lower.T - inverse
        of_x, of_chosen = kernel(x, z), kernel(chosen, z)
        r = 1.0 + jnp.einsum("nm,mk,nk->n", of_x, middle, of_x)
        cross = kernel(chosen, x) + of_chosen @ middle @ of_x.T
        values = jnp.linalg.eigvals(cross @ kernel(x, chosen)).real
        w2 = (mean**2).mean() + 1.0 + r.mean()
        w2 = w2 - 2.0 / math.sqrt(n * CHOSEN) * jnp.sqrt(jnp.maximum(values, 1e-12)).sum()
        return ((t - mean) ** 2 + r).sum() / (2.0 * NOISE) + w2

    return jax_adam(jax, cost, ([jnp.asarray(each) for each in layers(X.shape[1])], L), steps)


def sklearn_network(X: Array, y: Array, epochs: int) -> Work:
    """scikit-learn's network for so many epochs, without validation rows."""
    from sklearn.neural_network import MLPRegressor

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MLPRegressor(
                hidden_layer_sizes=(UNITS, UNITS), activation="tanh", batch_size=len(y), max_iter=epochs,
                n_iter_no_change=epochs, tol=0.0, learning_rate_init=SIZE,
            ).fit(X, y)  # fmt: skip

    return work


def net(name: str, make: Callable[..., Work]) -> Callable[[bool], Contender]:
    """A function that makes the contender which does some steps of the published algorithm."""

    def made(quick: bool) -> Contender:
        given, steps = data(), 10 if quick else 30
        return Contender(name, make(given.X, given.y, given.Z, steps), steps / EPOCHS)

    return made


def torch_alone(quick: bool) -> Contender:
    """Some epochs of PyTorch's network."""
    given, epochs = data(), 100 if quick else 300
    return Contender("PyTorch loop", torch_network(given.X, given.y, given.held, epochs), epochs / EPOCHS)


def jax_alone(quick: bool) -> Contender:
    """All epochs of the network in JAX."""
    given = data()
    return Contender("JAX scan", jax_network(given.X, given.y, EPOCHS))


def sklearn_alone(quick: bool) -> Contender:
    """A fifth of the epochs of scikit-learn's network."""
    given = data()
    return Contender("MLPRegressor", sklearn_network(given.X, given.y, 200), 200 / EPOCHS)


RIVALS = {
    "gwi-net": [
        ("torch", net("PyTorch, published loop", torch_published)),
        ("jax", net("JAX scan of it", jax_published)),
    ],
    "gwi-network": [("torch", torch_alone), ("jax", jax_alone), ("sklearn", sklearn_alone)],
}
