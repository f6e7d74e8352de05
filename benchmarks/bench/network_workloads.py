"""Ensembles of small networks: the engine beside what a user would write in numpy."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array, Method
from particlegvi.engine.numerics import noise
from particlegvi.methods.flow import ParticleProblem

from .timing import Contender, Work, advancing, one_thread

INPUTS, UNITS, STEP_SIZE = 8, 50, 1e-3


class Case(NamedTuple):
    """Networks 8-50-1 with relu, trained on rows in batches."""

    networks: int
    rows: int
    batch: int  # rows in a batch
    steps: int  # of the engine at a call; JAX takes half of them, the others a tenth
    quick_steps: int  # with ``--quick``
    one_thread: bool  # whether engine, BLAS and PyTorch have one thread, and all of them, JAX included, one processor

    def of(self, quick: bool) -> Case:
        """The case itself, or with the steps of ``--quick``."""
        return self._replace(steps=self.quick_steps) if quick else self

    def data(self) -> tuple[Array, Array]:
        """Inputs (rows, 8) and targets (rows,)."""
        random = np.random.default_rng(0)
        X = random.standard_normal((self.rows, INPUTS))
        return X, np.sin(X[:, 0])

    def chosen(self, steps: int) -> np.ndarray:
        """Row numbers of the batches, (steps, batch); every row where the batch is all of them."""
        if self.batch == self.rows:
            return np.broadcast_to(np.arange(self.rows), (steps, self.rows))
        return np.random.default_rng(1).integers(0, self.rows, (steps, self.batch))

    def parameters(self) -> list[Array]:
        """Weights and biases of all networks: (networks, 8, 50), (networks, 50), (networks, 50), (networks,)."""
        random = np.random.default_rng(2)
        shapes = [(INPUTS, UNITS), (UNITS,), (UNITS,), ()]
        return [0.2 * random.standard_normal((self.networks, *shape)) for shape in shapes]

    @property
    def flops(self) -> float:
        """Useful operations of a step: 2 d h forward and 2 d h for the weights' gradient, 4 h for the last layer."""
        return 4.0 * self.networks * self.batch * (INPUTS * UNITS + UNITS)

    def within(self, work: Work) -> Work:
        """``work``, on one thread where the case asks for that."""

        def within() -> object:
            with one_thread() if self.one_thread else nullcontext():
                return work()

        return within

    def contender(self, name: str, work: Work, steps: int) -> Contender:
        """A contender whose ``work`` does so many steps; its times are those of one step."""
        return Contender(name, self.within(work), steps, self.flops)


STEP = Case(5, 1030, 100, 2000, 400, one_thread=True)
FULL = Case(50, 8192, 8192, 2, 2, one_thread=False)


def network_step(quick: bool) -> list[Contender]:
    """one step of 5 networks 8-50-1 in batches of 100, one thread"""
    return _contenders(STEP.of(quick))


def network_full(quick: bool) -> list[Contender]:
    """one step of 50 networks 8-50-1 on all of 8192 rows, all threads"""
    return _contenders(FULL.of(quick))


def _contenders(case: Case) -> list[Contender]:
    fewer, pairs = max(1, case.steps // 10), max(1, case.steps // 2)
    size = round((case.flops / 2.0) ** (1.0 / 3.0))
    a = np.random.default_rng(3).standard_normal((size, size))
    times = 20 if size < 200 else 1
    normals = Contender("normals of a DLE step", case.within(_normals(case, pairs)), 2.0 * pairs)
    return [
        case.contender("particlegvi, DE", _engine(case, pg.methods.DE()), case.steps),
        case.contender("particlegvi, DLE", _engine(case, pg.methods.DLE(1e-4)), case.steps),
        normals,
        case.contender("numpy", _numpy(case, fewer), fewer),
        case.contender("dgemm, as many operations", lambda: [a @ a for _ in range(times)], times),
    ]


def _engine(case: Case, method: Method) -> Work:
    net = pg.networks.Network(INPUTS, (UNITS,))
    loss = pg.networks.NetworkLoss(net, *case.data(), batch_size=None if case.batch == case.rows else case.batch)
    prior = net.prior("he")
    start = prior.sample(case.networks)
    flow = method.flow(ParticleProblem(loss, prior, start, 10**9, STEP_SIZE, 0, "euler-maruyama", 1e-12))
    return advancing(flow, case.steps)


def _normals(case: Case, pairs: int) -> Work:
    """As many normals as so many pairs of DLE steps need; the engine makes those of a pair together."""
    out = np.empty((min(10, pairs), 2, case.networks * pg.networks.Network(INPUTS, (UNITS,)).dim))
    key, word = noise.key_words(0), noise.role_word("noise")

    def work() -> None:
        for pair in range(0, pairs, len(out)):
            noise.noise_part(out, pair, word, 1, 0, len(out), key)

    return work


def _numpy(case: Case, steps: int) -> Work:
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


ALL = (network_step, network_full)
