"""Ensembles of small networks: the engine beside what a user would write in numpy, JAX and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

import particlegvi as pg
from particlegvi.bench import rivals
from particlegvi.bench.timing import Contender
from particlegvi.contracts import Method
from particlegvi.engine.numerics import noise
from particlegvi.methods.flow import ParticleProblem

INPUTS, UNITS, STEP_SIZE = 8, 50, 1e-3


class Case(NamedTuple):
    """So many networks 8-50-1 with relu, on so many rows, in batches of so many.

    Attributes
    ----------
    networks, rows, batch : int
    steps : int
        That the engine takes at a call; JAX takes half of them, the others a tenth.
    one_thread : bool
        Whether engine, BLAS and PyTorch have one thread, and all of them, JAX included, one processor.
    """

    networks: int
    rows: int
    batch: int
    steps: int
    one_thread: bool

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (rows, 8) and targets (rows,)."""
        random = np.random.default_rng(0)
        X = random.standard_normal((self.rows, INPUTS))
        return X, np.sin(X[:, 0])

    def chosen(self, steps: int) -> np.ndarray:
        """Row numbers of the batches, (steps, batch); every row where the batch is all of them."""
        if self.batch == self.rows:
            return np.broadcast_to(np.arange(self.rows), (steps, self.rows))
        return np.random.default_rng(1).integers(0, self.rows, (steps, self.batch))

    def parameters(self) -> list[np.ndarray]:
        """Weights and biases of all networks: (networks, 8, 50), (networks, 50), (networks, 50), (networks,)."""
        random = np.random.default_rng(2)
        shapes = [(INPUTS, UNITS), (UNITS,), (UNITS,), ()]
        return [0.2 * random.standard_normal((self.networks, *shape)) for shape in shapes]

    @property
    def flops(self) -> float:
        """Useful operations of a step: 2 d h forward and 2 d h for the weights' gradient, 4 h for the last layer."""
        return 4.0 * self.networks * self.batch * (INPUTS * UNITS + UNITS)


STEP = Case(5, 1030, 100, 2000, one_thread=True)
FULL = Case(50, 8192, 8192, 2, one_thread=False)


def network_step(quick: bool) -> list[Contender]:
    """one step of 5 networks 8-50-1 in batches of 100, one thread"""
    return _contenders(STEP._replace(steps=400) if quick else STEP)


def network_full(quick: bool) -> list[Contender]:
    """one step of 50 networks 8-50-1 on all of 8192 rows, all threads"""
    return _contenders(FULL)


def _contenders(case: Case) -> list[Contender]:
    half, fewer = max(1, case.steps // 2), max(1, case.steps // 10)
    size = round((case.flops / 2.0) ** (1.0 / 3.0))
    a = np.random.default_rng(3).standard_normal((size, size))
    times = 20 if size < 200 else 1
    each: dict[str, tuple[Callable[[], object], int]] = {
        "particlegvi, DE": (_engine(case, pg.methods.DE()), case.steps),
        "particlegvi, DLE": (_engine(case, pg.methods.DLE(1e-4)), case.steps),
        "numpy": (_numpy(case, fewer), fewer),
        "dgemm, as many operations": (lambda: [a @ a for _ in range(times)], times),
    }
    if rivals.installed("jax"):
        each |= {f"JAX scan, {kind}": (_jax(case, half, kind), half) for kind in ("float64", "float32")}
    if rivals.installed("torch"):
        each |= {f"PyTorch, {kind}": (_torch(case, fewer, kind), fewer) for kind in ("float64", "float32")}
    found = [Contender(name, _within(case, work), share, case.flops) for name, (work, share) in each.items()]
    normals = Contender("normals of a DLE step", _within(case, _normals(case)), 2.0 * max(1, case.steps // 2))
    return [*found[:2], normals, *found[2:]]


def _engine(case: Case, method: Method) -> Callable[[], None]:
    net = pg.networks.Network(INPUTS, (UNITS,))
    loss = pg.networks.NetworkLoss(net, *case.data(), batch_size=None if case.batch == case.rows else case.batch)
    prior = net.prior("he")
    start = prior.sample(case.networks)
    flow = method.flow(ParticleProblem(loss, prior, start, 10**9, STEP_SIZE, 0, "euler-maruyama", 1e-12))
    done = [0]

    def work() -> None:
        flow.advance(done[0], case.steps)
        done[0] += case.steps

    return work


def _normals(case: Case) -> Callable[[], None]:
    """As many normals as the steps of DLE need, by the engine's generator and nothing else."""
    pairs = max(1, case.steps // 2)  # of steps, which are made together
    out = np.empty((min(10, pairs), 2, case.networks * pg.networks.Network(INPUTS, (UNITS,)).dim))
    key, word = noise.key_words(0), noise.role_word("noise")

    def work() -> None:
        for pair in range(0, pairs, len(out)):
            noise.noise_part(out, pair, word, 1, 0, len(out), key)

    return work


def _within(case: Case, work: Callable[[], object]) -> Callable[[], object]:
    def within() -> object:
        with rivals.one_thread() if case.one_thread else nullcontext():
            return work()

    return within


def _numpy(case: Case, steps: int) -> Callable[[], None]:
    """The first layers of all networks as one matrix product."""
    X, y = case.data()
    chosen, (W, b, v, c) = case.chosen(steps), case.parameters()
    W1 = np.ascontiguousarray(W.transpose(1, 0, 2).reshape(INPUTS, -1))
    b1 = b.reshape(-1).copy()

    def work() -> None:
        for rows in chosen:
            x, t = X[rows], y[rows]
            units = x @ W1 + b1
            np.maximum(units, 0.0, out=units)
            hidden = units.reshape(len(x), case.networks, UNITS)
            error = 2.0 / len(x) * (np.einsum("rnu,nu->rn", hidden, v) + c - t[:, None])
            back = (error[:, :, None] * v * (hidden > 0.0)).reshape(len(x), -1)
            v[...] -= STEP_SIZE * np.einsum("rn,rnu->nu", error, hidden)
            c[...] -= STEP_SIZE * error.sum(axis=0)
            W1[...] -= STEP_SIZE * (x.T @ back)
            b1[...] -= STEP_SIZE * back.sum(axis=0)

    return work


def _jax(case: Case, steps: int, kind: str) -> Callable[[], object]:
    """A jitted scan over the steps with ``vmap`` over the networks and ``grad`` of the loss."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    X, y = (jnp.asarray(each, dtype=kind) for each in case.data())
    chosen = jnp.asarray(case.chosen(steps))
    start = [jnp.asarray(each, dtype=kind) for each in case.parameters()]

    def cost(parameters: rivals.Traced, x: rivals.Traced, t: rivals.Traced) -> rivals.Traced:
        W, b, v, c = parameters
        return ((jax.nn.relu(x @ W + b) @ v + c - t) ** 2).mean()

    slopes = jax.vmap(jax.grad(cost), in_axes=(0, None, None))

    @jax.jit
    def run(parameters: rivals.Traced) -> rivals.Traced:
        def step(now: rivals.Traced, rows: rivals.Traced) -> tuple[rivals.Traced, None]:
            found = slopes(now, X[rows], y[rows])
            return [p - STEP_SIZE * g for p, g in zip(now, found, strict=True)], None

        return jax.lax.scan(step, parameters, chosen)[0]

    return lambda: jax.block_until_ready(run(start))


def _torch(case: Case, steps: int, kind: str) -> Callable[[], None]:
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
