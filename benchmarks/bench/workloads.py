"""Workloads of particles on the line, and of a whole run: each has the engine's contender first, then plain rivals."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array, Loss, Method, Prior
from particlegvi.engine.pairs.direct import Direct
from particlegvi.methods.flow import ParticleProblem

from . import plain
from .timing import Contender, Work, advancing

PRIOR = pg.priors.Normal(0.0, 1.0)
KERNEL = pg.kernels.SquaredExponential(1.0)


def well() -> Loss:
    return pg.losses.get("tilted-double-well")


def standard_normal(start: Array) -> Prior:
    """The standard normal of the dimension of a start."""
    return PRIOR if start.shape[1] == 1 else pg.priors.Normal(np.zeros(start.shape[1]), 1.0)


def _simulated(method: Method, steps: int, start: Array, step_size: float) -> Work:
    return lambda: pg.simulate(
        well(), method, prior=PRIOR, initial=start, steps=steps, step_size=step_size, record_every=0
    )


def flow(method: Method, start: Array, steps: int, loss: Loss | None = None, tolerance: float = 1e-12) -> Work:
    """A function that advances a flow by ``steps`` steps at each call; its start and its checks are not timed."""
    loss = loss or well()
    problem = ParticleProblem(loss, standard_normal(start), start, 10**9, 1e-4, 0, "euler-maruyama", tolerance)
    return advancing(method.flow(problem), steps)


def drle_figure(quick: bool) -> list[Contender]:
    """DRLE of Figure 5.2 (N = 300, K = 100,000)"""
    start, full, h = PRIOR.sample(300), 100_000, 1e-4
    ours = 20_000 if quick else full
    x = start[:, 0]
    return [
        Contender("particlegvi", _simulated(pg.methods.DRLE(1.0, 0.5, KERNEL), ours, start, h), ours / full),
        Contender("numpy loop", lambda: plain.numpy_loop(x, 300, h, 1.0, 1.0), 300 / full),
    ]


def dle_million(quick: bool) -> list[Contender]:
    """DLE, N = 10^6, one dimension, 50 steps"""
    start, full, h = PRIOR.sample(1_000_000), 50, 1e-4
    x = start[:, 0]
    _, langevin = plain.naive_numba()
    return [
        Contender("particlegvi", flow(pg.methods.DLE(1.0), start, full)),
        Contender("numpy loop", lambda: plain.numpy_loop(x, 3, h, 1.0, 0.0), 3 / full),
        Contender("naive numba", lambda: langevin(x.copy(), 5, h, 1.0), 5 / full),
    ]


def de_figure(quick: bool) -> list[Contender]:
    """DE of Figure 5.2 (N = 300, K = 100,000)"""
    start, full, h = PRIOR.sample(300), 100_000, 1e-4
    x = start[:, 0]
    return [
        Contender("particlegvi", _simulated(pg.methods.DE(), full, start, h)),
        Contender("numpy loop", lambda: plain.numpy_loop(x, 5000, h, 0.0, 0.0), 5000 / full),
    ]


def direct_pairs(quick: bool) -> list[Contender]:
    """direct sum over pairs, N = 10^4, one dimension, all threads"""
    start = PRIOR.sample(10_000)
    x, out = np.ascontiguousarray(start[:, 0]), np.empty_like(start)
    pairs, _ = plain.naive_numba()
    flat = np.empty_like(x)
    direct = Direct(KERNEL, 1, 1e-12)
    return [
        Contender("particlegvi", lambda: direct.force(start, None, 1.0, out)),
        Contender("numba double loop", lambda: pairs(x[:3000], flat[:3000]), 0.09),
    ]


def whole_run(quick: bool) -> list[Contender]:
    """imports alone, and `particlegvi run global-minimiser` with two pictures, also with empty caches as a first run"""
    here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def process(*arguments: str, cache: str | None = None) -> None:
        empty = {} if cache is None else {"XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": cache}
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=here | empty)

    def run(first: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = ["run", "global-minimiser", "--quiet", "--out", os.path.join(folder, "run")]
            process("-m", "particlegvi", *command, cache=folder if first else None)

    return [
        Contender("import numpy, numba, pyplot", lambda: process("-c", "import numpy, numba, matplotlib.pyplot")),
        Contender("whole run", lambda: run(first=False)),
        Contender("first run", lambda: run(first=True)),
    ]


ALL = drle_figure, dle_million, de_figure, direct_pairs, whole_run
