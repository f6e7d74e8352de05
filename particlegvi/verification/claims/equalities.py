"""Methods and priors that are the same in one limit give the same particles."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Checks, claim


@claim("thesis, 5.4.2 (5.8)", wrong="DRLE, whose particles see each other")
def independence(
    seed: int, wrong: bool, *, few: int = 5, particles: int = 500, steps: int = 2_000, step_size: float = 2e-3
) -> Checks:
    """DLE's particles are independent: the others do not change a bit of a path.

    The first of DLE's particles, alone and among many others: their paths must be equal bit by bit.
    """
    start = problems.PRIOR.sample(particles, seed=seed)
    method = problems.DRLE if wrong else problems.DLE
    some, many = (
        problems.simulate(method, seed, number, steps, step_size, initial=start[:number], record_every=10).positions
        for number in (few, particles)
    )
    gap = np.abs(some - many[:, :few])
    return Check("largest difference of a path", float(np.max(gap)), 0.0)


@claim("thesis, 5.4.3 and C.7 (C.123)", wrong="weights of 0.0001 in place of 0")
def reductions(seed: int, wrong: bool, *, particles: int = 500, steps: int = 2_000, step_size: float = 2e-3) -> Checks:
    """mmd_weight 0 turns DRLE into DLE, kl_weight 0 into DRE, both into DE, bit for bit.

    DRLE with weights of zero against DLE, DRE and DE, particle by particle; no difference is allowed.
    """
    off = 1e-4 if wrong else 0.0
    kernel = problems.KERNEL
    pairs = {
        "DLE": (pg.methods.DRLE(1.0, off, kernel), pg.methods.DLE(1.0)),
        "DRE": (pg.methods.DRLE(off, 0.5, kernel), pg.methods.DRE(0.5, kernel)),
        "DE": (pg.methods.DRLE(off, off, kernel), pg.methods.DE()),
    }
    checks = []
    for label, methods in pairs.items():
        ends = [problems.simulate(method, seed, particles, steps, step_size).final for method in methods]
        gap = float(np.max(np.abs(ends[0] - ends[1])))
        checks.append(Check(f"largest difference to {label}'s particles", gap, 0.0))
    return tuple(checks)
