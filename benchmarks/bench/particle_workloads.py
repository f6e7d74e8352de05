"""Steps of many particles that have no rival: by dimension, and with jumps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import particlegvi as pg
from particlegvi.contracts import Method
from particlegvi.methods.flow import ParticleProblem

from . import workloads
from .timing import Contender, Work, advancing


def drle_step_line(quick: bool) -> list[Contender]:
    """one DLE step and one DRLE step, N = 10^6, one dimension, tolerance 1e-12"""
    start = workloads.PRIOR.sample(1_000_000)
    return [
        Contender("DLE step", workloads.flow(pg.methods.DLE(1.0), start, 20), 20.0),
        Contender("DRLE step", workloads.flow(pg.methods.DRLE(1.0, 0.5, workloads.KERNEL), start, 2), 2.0),
    ]


def drle_step_many(quick: bool) -> list[Contender]:
    """one DLE step and one DRLE step, N = 10^7, one dimension, tolerance 1e-12"""
    start = workloads.PRIOR.sample(1_000_000 if quick else 10_000_000)
    return [
        Contender("DLE step", workloads.flow(pg.methods.DLE(1.0), start, 4), 4.0),
        Contender("DRLE step", workloads.flow(pg.methods.DRLE(1.0, 0.5, workloads.KERNEL), start, 2), 2.0),
    ]


def drle_step_plane(quick: bool) -> list[Contender]:
    """one DLE step and one DRLE step, N = 10^6, two dimensions"""
    start = pg.priors.Normal([0.0, 0.0], 2.0).sample(1_000_000)
    loss = pg.losses.get("four-gaussians")
    drle = pg.methods.DRLE(0.2, 0.3, workloads.KERNEL)
    return [
        Contender("DLE step", workloads.flow(pg.methods.DLE(0.2), start, 10, loss), 10.0),
        Contender("DRLE step, tolerance 1e-9", workloads.flow(drle, start, 1, loss, 1e-9)),
        Contender("DRLE step, tolerance 1e-12", workloads.flow(drle, start, 1, loss, 1e-12)),
    ]


def _with_jumps(made: Callable[..., Method], number: int, steps: int) -> list[Contender]:
    """A step without jumps, and one with jumps every 50."""
    start = workloads.PRIOR.sample(number)
    return [
        Contender("a step", workloads.flow(made(), start, steps), float(steps)),
        Contender("a step with jumps", workloads.flow(made(jumps={"every": 50}), start, steps), float(steps)),
    ]


def dle_jumps(quick: bool) -> list[Contender]:
    """DLE with jumps every 50 steps, N = 300, one dimension"""
    return _with_jumps(partial(pg.methods.DLE, 0.25), 300, 1000 if quick else 10_000)


def drle_jumps(quick: bool) -> list[Contender]:
    """DRLE with jumps every 50 steps, N = 5000, one dimension, squared exponential"""
    return _with_jumps(partial(pg.methods.DRLE, 0.25, 0.5, workloads.KERNEL), 5000, 100 if quick else 4000)


def drle_step_space(quick: bool) -> list[Contender]:
    """one DLE step and one DRLE step, N = 10^6, three dimensions"""
    prior = pg.priors.Normal([0.0] * 3, 2.0)
    loss = pg.Loss.from_formula("x^2 + y^2 + z^2", variables=["x", "y", "z"])

    def flow(method: Method, steps: int, tolerance: float) -> Work:
        start = prior.sample(1_000_000)
        problem = ParticleProblem(loss, prior, start, 10**9, 1e-4, 0, "euler-maruyama", tolerance)
        return advancing(method.flow(problem), steps)

    rows = [Contender("DLE step", flow(pg.methods.DLE(0.2), 10, 1e-12), 10.0)]
    drle = pg.methods.DRLE(0.2, 0.3, pg.kernels.SquaredExponential(1.0))
    rows += [Contender(f"DRLE step, tolerance {each:.0e}", flow(drle, 1, each)) for each in (1e-9, 1e-12)]
    return rows


ALL = (drle_step_line, drle_step_many, drle_step_plane, drle_step_space, dle_jumps, drle_jumps)
