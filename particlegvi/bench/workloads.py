"""The workloads of ``particlegvi bench``: each returns the engine's contender first, then plain rivals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import particlegvi as pg
from particlegvi.bench import rivals
from particlegvi.bench.timing import Contender, Work, advancing, thread_count
from particlegvi.contracts import Array, Loss, Method, Prior
from particlegvi.engine.pairs.direct import Direct
from particlegvi.methods.flow import ParticleProblem

PRIOR = pg.priors.Normal(0.0, 1.0)
KERNEL = pg.kernels.SquaredExponential(1.0)
Row = dict[str, Any]  # a line of a table, of values that JSON can hold


def _well() -> Loss:
    return pg.losses.get("tilted-double-well")


def _prior(start: Array) -> Prior:
    """The standard normal of the dimension of a start."""
    return PRIOR if start.shape[1] == 1 else pg.priors.Normal(np.zeros(start.shape[1]), 1.0)


def _simulated(method: Method, steps: int, start: Array, step_size: float) -> Work:
    return lambda: pg.simulate(
        _well(), method, prior=PRIOR, initial=start, steps=steps, step_size=step_size, record_every=0
    )


def flow(
    method: Method, start: Array, steps: int, loss: Loss | None = None, tolerance: float = 1e-12
) -> Work:
    """A function that advances a flow by ``steps`` steps at each call; its start and its checks are not timed."""
    loss = loss or _well()
    problem = ParticleProblem(loss, _prior(start), start, 10**9, 1e-4, 0, "euler-maruyama", tolerance)
    return advancing(method.flow(problem), steps)


def drle_figure(quick: bool) -> list[Contender]:
    """DRLE of Figure 5.2 (N = 300, K = 100,000)"""
    start, full, h = PRIOR.sample(300), 100_000, 1e-4
    ours = 20_000 if quick else full
    x = start[:, 0]
    return [
        Contender("particlegvi", _simulated(pg.methods.DRLE(1.0, 0.5, KERNEL), ours, start, h), ours / full),
        Contender("numpy loop", lambda: rivals.numpy_loop(x, 300, h, 1.0, 1.0), 300 / full),
    ]


def dle_million(quick: bool) -> list[Contender]:
    """DLE, N = 10^6, one dimension, 50 steps"""
    start, full, h = PRIOR.sample(1_000_000), 50, 1e-4
    x = start[:, 0]
    _, langevin = rivals.naive_numba()
    return [
        Contender("particlegvi", flow(pg.methods.DLE(1.0), start, full)),
        Contender("numpy loop", lambda: rivals.numpy_loop(x, 3, h, 1.0, 0.0), 3 / full),
        Contender("naive numba", lambda: langevin(x.copy(), 5, h, 1.0), 5 / full),
    ]


def de_figure(quick: bool) -> list[Contender]:
    """DE of Figure 5.2 (N = 300, K = 100,000)"""
    start, full, h = PRIOR.sample(300), 100_000, 1e-4
    x = start[:, 0]
    return [
        Contender("particlegvi", _simulated(pg.methods.DE(), full, start, h)),
        Contender("numpy loop", lambda: rivals.numpy_loop(x, 5000, h, 0.0, 0.0), 5000 / full),
    ]


def direct_pairs(quick: bool) -> list[Contender]:
    """direct sum over pairs, N = 10^4, one dimension, all threads"""
    start = PRIOR.sample(10_000)
    x, out = np.ascontiguousarray(start[:, 0]), np.empty_like(start)
    pairs, _ = rivals.naive_numba()
    flat = np.empty_like(x)
    direct = Direct(KERNEL, 1, 1e-12)
    return [
        Contender("particlegvi", lambda: direct.force(start, None, 1.0, out)),
        Contender("numba double loop", lambda: pairs(x[:3000], flat[:3000]), 0.09),
    ]


WORKLOADS: dict[str, Callable[[bool], list[Contender]]] = {
    each.__name__.replace("_", "-"): each for each in (drle_figure, dle_million, de_figure, direct_pairs)
}


def known() -> dict[str, Callable[[bool], list[Contender]]]:
    """All workloads, by name: those here, and those of a clone."""
    return WORKLOADS | rivals.workloads()


def accuracy() -> list[Row]:
    """Error of every accelerated sum on 50 particles against the direct sum, in units of variance / lengthscale."""
    from particlegvi.engine.pairs.repulsion import Repulsion

    random = np.random.default_rng(0)
    rows = []
    for dim, tolerance in ((1, 1e-12), (2, 1e-9), (2, 1e-12)):
        for shape, cloud in clouds(random, 20_000, dim).items():
            repulsion = Repulsion(KERNEL, dim, tolerance)
            out = np.empty_like(cloud)
            repulsion.force(cloud, 1.0, out)
            chosen = random.choice(len(cloud), 50, replace=False)
            difference = cloud[chosen, None, :] - cloud[None, :, :]
            weight = np.exp(-0.5 * (difference**2).sum(-1))[..., None]
            error = float(np.abs(out[chosen] + (weight * difference).mean(axis=1)).max())
            algorithm = next(iter(repulsion.used))
            rows.append(
                {"dim": dim, "tolerance": tolerance, "cloud": shape, "algorithm": algorithm, "error": error}
            )
    return rows


def clouds(random: np.random.Generator, number: int, dim: int) -> dict[str, Array]:
    """Ten clouds of points (number, dim), by the name of their shape."""
    half = number // 2
    normal = random.normal(size=(number, dim))
    two = np.concatenate([normal[:half] - 6.0, normal[half:] + 6.0])
    outlier = normal.copy()
    outlier[0] = 1e5
    ring = random.uniform(0, 2 * math.pi, number)
    shapes = {
        "normal": normal,
        "uniform": random.uniform(-6, 6, (number, dim)),
        "two clusters": two,
        "one outlier": outlier,
        "tight": 1e-3 * normal,
        "wide": 40.0 * normal,
        "coinciding": np.full((number, dim), 0.3),
        "heavy tails": random.standard_t(2, size=(number, dim)),
        "curve": np.stack([3.0 * np.cos((k + 1) * ring) for k in range(dim)], axis=1),
        "grid": np.stack([np.linspace(-5, 5, number) * (k + 1) for k in range(dim)], axis=1),
    }
    return {name: np.ascontiguousarray(cloud) for name, cloud in shapes.items()}


def same_bytes() -> list[Row]:
    """Whether threads and groups of steps give the same bytes as one thread, step by step."""
    rows = []
    cases = {
        "DLE, 1-D": (pg.methods.DLE(1.0), PRIOR.sample(5000), _well()),
        "DRLE, 1-D, in one loop": (pg.methods.DRLE(1.0, 0.5, KERNEL), PRIOR.sample(300), _well()),
        "DRLE, 1-D, on threads": (pg.methods.DRLE(1.0, 0.5, KERNEL), PRIOR.sample(20_000), _well()),
        "DRLE, 2-D, boxes": (
            pg.methods.DRLE(0.2, 0.3, KERNEL),
            pg.priors.Normal([0.0, 0.0], 2.0).sample(20_000),
            pg.losses.get("four-gaussians"),
        ),
    }
    for name, (method, start, loss) in cases.items():
        results = []
        for workers, sizes in ((1, [1] * 12), (2, [12]), (2, [5, 1, 6])):
            problem = ParticleProblem(loss, _prior(start), start, 12, 1e-3, 0, "euler-maruyama", 1e-12)
            with thread_count(workers):
                flow = method.flow(problem)
                for step, size in zip(np.cumsum([0, *sizes]).tolist(), sizes, strict=False):
                    flow.advance(step, size)
            results.append(flow.state.tobytes())
        rows.append({"case": name, "same": len(set(results)) == 1})
    return rows
