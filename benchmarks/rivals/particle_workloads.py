"""Steps of many particles with a library that the package does not need: in three dimensions with finufft."""

from __future__ import annotations

import particlegvi as pg
from particlegvi.bench.timing import Contender, Work, advancing
from particlegvi.contracts import Method
from particlegvi.engine.pairs import nufft
from particlegvi.methods.flow import ParticleProblem


def drle_step_space(quick: bool) -> list[Contender]:
    """one DLE step and, with the extra nufft, one DRLE step, N = 10^6, three dimensions"""
    prior = pg.priors.Normal([0.0] * 3, 2.0)
    loss = pg.Loss.from_formula("x^2 + y^2 + z^2", variables=["x", "y", "z"])

    def flow(method: Method, steps: int, tolerance: float) -> Work:
        start = prior.sample(1_000_000)
        problem = ParticleProblem(loss, prior, start, 10**9, 1e-4, 0, "euler-maruyama", tolerance)
        return advancing(method.flow(problem), steps)

    rows = [Contender("DLE step", flow(pg.methods.DLE(0.2), 10, 1e-12), 10.0)]
    if nufft.available():
        drle = pg.methods.DRLE(0.2, 0.3, pg.kernels.SquaredExponential(1.0))
        rows += [Contender(f"DRLE step, tolerance {each:.0e}", flow(drle, 1, each)) for each in (1e-9, 1e-12)]
    return rows


ALL = (drle_step_space,)
