"""The error of the accelerated sums over pairs, and the bytes of a run on several threads and in groups of steps."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array, Facts
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.methods.flow import ParticleProblem

from .timing import thread_count
from .workloads import KERNEL, PRIOR, standard_normal, well


def made(say: Callable[[str], None]) -> Facts:
    """Print both checks, and return their rows."""
    say("\nerror of the sums on 50 particles against the direct sum (units of variance / lengthscale)")
    errors = accuracy()
    for row in errors:
        verdict = "ok" if row["error"] <= row["tolerance"] else "TOO LARGE"
        say(
            f"  {row['dim']}-D  {row['cloud']:14s} {row['algorithm']:26s}"
            f" error {row['error']:.1e}  tolerance {row['tolerance']:.0e}  {verdict}"
        )
    say("\nsame bytes for 1 and 2 threads, steps one by one and in groups")
    same = same_bytes()
    for row in same:
        say(f"  {row['case']:28s} {'same' if row['same'] else 'DIFFERENT'}")
    return {"accuracy": errors, "same_bytes": same}


def accuracy() -> list[Facts]:
    """Error of every accelerated sum on 50 particles against the direct sum, in units of variance / lengthscale."""
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
            rows.append({"dim": dim, "tolerance": tolerance, "cloud": shape, "algorithm": algorithm, "error": error})
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


def same_bytes() -> list[Facts]:
    """Whether threads and groups of steps give the same bytes as one thread, step by step."""
    rows = []
    cases = {
        "DLE, 1-D": (pg.methods.DLE(1.0), PRIOR.sample(5000), well()),
        "DRLE, 1-D, in one loop": (pg.methods.DRLE(1.0, 0.5, KERNEL), PRIOR.sample(300), well()),
        "DRLE, 1-D, on threads": (pg.methods.DRLE(1.0, 0.5, KERNEL), PRIOR.sample(20_000), well()),
        "DRLE, 2-D, boxes": (
            pg.methods.DRLE(0.2, 0.3, KERNEL),
            pg.priors.Normal([0.0, 0.0], 2.0).sample(20_000),
            pg.losses.get("four-gaussians"),
        ),
    }
    for name, (method, start, loss) in cases.items():
        results = []
        for workers, sizes in ((1, [1] * 12), (2, [12]), (2, [5, 1, 6])):
            problem = ParticleProblem(loss, standard_normal(start), start, 12, 1e-3, 0, "euler-maruyama", 1e-12)
            with thread_count(workers):
                flow = method.flow(problem)
                for step, size in zip(np.cumsum([0, *sizes]).tolist(), sizes, strict=False):
                    flow.advance(step, size)
            results.append(flow.state.tobytes())
        rows.append({"case": name, "same": len(set(results)) == 1})
    return rows
